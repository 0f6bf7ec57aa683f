"""Kimi Linear and Ling 3."""
