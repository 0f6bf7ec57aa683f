"""Qwen2, and Qwen1.5 and 2.5."""
