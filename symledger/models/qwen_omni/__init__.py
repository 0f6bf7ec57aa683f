"""Qwen2.5-Omni and Qwen3-Omni: the thinkers, which see and hear."""
