"""What slides along one axis, two or three: layers of torch.nn, and their settings."""

from __future__ import annotations

from typing import Any

from torch import nn

from symledger.checks.torch.parts import Sizes

AXES = {1: ("",), 2: ("_h", "_w"), 3: ("_d", "_h", "_w")}
"""How the settings of windows end, by the number of axes that they slide along."""
LENGTHS = {1: ("T",), 2: ("H", "W"), 3: ("D", "H", "W")}


def layer_of(name: str, axes: int) -> Any:
    """Return a layer of torch.nn by its name without axes: Conv, MaxPool."""
    return getattr(nn, f"{name}{axes}d")


def settings_of(s: Sizes, axes: int, letters: str) -> tuple[tuple[int, ...], ...]:
    """Settings of windows (K kernel, s stride, p padding, r dilation), each along all axes."""
    return tuple(tuple(s[f"{letter}{axis}"] for axis in AXES[axes]) for letter in letters)


def elements(axes: int, *more: str) -> str:
    """Write how many elements there are, with what comes beside the lengths."""
    return "*".join((*more, *LENGTHS[axes]))
