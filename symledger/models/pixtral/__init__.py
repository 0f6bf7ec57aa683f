"""Mistral 3 with images, and its encoder, Pixtral."""
