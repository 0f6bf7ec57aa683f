"""What enters a network that removes noise, as diffusers builds it, on the meta device.

Noisy images and steps have gradients here, as everything that enters has by default. Needs the
extra ``torch``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Sizes = Mapping[str, int]


def entering(model: Any, sizes: Sizes) -> dict[str, Any]:
    """Return what a network is given, by name: images, steps, and what they are told."""
    import torch

    def numbers(*shape: int) -> Any:
        return torch.zeros(*shape, device="meta", requires_grad=True)

    B, C = sizes["B"], model.config["in_channels"]
    images, steps = numbers(B, C, sizes["H"], sizes["W"]), numbers(B)
    if "S" not in sizes:
        labels = torch.zeros(B, dtype=torch.long, device="meta")
        return {"hidden_states": images, "timestep": steps, "class_labels": labels}
    text = numbers(B, sizes["S"], model.config["cross_attention_dim"])
    given = {"sample": images, "timestep": steps, "encoder_hidden_states": text}
    if "d_proj" in sizes:
        told = {"text_embeds": numbers(B, sizes["d_proj"]), "time_ids": numbers(B, 6)}
        given["added_cond_kwargs"] = told
    return given


def one_by_one(model: Any) -> Any:
    """Return a model whose attention is done operation by operation, so that it is counted."""
    from diffusers.models.attention_processor import Attention, AttnProcessor

    for part in model.modules():
        if isinstance(part, Attention):
            part.set_processor(AttnProcessor())
    return model
