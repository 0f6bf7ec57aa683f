"""Layers that lay elements out otherwise, or take them from the nearest ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import NoneType

from symledger.arguments.specs import Free, Only, Settings, SizeOf, Use, size, written
from symledger.errors import BadInput
from symledger.languages.message import joined, message
from symledger.torch_layers.argument_uses import SizesOf
from symledger.torch_layers.images import LENGTHS, RESULT, windows
from symledger.torch_layers.row import Arguments, Layer, Rule
from symledger.torch_layers.rules import MOST_AXES

Way = Callable[[Arguments], str]
NEAREST = ("nearest", "nearest-exact")
AXES = {**dict.fromkeys(NEAREST, 2), "linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}
"""How elements of another size are found, and along how many axes."""
FINEST = 64
"""A float is what is written where it is so many parts of a whole number, or 32, 16 …"""


def copied(factor: object) -> bool:
    """Whether every pixel becomes several, as many down as across."""
    several = set(factor) if isinstance(factor, tuple) else {factor}
    return len(several) == 1 and all(isinstance(n, int | float) and n % 1 == 0 for n in several)


def entry(way: Way) -> Way:
    """Choose the entry: copies of every pixel, the nearest pixels, or means of neighbours."""

    def chosen(values: Arguments) -> str:
        if way(values) not in NEAREST:
            return f"interpolation{AXES[way(values)]}d"
        return "upsample" if copied(values["scale_factor"]) else "nearest2d"

    return chosen


def resized(way: Way) -> Rule:
    """The lengths that are asked for, by a size or by a factor."""

    def rule(values: Arguments) -> Settings:
        asked, factor, axes = values["size"], values["scale_factor"], AXES[way(values)]
        if (asked is None) == (factor is None):
            raise BadInput("PyTorch takes either size or scale_factor when it is called.")
        if values.get("recompute_scale_factor") and factor is None:
            raise BadInput("PyTorch recomputes no scale_factor where there is none.")
        if way(values) in NEAREST and values.get("align_corners") is not None:
            raise BadInput(f"PyTorch takes no align_corners with mode = {way(values)!r}.")
        found: Settings = {}
        if entry(way)(values) == "interpolation2d":
            found["cubic"] = "true" if way(values) == "bicubic" else "false"
        if asked is not None:
            return found | SizesOf(RESULT[axes]).settings("size", asked)
        each = factor if isinstance(factor, tuple) else (factor,) * axes
        if len(each) != axes:
            raise BadInput(f"scale_factor = {written(factor)} does not fit: one number or {axes}.")
        if entry(way)(values) == "upsample":
            return SizeOf("u").settings("scale_factor", whole(each[0]))
        lengths = zip(RESULT[axes], LENGTHS[axes], each, strict=True)
        return found | {new: times(number, length) for new, length, number in lengths}

    return rule


def whole(factor: object) -> object:
    """A factor that is a whole number, though it may be written as a float."""
    return int(factor) if isinstance(factor, float) else factor


def times(factor: object, length: str) -> str:
    """Write a length so many times as long, rounded down where it need not be whole.

    Raises:
        BadInput: the factor is no number above 0.
    """
    if isinstance(factor, bool) or not isinstance(factor, int | float) or factor <= 0:
        raise BadInput(f"scale_factor = {written(factor)} does not fit: a number above 0 is meant.")
    return f"{int(factor)}*{length}" if factor % 1 == 0 else f"floor({factor!r}*{length})"


def rounded(values: Arguments) -> str:
    """Say how PyTorch rounds, where that is not what rational numbers would give."""
    factor = values["scale_factor"]
    each = factor if isinstance(factor, tuple) else (factor,)
    inexact = [n for n in each if isinstance(n, float) and n.as_integer_ratio()[1] > FINEST]
    if not inexact:
        return ""
    return f"lengths times {inexact[0]!r} are rounded down as in PyTorch, after a product of floats"


def resizing(name: str, example: str, signature: str, uses: Mapping[str, Use], way: Way) -> Layer:
    """Return the row of what makes an image larger or smaller."""
    return Layer(
        name, f"size=None, scale_factor=None{signature}", "upsample", f"{name}({example})",
        {"size": Use(), "scale_factor": Use(), **uses}, rules=(resized(way),), chosen=entry(way),
        reads=rounded,
    )  # fmt: skip


def merged(values: Arguments) -> Settings:
    """The first and the last axis that are merged."""
    first, last = values["start_dim"], values["end_dim"]
    if isinstance(first, int) and isinstance(last, int):
        for name, axis in (("start_dim", first), ("end_dim", last)):
            if not -MOST_AXES <= axis < MOST_AXES:
                raise BadInput(
                    f"{name} = {axis} does not fit: a tensor has at most {MOST_AXES} axes."
                )
        if (first < 0) == (last < 0) and first > last:
            raise BadInput(f"start_dim = {first} does not fit: it comes after end_dim = {last}.")
    return {}


def merges(values: Arguments) -> str:
    """Say what the symbols of an image are, where others than its own axes are merged."""
    if (values["start_dim"], values["end_dim"]) in ((1, -1), (1, 3)):
        return ""
    return message("reads.merged")


def parted(values: Arguments) -> Settings:
    """The lengths that an axis is cut into; -1 is what is left of it."""
    name, lengths = "unflattened_size", values["unflattened_size"]
    if not isinstance(lengths, tuple) or len(lengths) not in (2, 3):
        raise BadInput(f"{name} = {written(lengths)} is not supported: two or three numbers are.")
    if lengths.count(-1) > 1:
        raise BadInput(f"{name} = {written(lengths)} does not fit: one of them may be -1.")
    named = zip("CHW", (*lengths, 1), strict=False)
    return {symbol: str(size(name, n)) for symbol, n in named if n != -1}


def left_over(values: Arguments) -> Settings:
    """The length that is -1: what is left of an axis of n."""
    known = parted(values)
    return {symbol: f"n/({'*'.join(known)})" for symbol in "CHW" if symbol not in known}


def parts(values: Arguments) -> str:
    """Say what the symbols of an image are, of any axis that is cut."""
    whole = "n" if left_over(values) else "C·H·W"
    found = message("reads.cut", whole=whole, number=str(values["dim"]))
    lengths = values["unflattened_size"]
    if isinstance(lengths, tuple) and len(lengths) == 2:
        return joined((found, message("reads.no_width")), "; ")
    return found


SHAPES: tuple[Layer, ...] = (
    Layer("PixelShuffle", "upscale_factor", "pixel_shuffle", "PixelShuffle(2)",
          {"upscale_factor": SizeOf("u")}, entered=lambda values: {"C": "C/u**2"},
          reads=lambda values: message("reads.shuffled", channels="C/u²", size="u·H × u·W")),
    Layer("PixelUnshuffle", "downscale_factor", "pixel_unshuffle", "PixelUnshuffle(2)",
          {"downscale_factor": SizeOf("u")}, entered=lambda values: {"H": "H/u", "W": "W/u"},
          reads=lambda values: message("reads.shuffled", channels="C·u²", size="H/u × W/u")),
    Layer("ChannelShuffle", "groups", "channel_shuffle", "ChannelShuffle(2)",
          {"groups": SizeOf("G")}, entered=lambda values: {"C": "C/G"},
          reads=lambda values: message("reads.grouped")),
    resizing("Upsample", "scale_factor=2",
             ", mode='nearest', align_corners=None, recompute_scale_factor=None",
             {"mode": Only(tuple(AXES)), "align_corners": Free((bool, NoneType)),
              "recompute_scale_factor": Free((bool, NoneType))},
             lambda values: str(values["mode"])),
    resizing("UpsamplingNearest2d", "scale_factor=2", "", {}, lambda values: "nearest"),
    resizing("UpsamplingBilinear2d", "scale_factor=2", "", {}, lambda values: "bilinear"),
    Layer("Flatten", "start_dim=1, end_dim=-1", "flatten", "Flatten()",
          {"start_dim": Free((int,)), "end_dim": Free((int,))},
          rules=(merged,), reads=merges),
    Layer("Unflatten", "dim, unflattened_size", "unflatten", "Unflatten(1, (256, 7, 7))",
          {"dim": Free((int,)), "unflattened_size": Use()}, rules=(parted,), reads=parts,
          entered=left_over),
    Layer("Unfold", "kernel_size, dilation=1, padding=0, stride=1", "unfold", "Unfold(3)",
          windows(2)),
    Layer("Fold", "output_size, kernel_size, dilation=1, padding=0, stride=1", "fold",
          "Fold((32, 32), 3)", {"output_size": SizesOf(LENGTHS[2]), **windows(2)},
          entered=lambda values: {"C": "C/(K_h*K_w)"},
          reads=lambda values: message("reads.folded")),
)  # fmt: skip
