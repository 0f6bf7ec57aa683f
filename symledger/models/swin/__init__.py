"""Swin: windows that are shifted, and patches that are merged."""
