"""CLIP."""
