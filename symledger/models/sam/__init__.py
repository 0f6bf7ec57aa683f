"""Segment Anything: an image, points in it, and masks of what they lie on."""
