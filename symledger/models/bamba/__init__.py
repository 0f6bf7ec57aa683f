"""Bamba."""
