"""Swin V2: Swin whose scores are cosines, and whose biases come from a small network."""
