"""Traces: what a PyTorch module computes, as data; read without PyTorch."""
