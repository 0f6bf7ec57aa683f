"""Models once more, written as users of PyTorch write them."""
