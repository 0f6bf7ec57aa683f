"""LFM3 with images, and its encoder."""
