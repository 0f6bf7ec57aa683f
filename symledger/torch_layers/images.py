"""Layers of sequences, images and volumes: convolutions, poolings, paddings, norms by channel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import NoneType
from typing import Any

from symledger.arguments.specs import Choice, Free, Number, Settings, SizeOf, Use
from symledger.languages.message import message
from symledger.torch_layers.argument_uses import Around, Padding, SizesOf
from symledger.torch_layers.limits import no_less_than_the_kernel, several_values
from symledger.torch_layers.row import EPS, FACTORY, MAYBE_NONE, Arguments, Layer
from symledger.torch_layers.rules import (
    divided,
    half,
    less_than_a_step,
    no_zero,
    same_padding,
    untracked,
)

AXES = {1: ("",), 2: ("_h", "_w"), 3: ("_d", "_h", "_w")}
"""How the symbols of each axis end, by the number of axes."""
RESULT = {1: ("T_o",), 2: ("H_o", "W_o"), 3: ("D_o", "H_o", "W_o")}
LENGTHS = {axes: tuple(name.removesuffix("_o") for name in names) for axes, names in RESULT.items()}
ZEROS = f"padding_mode='zeros', {FACTORY}"
MODES: Mapping[object, str] = {mode: mode for mode in ("zeros", "reflect", "replicate", "circular")}
CHANNELS: Mapping[str, Use] = {
    "in_channels": SizeOf("C_in"), "out_channels": SizeOf("C_out"), "groups": SizeOf("G"),
    "bias": Choice("bias"),
}  # fmt: skip
GROUPED = (divided("in_channels", "groups"), divided("out_channels", "groups"))


def along(letter: str, axes: int) -> tuple[str, ...]:
    """Return the symbols of a letter, one for each axis: ``K_h``, ``K_w``."""
    return tuple(f"{letter}{ending}" for ending in AXES[axes])


def windows(axes: int) -> dict[str, Use]:
    """What the arguments of a window do."""
    return {
        "kernel_size": SizesOf(along("K", axes)), "stride": SizesOf(along("s", axes)),
        "padding": SizesOf(along("p", axes), least=0), "dilation": SizesOf(along("r", axes)),
    }  # fmt: skip


def convolution(axes: int, example: str) -> Layer:
    """Return the row of a convolution."""
    return Layer(
        f"Conv{axes}d", "in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, "
        f"groups=1, bias=True, {ZEROS}", f"conv{axes}d", example,
        {**CHANNELS, **windows(axes), "padding": Padding(along("p", axes)),
         "padding_mode": Choice("padding_mode", MODES)},
        rules=(*GROUPED, same_padding(along("p", axes), along("q", axes))),
    )  # fmt: skip


def transposed(axes: int, example: str) -> Layer:
    """Return the row of a transposed convolution."""
    return Layer(
        f"ConvTranspose{axes}d", "in_channels, out_channels, kernel_size, stride=1, padding=0, "
        f"output_padding=0, groups=1, bias=True, dilation=1, {ZEROS}",
        f"conv_transpose{axes}d", example,
        {**CHANNELS, **windows(axes), "output_padding": SizesOf(along("q", axes), least=0)},
        rules=(*GROUPED, less_than_a_step(axes)),
    )  # fmt: skip


def pool(axes: int, kind: str, signature: str) -> Layer:
    """Return the row of a pooling; that of the mean of a volume alone looks at the volume."""
    uses = {**windows(axes), "stride": SizesOf(along("s", axes), optional=True),
            "ceil_mode": Choice("ceil")}  # fmt: skip
    if kind == "Avg":
        uses = {**uses, "count_include_pad": Free((bool,))}
        del uses["dilation"]
    divided_by = "divisor_override" in signature
    if divided_by:
        uses = {**uses, "divisor_override": Free(MAYBE_NONE)}
    volume = {"D": "K_d", "H": "K_h", "W": "K_w"} if (kind, axes) == ("Avg", 3) else {}
    return Layer(
        f"{kind}Pool{axes}d", f"kernel_size, stride=None, padding=0, {signature}",
        f"{kind.lower()}_pool{axes}d", f"{kind}Pool{axes}d(2)", uses,
        rules=(half(axes), no_zero) if divided_by else (half(axes),),
        limits=no_less_than_the_kernel(volume),
    )  # fmt: skip


def padding(axes: int, kind: str, mode: str, more: str = "") -> Layer:
    """Return the row of a layer that pads."""
    name = f"{kind}Pad{axes}d"
    return Layer(
        name, f"padding{more}", f"padding{axes}d", f"{name}(1{', 0.5' if more else ''})",
        {"padding": Around(along("p", axes), after=along("e", axes))}
        | ({"value": Number()} if more else {}), {"mode": mode},
    )  # fmt: skip


def adaptive(axes: int, kind: str, more: str = "") -> Layer:
    """Return the row of an adaptive pooling."""
    return Layer(
        f"Adaptive{kind}Pool{axes}d", f"output_size{more}",
        f"adaptive_{kind.lower()}_pool{axes}d", f"Adaptive{kind}Pool{axes}d(7)",
        {"output_size": SizesOf(RESULT[axes], kept=LENGTHS[axes] if axes > 1 else ())},
        decides=tiled(axes), reads=overlapping,
    )  # fmt: skip


def tiled(axes: int) -> Callable[[Settings], Settings]:
    """Whether tiles are uneven: where so many do not divide a length that is known."""

    def decides(settings: Settings) -> Settings:
        pairs = [(settings.get(n, ""), settings[o])
                 for n, o in zip(LENGTHS[axes], RESULT[axes], strict=True)]  # fmt: skip
        known = [(int(n), int(o)) for n, o in pairs if n.isdecimal() and o.isdecimal()]
        return {"uneven": "true"} if any(o and n % o for n, o in known) else {}

    return decides


def overlapping(values: Arguments) -> str:
    """Say what is assumed of lengths that are not known."""
    size = values["output_size"]
    some = [n for n in (size if isinstance(size, tuple) else (size,)) if n not in (1, None)]
    return message("reads.overlapping") if some else ""


def of_a_sequence(values: Arguments) -> str:
    """Say how the symbols of an image are those of a sequence."""
    return message("reads.sequence")


def batch_norm(
    example: str, entry: str = "batch_norm", more: str = "",
    sets: Mapping[str, str] | None = None, **alone: Any,
) -> Layer:  # fmt: skip
    """Return the row of a norm over a batch."""
    lengths = "D*H*W" if entry.endswith("3d") else "H*W"
    return Layer(
        example.partition("(")[0], f"{BATCH_NORM}{more}{KEYWORD_BIAS}", entry, example, BATCH,
        sets or {}, (untracked,), limits=several_values(f"B*{lengths}", "channel", TRAINED),
        **alone,
    )  # fmt: skip


def instance_norm(axes: int) -> Layer:
    """Return the row of a norm over each channel of each image."""
    entry, lengths = ("group_norm3d", "D*H*W") if axes == 3 else ("group_norm", "H*W")
    name = f"InstanceNorm{axes}d"
    return Layer(
        name, INSTANCE_NORM + KEYWORD_BIAS, entry, f"{name}(64)", INSTANCE,
        {"W": "1"} if axes == 1 else {}, limits=several_values(lengths, "channel of an image"),
        reads=lambda values: message("reads.length") if axes == 1 else "",
    )  # fmt: skip


def raised(values: Arguments) -> Settings:
    """Which power is taken: the first and the second have slopes that cost less than others."""
    powers = {1: "first", 2: "second"}
    return {"power": powers.get(values["beta"], "three_quarters")}  # type: ignore[call-overload]  # a number


TRAINED = {"training": True}


BATCH_NORM = "num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, "
INSTANCE_NORM = BATCH_NORM.replace("True", "False")
KEYWORD_BIAS = f"{FACTORY}, *, bias=True"
AFFINE: Mapping[str, Use] = {**EPS, "affine": Choice("affine"), "bias": Choice("bias")}
RUNNING: Mapping[str, Use] = {
    "momentum": Free((float, NoneType)), "track_running_stats": Free((bool,)),
}  # fmt: skip
INSTANCE: Mapping[str, Use] = {"num_features": SizeOf("C", also=("G",)), **AFFINE, **RUNNING}
BATCH: Mapping[str, Use] = {**INSTANCE, "num_features": SizeOf("C"), "eps": Number(above=0)}
MAX, AVG = "dilation=1, return_indices=False, ceil_mode=False", "ceil_mode=False, "
INCLUDE = "count_include_pad=True"

IMAGES: tuple[Layer, ...] = (
    convolution(1, "Conv1d(80, 512, 3, padding=1)"),
    convolution(2, "Conv2d(3, 64, 3, bias=False)"),
    convolution(3, "Conv3d(3, 64, 3, padding=1)"),
    transposed(1, "ConvTranspose1d(64, 32, 4, stride=2, padding=1)"),
    transposed(2, "ConvTranspose2d(64, 32, 2, stride=2)"),
    transposed(3, "ConvTranspose3d(64, 32, 2, stride=2)"),
    *(pool(n, "Max", MAX) for n in (1, 2, 3)),
    pool(1, "Avg", f"{AVG}{INCLUDE}"),
    *(pool(n, "Avg", f"{AVG}{INCLUDE}, divisor_override=None") for n in (2, 3)),
    *(adaptive(n, "Avg") for n in (1, 2, 3)),
    *(adaptive(n, "Max", ", return_indices=False") for n in (1, 2, 3)),
    batch_norm("BatchNorm1d(256)", sets={"W": "1"}, usual={"H": 1}, reads=of_a_sequence),
    batch_norm("BatchNorm2d(64)"),
    batch_norm("BatchNorm3d(64)", "batch_norm3d"),
    batch_norm("SyncBatchNorm(64)", more="process_group=None, "),
    *(instance_norm(n) for n in (1, 2, 3)),
    Layer("GroupNorm", f"num_groups, num_channels, eps=1e-05, affine=True, {KEYWORD_BIAS}",
          "group_norm", "GroupNorm(32, 256)",
          {"num_groups": SizeOf("G"), "num_channels": SizeOf("C"), **AFFINE},
          rules=(divided("num_channels", "num_groups"),),
          limits=several_values("B*C/G*H*W", "group")),
    Layer("LocalResponseNorm", "size, alpha=0.0001, beta=0.75, k=1.0", "local_response_norm",
          "LocalResponseNorm(5)", {"size": SizeOf("K"), "alpha": Number(), "k": Number(),
                                   "beta": Number(without=(0,))}, rules=(raised,)),
    *(padding(n, "Zero", "zeros") for n in (1, 2, 3)),
    *(padding(n, "Constant", "zeros", ", value") for n in (1, 2, 3)),
    *(padding(n, "Reflection", "reflect") for n in (1, 2, 3)),
    *(padding(n, "Replication", "replicate") for n in (1, 2, 3)),
    *(padding(n, "Circular", "circular") for n in (1, 2, 3)),
)  # fmt: skip
