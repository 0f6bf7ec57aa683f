"""I-JEPA: a vision transformer without a class vector."""
