"""Heads, softmax, losses, dropout."""
