"""Networks of sequences, images and volumes once more, as PyTorch's users write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from symledger.checks.torch.artefacts import Uses
from symledger.checks.torch.case import Case, Names
from symledger.checks.torch.parts import EPSILON, Options, Sizes

AXES = {1: ("",), 2: ("_h", "_w"), 3: ("_d", "_h", "_w")}
"""How the settings of windows end, by the number of axes that they slide along."""
LENGTHS = {1: ("T",), 2: ("H", "W"), 3: ("D", "H", "W")}
TILES = {"T": "2*T_o", "D": "2*D_o", "H": "2*H_o", "W": "3*W_o"}
"""Lengths that tiles divide: PyTorch lets others overlap."""


def _layer(name: str, axes: int) -> Any:
    return getattr(nn, f"{name}{axes}d")


def _settings(s: Sizes, axes: int, letters: str) -> tuple[tuple[int, ...], ...]:
    """Settings of windows (K kernel, s stride, p padding, r dilation), each along all axes."""
    return tuple(tuple(s[f"{letter}{axis}"] for axis in AXES[axes]) for letter in letters)


def _product(axes: int, *more: str) -> str:
    return "*".join((*more, *LENGTHS[axes]))


def _convolution(axes: int, transposed: bool = False) -> tuple[Case, ...]:
    name = "ConvTranspose" if transposed else "Conv"
    kind = _layer(name, axes)

    def build(s: Sizes, o: Options) -> nn.Module:
        channels = s["C_in"], s["C_out"]
        kernel, stride, padding, dilation = _settings(s, axes, "Kspr")
        if transposed:
            (more,) = _settings(s, axes, "q")
            return kind(*channels, kernel, stride, padding, more, s["G"], o["bias"], dilation)
        mode, uneven = o["padding_mode"], o["uneven"]
        within = {"padding": padding, "padding_mode": mode} if mode == "zeros" or not uneven else {}
        layer = kind(*channels, kernel, stride, dilation=dilation, groups=s["G"], bias=o["bias"],
                     **within)  # fmt: skip
        return nn.Sequential(_longer(s, axes, mode), layer) if uneven else layer

    def names(s: Sizes, o: Options) -> Names:
        return {"1.weight": ("F",), "1.bias": ("b",)} if o.get("uneven") else {}

    kernels = (f"K{axis}" for axis in AXES[axes])
    places = (length if transposed else f"{length}_o" for length in LENGTHS[axes])
    ungrouped = "*".join(("2*(G - 1)*B*C_in*C_out/G", *kernels, *places))

    def uses(o: Options) -> Uses:
        unread = {"unread input": _product(axes, "B", "C_in")}
        return {"groups": ungrouped, **(unread if o.get("padding_mode") in UNREAD else {})}

    return (Case(f"nn.{kind.__name__}", build, names, uses),)


def _longer(s: Sizes, axes: int, mode: str) -> nn.Module:
    """What pads before an uneven convolution, as padding='same' does: all but zeros at both ends.

    With zeros it pads at the end alone, and the convolution both ends alike.
    """
    padding, more = _settings(s, axes, "pq")
    if mode == "zeros":
        padding = (0,) * axes
    pairs = zip(padding, padding, more, strict=True)
    around = (n for before, after, q in reversed([*pairs]) for n in (before, after + q))
    return _layer(f"{PADDINGS[mode]}Pad", axes)(tuple(around))


UNREAD = ("reflect", "replicate")
"""The ways of padding of which PyTorch keeps the input, and reads but its size."""
PADDINGS = {"zeros": "Zero", "reflect": "Reflection", "replicate": "Replication",
            "circular": "Circular"}  # fmt: skip


def _padding(axes: int) -> tuple[Case, ...]:
    def build(s: Sizes, o: Options) -> nn.Module:
        before, after = _settings(s, axes, "pe")
        pairs = tuple(n for pair in zip(before[::-1], after[::-1], strict=True) for n in pair)
        return _layer(f"{PADDINGS[o['mode']]}Pad", axes)(pairs)

    return (Case(f"nn.…Pad{axes}d", build, uses=lambda o: (
        {"unread input": _product(axes, "B", "C")} if o["mode"] in UNREAD else {})),)  # fmt: skip


def _interpolation(axes: int) -> tuple[Case, ...]:
    mode = {1: "linear", 2: "bilinear", 3: "trilinear"}[axes]
    return (Case(f"nn.Upsample, {mode}", lambda s, o: nn.Upsample(
        tuple(s[f"{length}_o"] for length in LENGTHS[axes]),
        mode="bicubic" if o.get("cubic") else mode)),)  # fmt: skip


def _slides(s: Sizes) -> Mapping[str, tuple[int, ...]]:
    kernel, stride, padding, dilation = _settings(s, 2, "Kspr")
    return {"kernel_size": kernel, "dilation": dilation, "padding": padding, "stride": stride}


def _pooling(name: str, axes: int) -> tuple[Case, ...]:
    kind, letters = _layer(name, axes), "Kspr" if name == "MaxPool" else "Ksp"
    undilated = {} if name == "MaxPool" else {f"r{axis}": "1" for axis in AXES[axes]}
    return (Case(f"nn.{kind.__name__}",
                 lambda s, o: kind(*_settings(s, axes, letters), ceil_mode=o["ceil"]),
                 uses=lambda o: {"unread input": _product(axes, "B", "C")},
                 equal=undilated),)  # fmt: skip


def _adaptive(name: str, axes: int) -> tuple[Case, ...]:
    kind, lengths = _layer(name, axes), LENGTHS[axes]
    return (Case(f"nn.{kind.__name__}",
                 lambda s, o: kind(tuple(s[f"{length}_o"] for length in lengths)),
                 uses=lambda o: {"unread input": _product(axes, "B", "C")},
                 equal={length: TILES[length] for length in lengths}),)  # fmt: skip


def _batch_norm(axes: int) -> tuple[Case, ...]:
    kind = _layer("BatchNorm", axes)
    unread = {"unread input": _product(axes, "B", "C")}
    return (Case(f"nn.{kind.__name__}",
                 lambda s, o: kind(s["C"], EPSILON, affine=o["affine"], bias=o["bias"])
                 .train(o["training"]),
                 uses=lambda o: {} if o["affine"] or o["training"] else unread),)  # fmt: skip


def _group_norm(axes: int) -> tuple[Case, ...]:
    """Groups of channels; and each channel by itself, with running statistics or without."""
    kind = _layer("InstanceNorm", axes)

    def instance(running: bool) -> Case:
        return Case(
            f"nn.{kind.__name__}{' with running statistics' * running}",
            lambda s, o: kind(s["C"], EPSILON, affine=o["affine"], bias=o["bias"],
                              track_running_stats=running),
            uses=lambda o: {"repeated weights": f"{o['affine'] + 2 * running}*B*C"},
            equal={"G": "C"})  # fmt: skip

    return Case("nn.GroupNorm", lambda s, o: nn.GroupNorm(
        s["G"], s["C"], EPSILON, o["affine"], bias=o["bias"])), instance(False), instance(True)


VGG_PLANS = {
    "11": "1 M 2 M 4 4 M 8 8 M 8 8 M",
    "13": "1 1 M 2 2 M 4 4 M 8 8 M 8 8 M",
    "16": "1 1 M 2 2 M 4 4 4 M 8 8 8 M 8 8 8 M",
    "19": "1 1 M 2 2 M 4 4 4 4 M 8 8 8 8 M 8 8 8 8 M",
}
"""Widths of convolutions, times that of the first one, and maxima, as implementations list them."""


class VGG(nn.Module):
    """Five stages of 3 × 3 convolutions, each of which halves the image, and three affine maps."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        entering = s["C_in"]
        for i, plan in enumerate(VGG_PLANS[o["depth"]].removesuffix("M").split("M"), 1):
            stage = nn.Sequential()
            for j, times in enumerate(map(int, plan.split()), 1):
                width = times * s["C"]
                stage.add_module(f"conv_{j}", nn.Conv2d(entering, width, 3, padding=1))
                if o["normed"]:
                    stage.add_module(f"norm_{j}", nn.BatchNorm2d(width, EPSILON))
                stage.add_module(f"relu_{j}", nn.ReLU())
                entering = width
            stage.add_module("pool", nn.MaxPool2d(2))
            self.add_module(f"stage_{i}", stage)
        features = entering * s["H"] * s["W"] // 1024
        self.hidden_1 = nn.Linear(features, s["d_ff"])
        self.hidden_2 = nn.Linear(s["d_ff"], s["d_ff"])
        self.head = nn.Linear(s["d_ff"], s["Y"])

    def forward(self, x: Tensor) -> Tensor:
        """Classify."""
        for i in range(1, 6):
            x = self.get_submodule(f"stage_{i}")(x)
        x = torch.relu(self.hidden_1(x.flatten(1)))
        return self.head(torch.relu(self.hidden_2(x)))


CASES: Mapping[str, tuple[Case, ...]] = {
    **{f"conv{n}d": _convolution(n) for n in AXES},
    **{f"conv_transpose{n}d": _convolution(n, transposed=True) for n in AXES},
    **{f"max_pool{n}d": _pooling("MaxPool", n) for n in AXES},
    **{f"avg_pool{n}d": _pooling("AvgPool", n) for n in AXES},
    **{f"adaptive_max_pool{n}d": _adaptive("AdaptiveMaxPool", n) for n in AXES},
    **{f"adaptive_avg_pool{n}d": _adaptive("AdaptiveAvgPool", n) for n in AXES},
    "batch_norm": _batch_norm(2), "batch_norm3d": _batch_norm(3),
    "group_norm": _group_norm(2), "group_norm3d": _group_norm(3),
    "local_response_norm": (Case(
        "nn.LocalResponseNorm", lambda s, o: nn.LocalResponseNorm(s["K"]),
        uses=lambda o: {"unread input": "B*(C + K - 1)*H*W"}),),
    "flatten": (Case("nn.Flatten", lambda s, o: nn.Flatten()),),
    "pixel_shuffle": (Case("nn.PixelShuffle", lambda s, o: nn.PixelShuffle(s["u"])),),
    "pixel_unshuffle": (Case("nn.PixelUnshuffle", lambda s, o: nn.PixelUnshuffle(s["u"])),),
    "channel_shuffle": (Case("nn.ChannelShuffle", lambda s, o: nn.ChannelShuffle(s["G"])),),
    "upsample": (Case("nn.Upsample", lambda s, o: nn.Upsample(scale_factor=s["u"])),),
    "unflatten": (Case("nn.Unflatten", lambda s, o: nn.Unflatten(1, (s["C"], s["H"], s["W"]))),),
    "nearest2d": (Case("nn.Upsample, nearest", lambda s, o: nn.Upsample((s["H_o"], s["W_o"]))),),
    **{f"interpolation{n}d": _interpolation(n) for n in AXES},
    "unfold": (Case("nn.Unfold", lambda s, o: nn.Unfold(**_slides(s))),),
    "fold": (Case("nn.Fold", lambda s, o: nn.Fold((s["H"], s["W"]), **_slides(s))),),
    **{f"padding{n}d": _padding(n) for n in AXES},
    "vgg": (Case("the model written with torch.nn", VGG,
                 equal={"C": "s_h", "H": "32*s_h", "W": "32*s_w"}),),
}  # fmt: skip
"""What works on sequences of channels, images and volumes."""
