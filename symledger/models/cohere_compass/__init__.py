"""Cohere's Compass, which sees."""
