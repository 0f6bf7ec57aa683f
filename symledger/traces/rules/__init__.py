"""What operations of PyTorch compute, one row each: a file of rules a topic."""
