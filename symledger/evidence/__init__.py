"""Recorded evidence, and whether it is about this very formula."""
