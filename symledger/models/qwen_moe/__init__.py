"""The mixtures of experts of Qwen."""
