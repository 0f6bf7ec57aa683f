"""Deformable DETR."""
