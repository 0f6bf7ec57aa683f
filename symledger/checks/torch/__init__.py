"""PyTorch as witness: implementations that know nothing of ours, asked the same questions."""
