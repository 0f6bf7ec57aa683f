"""Attention: dot products, flash, windows, relative positions, latent vectors."""
