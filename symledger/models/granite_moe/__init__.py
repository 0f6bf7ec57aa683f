"""Granite 3 with experts: a mixture of experts in LLaMA's blocks."""
