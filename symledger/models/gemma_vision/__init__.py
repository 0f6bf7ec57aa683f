"""Gemma 3 with images, and PaliGemma."""
