"""Llama 3.2 Vision."""
