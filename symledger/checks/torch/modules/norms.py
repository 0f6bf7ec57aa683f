"""Norms once more, in PyTorch: along a vector, by channel and across channels."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from symledger.checks.torch.case import Case
from symledger.checks.torch.parts import EPSILON, Options, Sizes
from symledger.checks.torch.uses import counted
from symledger.checks.torch.windows import elements, layer_of


def norm(s: Sizes, o: Options) -> nn.Module:
    """Return a norm of the kind that is chosen."""
    if o["norm"] in ("layer", "layer_plain"):
        weighted = o["norm"] == "layer"
        return nn.LayerNorm(s["d"], EPSILON, weighted, o.get("norm_bias", True))
    return (ComposedRMSNorm if o["norm"] == "rms_composed" else nn.RMSNorm)(s["d"], eps=EPSILON)


def inner_norm(width: int, o: Options) -> nn.Module:
    """Return what normalizes before a map back, where that is chosen."""
    return nn.RMSNorm(width, eps=EPSILON) if o.get("inner_norm") else nn.Identity()


class ComposedRMSNorm(nn.RMSNorm):
    """The RMS norm operation by operation, as handwritten implementations have it."""

    def forward(self, x: Tensor) -> Tensor:
        """Divide by the root mean square, then scale."""
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps))


class WeightNormed(nn.Module):
    """The fused norm of a kernel, with a length of each offset."""

    def __init__(self, s: Sizes) -> None:
        super().__init__()
        self.g = nn.Parameter(torch.rand(s["K"]) + 1)

    def forward(self, x: Tensor) -> Tensor:
        """Divide by the length at each offset, then scale."""
        return torch._weight_norm(x, self.g[None, None], 2)


def _batch_norm(axes: int) -> tuple[Case, ...]:
    kind = layer_of("BatchNorm", axes)
    unread = {"unread input": elements(axes, "B", "C")}
    return (Case(f"nn.{kind.__name__}",
                 lambda s, o: kind(s["C"], EPSILON, affine=o["affine"], bias=o["bias"])
                 .train(o["training"]),
                 uses=lambda o: {} if o["affine"] or o["training"] else unread),)  # fmt: skip


def _group_norm(axes: int) -> tuple[Case, ...]:
    """Groups of channels; and each channel by itself, with running statistics or without."""
    kind = layer_of("InstanceNorm", axes)

    def instance(running: bool) -> Case:
        return Case(
            f"nn.{kind.__name__}{' with running statistics' * running}",
            lambda s, o: kind(s["C"], EPSILON, affine=o["affine"], bias=o["bias"],
                              track_running_stats=running),
            uses=lambda o: {"repeated weights": f"{o['affine'] + 2 * running}*B*C"},
            equal={"G": "C"})  # fmt: skip

    return Case("nn.GroupNorm", lambda s, o: nn.GroupNorm(
        s["G"], s["C"], EPSILON, o["affine"], bias=o["bias"])), instance(False), instance(True)


POWERS = {"three_quarters": 0.75, "first": 1.0, "second": 2.0}

CASES: Mapping[str, tuple[Case, ...]] = {
    "layer_norm": (Case("nn.LayerNorm", lambda s, o: nn.LayerNorm(
        s["d"], eps=EPSILON, elementwise_affine=o["affine"], bias=o["bias"])),),
    "rms_norm": (Case("nn.RMSNorm", lambda s, o: nn.RMSNorm(
        s["d"], eps=EPSILON, elementwise_affine=o["affine"]),
        uses=lambda o: counted(
            fused_norm="B*T*d" * (o["affine"] and o["input_gradient"]),
            normalized_alone="B*T" * (o["affine"] and not o["input_gradient"]))),),
    "composed_rms_norm": (Case("x · rsqrt(mean(x²) + ε) · g",
                               lambda s, o: ComposedRMSNorm(s["d"], eps=EPSILON)),),
    "weight_norm": (Case("torch._weight_norm", lambda s, o: WeightNormed(s)),),
    "batch_norm": _batch_norm(2), "batch_norm3d": _batch_norm(3),
    "group_norm": _group_norm(2), "group_norm3d": _group_norm(3),
    "local_response_norm": (Case(
        "nn.LocalResponseNorm",
        lambda s, o: nn.LocalResponseNorm(s["K"], beta=POWERS[o["power"]]),
        uses=lambda o: {
            "unread input": f"B*({2 if o['power'] == 'first' else 1}*C + K - 1)*H*W",
        }),),
}  # fmt: skip
