"""Idefics2."""
