"""Aria."""
