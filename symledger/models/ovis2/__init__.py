"""Ovis2."""
