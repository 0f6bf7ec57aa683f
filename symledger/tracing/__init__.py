"""Tracing: a PyTorch module, run on tensors without elements, becomes a graph with formulas."""
