"""Phi-4-multimodal: Phi-3 with images, seen tile by tile, and sounds."""
