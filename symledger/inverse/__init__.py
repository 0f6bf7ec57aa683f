"""Inverse questions: which sizes stay within a budget, and what binds there."""
