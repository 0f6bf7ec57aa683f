"""MobileNetV1: every convolution in two, one of places and one of channels."""
