"""ZAYA."""
