"""Components once more, a file a topic, written as users of PyTorch write them."""
