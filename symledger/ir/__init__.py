"""The language of definitions: patterns, operations, tensors, programs. It knows no costs."""
