"""Affine and bilinear maps."""
