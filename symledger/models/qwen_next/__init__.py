"""Qwen3-Next and Qwen3.5: a gated delta rule in most layers."""
