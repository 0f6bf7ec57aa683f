"""MobileNetV2 and EfficientNet."""
