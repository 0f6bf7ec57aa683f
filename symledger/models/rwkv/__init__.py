"""RWKV."""
