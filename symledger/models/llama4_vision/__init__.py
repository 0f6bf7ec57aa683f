"""Llama 4 with images, and its encoder."""
