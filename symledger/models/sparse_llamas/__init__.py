"""Mixtures of experts in LLaMA's blocks, with something of their own."""
