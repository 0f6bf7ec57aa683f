"""The layers of torch.nn in rows, by what they are; ``symledger.torch_layers`` has all of them."""
