"""AIMv2: a vision transformer of the layers of a decoder."""
