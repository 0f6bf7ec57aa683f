"""Normalization of the last axis, and by channel."""
