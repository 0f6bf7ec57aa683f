"""Convolution and pooling: what looks through windows."""
