"""Qwen4-Exp."""
