"""Depth Anything: DINOv2, and convolutions that say how far away each pixel is."""
