"""Kosmos-2, and its decoder."""
