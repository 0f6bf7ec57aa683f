"""What moves elements and looks between them once more, in PyTorch."""

from __future__ import annotations

from collections.abc import Mapping

from torch import nn

from symledger.checks.torch.case import Case
from symledger.checks.torch.parts import Sizes
from symledger.checks.torch.windows import AXES, LENGTHS, settings_of


def _interpolation(axes: int) -> tuple[Case, ...]:
    mode = {1: "linear", 2: "bilinear", 3: "trilinear"}[axes]
    return (Case(f"nn.Upsample, {mode}", lambda s, o: nn.Upsample(
        tuple(s[f"{length}_o"] for length in LENGTHS[axes]),
        mode="bicubic" if o.get("cubic") else mode)),)  # fmt: skip


def _slides(s: Sizes) -> Mapping[str, tuple[int, ...]]:
    kernel, stride, padding, dilation = settings_of(s, 2, "Kspr")
    return {"kernel_size": kernel, "dilation": dilation, "padding": padding, "stride": stride}


CASES: Mapping[str, tuple[Case, ...]] = {
    "identity": (Case("nn.Identity", lambda s, o: nn.Identity()),),
    "flatten": (Case("nn.Flatten", lambda s, o: nn.Flatten()),),
    "unflatten": (Case("nn.Unflatten", lambda s, o: nn.Unflatten(1, (s["C"], s["H"], s["W"]))),),
    "pixel_shuffle": (Case("nn.PixelShuffle", lambda s, o: nn.PixelShuffle(s["u"])),),
    "pixel_unshuffle": (Case("nn.PixelUnshuffle", lambda s, o: nn.PixelUnshuffle(s["u"])),),
    "channel_shuffle": (Case("nn.ChannelShuffle", lambda s, o: nn.ChannelShuffle(s["G"])),),
    "upsample": (Case("nn.Upsample", lambda s, o: nn.Upsample(scale_factor=s["u"])),),
    "nearest2d": (Case("nn.Upsample, nearest", lambda s, o: nn.Upsample((s["H_o"], s["W_o"]))),),
    **{f"interpolation{n}d": _interpolation(n) for n in AXES},
    "unfold": (Case("nn.Unfold", lambda s, o: nn.Unfold(**_slides(s))),),
    "fold": (Case("nn.Fold", lambda s, o: nn.Fold((s["H"], s["W"]), **_slides(s))),),
}  # fmt: skip
