"""Equal steps as one that is repeated: rounds of loops, and layers of a module."""
