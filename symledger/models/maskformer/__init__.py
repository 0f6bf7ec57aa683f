"""MaskFormer."""
