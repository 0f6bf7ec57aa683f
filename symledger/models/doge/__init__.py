"""Doge."""
