"""The language of definitions: patterns, operations, tensors, components. It knows no costs."""
