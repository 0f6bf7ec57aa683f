"""LFM2 with images."""
