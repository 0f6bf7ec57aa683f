"""LLaVA."""
