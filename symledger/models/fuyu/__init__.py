"""Fuyu."""
