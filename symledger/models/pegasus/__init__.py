"""Pegasus and Marian."""
