"""Conformers: encoders of sounds that attend and convolve in every block."""
