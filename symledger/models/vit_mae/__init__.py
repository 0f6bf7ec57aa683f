"""Masked autoencoders: a vision transformer that sees few patches, and one that draws the rest."""
