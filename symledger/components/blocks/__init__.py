"""Transformer blocks and stacks of them."""
