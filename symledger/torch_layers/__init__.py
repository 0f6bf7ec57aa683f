"""The layers of torch.nn: rows by what they are, a table of all, and calls as people write them."""
