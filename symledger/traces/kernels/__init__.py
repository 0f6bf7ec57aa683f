"""Fused operations that are given their weights: each states its own backward program."""
