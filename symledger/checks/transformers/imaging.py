"""FLOPs of classes that see one image, film or spectrum at a time, and nothing besides."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

IMAGES = 2
PACKED = {
    "grid_thw", "spatial_shapes", "image_sizes", "patch_attention_mask", "input_ids", "pixel_mask",
    "target_sizes", "aspect_ratio_ids", "input_points",
}  # fmt: skip
"""What is asked for besides by classes that see patches of several images, or texts, and by those
that look for pixels of no image, which have no values here."""


WIDTHS = {"pixel_values": ("C_in", "H", "W"), "input_values": ("T_f", "C")}
"""The axes of what enters, after that of the batch; films have frames before those of images."""


def seen(model: Any, sizes: Mapping[str, Any]) -> dict[str, Any]:
    """Return images, films or spectra without elements, of the size that is known.

    They ask for a gradient. Of a model that needs more than these it is nothing.
    """
    import torch

    asked = signature(model.forward).parameters
    needed = {name for name, one in asked.items() if one.default is one.empty}
    name = next((name for name in WIDTHS if name in asked), "")
    axes = WIDTHS.get(name, ("",))
    axes = ("D", *axes) if name == "pixel_values" and "D" in sizes else axes
    if not {*axes} <= {*sizes} or {*asked} & PACKED or needed - {name, "kwargs"}:
        return {}
    shape = (IMAGES, *(int(sizes[axis]) for axis in axes))
    return {name: torch.zeros(*shape, device="meta", requires_grad=True)}
