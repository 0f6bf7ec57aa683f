"""Canary: Parakeet hears, and a transformer writes."""
