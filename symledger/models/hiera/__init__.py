"""Hiera: vectors of patches in units of an image, four of which are made one between stages."""
