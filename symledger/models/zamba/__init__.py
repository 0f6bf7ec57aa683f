"""Zamba."""
