"""What rearranges or resizes images: shuffles, edges, enlargements, columns of windows."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from sympy import Expr, Integer, Piecewise, Rational, Symbol, floor

from symledger.components.convolution.edges import Mode, padded
from symledger.ir.shapes import ONE, same
from symledger.ir.tensor import Tensor
from symledger.notation.verbs import copied, expand, table, take, view
from symledger.notation.windows import overlap, windows
from symledger.traces.rules.convolutions import along
from symledger.traces.rules.table import At, Made, number, quotient_of, rule
from symledger.traces.rules.views import reshaped


@rule("aten.pixel_shuffle")
def pixel_shuffle(at: At, self: Tensor, upscale_factor: Any) -> Made:
    """Turn channels into pixels."""
    r = number(upscale_factor)
    return copied(view("... (c r s) h w -> ... c (h r) (w s)", self, r=r, s=r))


@rule("aten.pixel_unshuffle")
def pixel_unshuffle(at: At, self: Tensor, downscale_factor: Any) -> Made:
    """Turn pixels into channels."""
    r = number(downscale_factor)
    return copied(view("... c (h r) (w s) -> ... (c r s) h w", self, r=r, s=r))


@rule("aten.channel_shuffle", "aten.native_channel_shuffle")
def channel_shuffle(at: At, self: Tensor, groups: Any) -> Made:
    """Take channels from each group in turn."""
    g, rest = number(groups), " ".join(f"a{i}" for i in range(self.rank - 2))
    return copied(view(f"b (g c) {rest} -> b (c g) {rest}", self, g=g))


@rule(*(f"aten.{kind}_pad{n}d" for kind in ("reflection", "replication") for n in (1, 2, 3)))
def padding(at: At, self: Tensor, padding: Any) -> Made:
    """Lay elements that are there already around a tensor, axis by axis."""
    mode = "reflect" if "reflection" in at.operation else "replicate"
    x = self
    for k in range(len(padding) // 2):
        before, after = number(padding[2 * k]), number(padding[2 * k + 1])
        if before != 0 or after != 0:
            x = padded(x, self.rank - 1 - k, before, after, cast("Mode", mode))
    return x


@rule(*(f"aten.{name}{n}d" for name in ("upsample_nearest", "_upsample_nearest_exact")
        for n in (1, 2, 3)))  # fmt: skip
def upsample_nearest(at: At, self: Tensor, output_size: Any, **scales: Any) -> Made:
    """Repeat every element so many times along each axis."""
    x = self
    for place in range(2, self.rank):
        x = repeated(x, place, factor(at, x.shape[place], at.shape[place]))
    return copied(x) if x is self else x


def repeated(x: Tensor, place: int, times: Expr) -> Tensor:
    """Repeat every element of an axis."""
    if times == ONE:
        return x
    names = [f"a{i}" for i in range(x.rank)]
    before = " ".join(names)
    apart = " ".join([*names[: place + 1], "()", *names[place + 1 :]])
    merged = " ".join([*names[:place], f"({names[place]} r)", *names[place + 1 :]])
    opened = " ".join([*names[: place + 1], "r", *names[place + 1 :]])
    y = view(f"{before} -> {apart}", x)
    y = expand(y, (*x.shape[: place + 1], times, *x.shape[place + 1 :]))
    return view(f"{opened} -> {merged}", copied(y))


def factor(at: At, before: Expr, after: Expr) -> Expr:
    """Return by how much an axis grows.

    Raises:
        BadInput: by no whole number.
    """
    if not at.divides(before, after):
        raise at.refused(f"an axis of {before} is resized to {after}, by no whole number.")
    return quotient_of(after, before)


@rule("aten.upsample_linear1d", "aten.upsample_bilinear2d", "aten.upsample_trilinear3d")
def upsample_linear(
    at: At, self: Tensor, output_size: Any, align_corners: Any, **scales: Any
) -> Made:
    """Lie between the two nearest elements, along each axis after the other."""
    x = self
    for place in range(2, self.rank):
        n, o = x.shape[place], at.shape[place]
        if n != o:
            factor(at, n, o)
            x = between(x, place, o, bool(align_corners))
    return copied(x) if x is self else x


def between(x: Tensor, place: int, o: Expr, corners: bool) -> Tensor:
    """Take the elements below and above each place, by how near they are."""
    n = x.shape[place]
    at = partial(stands, n, o, corners)
    below = table("below", lambda i: inner(at(i), n, floor(at(i) + NEAR)), o, storage="index")
    above = table("above", lambda i: inner(at(i), n, floor(at(i) + NEAR) + 1), o, storage="index")
    near = table("near", lambda i: Piecewise((Integer(0), at(i) < 0),
                                             (at(i) - floor(at(i) + NEAR), True)), o)  # fmt: skip
    low, high = take(x, place, below), take(x, place, above)
    return low + (high - low) * view("o -> o" + " ()" * (x.rank - 1 - place), near)


NEAR = Rational(1, 10**9)
"""What is that near below a whole number is one: floats do not decide it."""


def stands(n: Expr, o: Expr, corners: bool, i: Symbol) -> Expr:
    """Where among n elements the i-th of o stands: before the first one, a number below 0."""
    if corners:
        return i * (n - 1) / (o - 1)
    return (i + Rational(1, 2)) * n / o - Rational(1, 2)


def inner(at: Expr, n: Expr, place: Expr) -> Expr:
    """Return a place, or the end that what stands outside is nearest to."""
    return Piecewise((Integer(0), at < 0), (n - 1, at >= n - 1), (place, True))


@rule("aten.im2col")
def im2col(
    at: At, self: Tensor, kernel_size: Any, dilation: Any, padding: Any, stride: Any
) -> Made:
    """Write what windows show side by side, as columns."""
    kernel, r, p, s = (along(n, 2) for n in (kernel_size, dilation, padding, stride))
    x = self if self.rank == 4 else reshaped(at, self, (ONE, *self.shape))
    for i in range(2):
        number_ = windows_in(x.shape[i - 2], kernel[i], s[i], p[i], r[i])
        x = windows(x, i - 2, number_, kernel[i], s[i], p[i], r[i])
    x = copied(view("b c i k j l -> b (c k l) (i j)", x))
    if not same(x.shape[-1], at.shape[-1]):
        raise at.refused("how many columns there are is not understood.")
    return reshaped(at, x, at.shape)


@rule("aten.col2im")
def col2im(
    at: At, self: Tensor, output_size: Any, kernel_size: Any, dilation: Any, padding: Any,
    stride: Any,
) -> Made:  # fmt: skip
    """Lay columns of windows back over an image, added."""
    kernel, r, p, s = (along(n, 2) for n in (kernel_size, dilation, padding, stride))
    x = self if self.rank == 3 else reshaped(at, self, (ONE, *self.shape))
    lengths = at.shape[-2:]
    numbers = [windows_in(*each) for each in zip(lengths, kernel, s, p, r, strict=True)]
    x = view("b (c k l) (i j) -> b c i k j l", x, k=kernel[0], l=kernel[1], i=numbers[0],
             j=numbers[1])  # fmt: skip
    for i in (1, 0):
        x = overlap(x, -2 if i else -3, lengths[i], s[i], p[i], r[i])
    return reshaped(at, x, at.shape)


def windows_in(n: Expr, kernel: Expr, stride: Expr, padding: Expr, dilation: Expr) -> Expr:
    """How many windows fit into an axis."""
    last = n + 2 * padding - dilation * (kernel - 1) - 1
    return (last if stride == ONE else floor(last / stride)) + 1


