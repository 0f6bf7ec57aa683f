"""Falcon-H1."""
