"""Convolutions, poolings and padding once more: of sequences, images and volumes, in PyTorch."""

from __future__ import annotations

from collections.abc import Mapping

from torch import nn

from symledger.checks.torch.artefacts import Uses
from symledger.checks.torch.case import Case, Names
from symledger.checks.torch.parts import Options, Sizes
from symledger.checks.torch.windows import AXES, LENGTHS, elements, layer_of, settings_of

UNREAD = ("reflect", "replicate")
"""The ways of padding of which PyTorch keeps the input, and reads but its size."""
PADDINGS = {"zeros": "Zero", "reflect": "Reflection", "replicate": "Replication",
            "circular": "Circular"}  # fmt: skip
TILES = {"T": "2*T_o", "D": "2*D_o", "H": "2*H_o", "W": "3*W_o"}
"""Lengths that tiles divide: PyTorch lets others overlap."""


def _convolution(axes: int, transposed: bool = False) -> tuple[Case, ...]:
    name = "ConvTranspose" if transposed else "Conv"
    kind = layer_of(name, axes)

    def build(s: Sizes, o: Options) -> nn.Module:
        channels = s["C_in"], s["C_out"]
        kernel, stride, padding, dilation = settings_of(s, axes, "Kspr")
        if transposed:
            (more,) = settings_of(s, axes, "q")
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
        unread = {"unread input": elements(axes, "B", "C_in")}
        return {"groups": ungrouped, **(unread if o.get("padding_mode") in UNREAD else {})}

    return (Case(f"nn.{kind.__name__}", build, names, uses),)


def _longer(s: Sizes, axes: int, mode: str) -> nn.Module:
    """What pads before an uneven convolution, as padding='same' does: all but zeros at both ends.

    With zeros it pads at the end alone, and the convolution both ends alike.
    """
    padding, more = settings_of(s, axes, "pq")
    if mode == "zeros":
        padding = (0,) * axes
    pairs = zip(padding, padding, more, strict=True)
    around = (n for before, after, q in reversed([*pairs]) for n in (before, after + q))
    return layer_of(f"{PADDINGS[mode]}Pad", axes)(tuple(around))


def _padding(axes: int) -> tuple[Case, ...]:
    def build(s: Sizes, o: Options) -> nn.Module:
        before, after = settings_of(s, axes, "pe")
        pairs = tuple(n for pair in zip(before[::-1], after[::-1], strict=True) for n in pair)
        return layer_of(f"{PADDINGS[o['mode']]}Pad", axes)(pairs)

    return (Case(f"nn.…Pad{axes}d", build, uses=lambda o: (
        {"unread input": elements(axes, "B", "C")} if o["mode"] in UNREAD else {})),)  # fmt: skip


def _pooling(name: str, axes: int) -> tuple[Case, ...]:
    kind, letters = layer_of(name, axes), "Kspr" if name == "MaxPool" else "Ksp"
    undilated = {} if name == "MaxPool" else {f"r{axis}": "1" for axis in AXES[axes]}
    return (Case(f"nn.{kind.__name__}",
                 lambda s, o: kind(*settings_of(s, axes, letters), ceil_mode=o["ceil"]),
                 uses=lambda o: {"unread input": elements(axes, "B", "C")},
                 equal=undilated),)  # fmt: skip


def _adaptive(name: str, axes: int) -> tuple[Case, ...]:
    kind, lengths = layer_of(name, axes), LENGTHS[axes]
    return (Case(f"nn.{kind.__name__}",
                 lambda s, o: kind(tuple(s[f"{length}_o"] for length in lengths)),
                 uses=lambda o: {"unread input": elements(axes, "B", "C")},
                 equal={length: TILES[length] for length in lengths}),)  # fmt: skip


CASES: Mapping[str, tuple[Case, ...]] = {
    **{f"conv{n}d": _convolution(n) for n in AXES},
    **{f"conv_transpose{n}d": _convolution(n, transposed=True) for n in AXES},
    **{f"max_pool{n}d": _pooling("MaxPool", n) for n in AXES},
    **{f"avg_pool{n}d": _pooling("AvgPool", n) for n in AXES},
    **{f"adaptive_max_pool{n}d": _adaptive("AdaptiveMaxPool", n) for n in AXES},
    **{f"adaptive_avg_pool{n}d": _adaptive("AdaptiveAvgPool", n) for n in AXES},
    **{f"padding{n}d": _padding(n) for n in AXES},
}  # fmt: skip
