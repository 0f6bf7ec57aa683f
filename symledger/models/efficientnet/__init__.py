"""EfficientNet."""
