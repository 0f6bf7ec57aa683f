"""Phi-3.5-MoE: a mixture of experts in LLaMA's blocks, with layer norms."""
