"""Jamba."""
