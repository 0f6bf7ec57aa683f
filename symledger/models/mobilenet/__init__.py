"""MobileNetV2."""
