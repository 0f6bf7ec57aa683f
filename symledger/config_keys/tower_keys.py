"""What configurations of two encoders, of images and of texts, say in the same words."""

from __future__ import annotations

from dataclasses import replace

from symledger.config_keys.common import FREE
from symledger.config_keys.family import Family, Rule

BLOCK = {
    "layer_norm1": "norm_1", "layer_norm2": "norm_2",
    "self_attn.q_proj": "attention.Q", "self_attn.k_proj": "attention.K",
    "self_attn.v_proj": "attention.V", "self_attn.out_proj": "attention.O",
    "mlp.fc1": "feed_forward.1", "mlp.fc2": "feed_forward.2",
}  # fmt: skip


def tower(theirs: str, ours: str) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weights of the blocks of an encoder."""
    found: dict[str, tuple[str, ...]] = {}
    for name, part in BLOCK.items():
        letter = "g" if part.startswith("norm") else "W"
        found[f"{theirs}encoder.layers.*.{name}.weight"] = (f"{ours}block.{part}.{letter}",)
        found[f"{theirs}encoder.layers.*.{name}.bias"] = (f"{ours}block.{part}.b",)
    return found


def norm(theirs: str, ours: str) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weights of a norm."""
    return {f"{theirs}.weight": (f"{ours}.g",), f"{theirs}.bias": (f"{ours}.b",)}


def either(*tensors: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return what stands behind weights that are called the same inside of several classes."""
    return {name: tuple(ours for t in tensors for ours in t[name]) for name in tensors[0]}


def seen(image: Family, text: Family, *rules: Rule) -> dict[str, Family]:
    """Return the parts as a class reads them that sees images, and of texts what is refused."""
    unread = replace(text, uses=dict.fromkeys(text.uses, FREE), rules=rules)
    return {"text_config": unread, "vision_config": image}
