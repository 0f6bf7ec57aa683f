"""FLOPs of classes that see one image at a time, and nothing besides."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

IMAGES = 2
PACKED = {
    "grid_thw", "spatial_shapes", "image_sizes", "patch_attention_mask", "input_ids", "pixel_mask",
    "target_sizes", "aspect_ratio_ids",
}  # fmt: skip
"""What is asked for besides by classes that see patches of several images, or texts, and by those
that look for pixels of no image, which have no values here."""


def sees_images(model: Any, sizes: Mapping[str, Any]) -> bool:
    """Whether images, all of one size that is known, are all that a model needs."""
    asked = set(signature(model.forward).parameters)
    known = {"B", "C_in", "H", "W"} <= {*sizes, "B"}
    return "pixel_values" in asked and known and not asked & PACKED


def images(sizes: Mapping[str, Any]) -> dict[str, Any]:
    """Return images of that size without elements; they ask for a gradient."""
    import torch

    shape = (IMAGES, *(int(sizes[name]) for name in ("C_in", "H", "W")))
    return {"pixel_values": torch.zeros(*shape, device="meta", requires_grad=True)}
