"""Convolutions of all kinds: contractions of what windows show, or of what they paint."""

from __future__ import annotations

from typing import Any

from sympy import Expr

from symledger.components.convolution.windowed import OFFSETS, PLACES
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.verbs import einsum, view
from symledger.notation.windows import overlap, windows
from symledger.traces.rules.table import At, Made, number, rule
from symledger.traces.rules.views import reshaped


@rule("aten.convolution", "aten._convolution")
def convolution(
    at: At, input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any,  # noqa: A002  # PyTorch's names
    dilation: Any, transposed: Any, output_padding: Any, groups: Any, **flags: Any,
) -> Made:  # fmt: skip
    """Contract the channels of each group, and what a window shows, with the kernel."""
    axes = weight.rank - 2
    if axes not in PLACES:
        raise at.refused(f"a convolution along {axes} axes is not understood.")
    settings = [along(given, axes) for given in (stride, padding, dilation)]
    write = painting if transposed else looking
    y = write(at, input, weight, number(groups), *settings)
    return y if bias is None else y + reshaped(at, bias, (*bias.shape, *(ONE,) * axes))


def looking(
    at: At, x: Tensor, weight: Tensor, groups: Expr, stride: list[Expr], padding: list[Expr],
    dilation: list[Expr],
) -> Tensor:  # fmt: skip
    """See the input through windows; how many there are, PyTorch has said."""
    kernel, numbers = weight.shape[2:], at.shape[2:]
    for i, number_ in enumerate(numbers):
        x = windows(x, i - len(numbers), number_, kernel[i], stride[i], padding[i], dilation[i])
    places, offsets = PLACES[len(numbers)], OFFSETS[len(numbers)]
    seen = opened(places, offsets)
    x = view(f"b (g c) {seen} -> b g c {seen}", x, g=groups)
    weight = view(f"(g o) c {offsets} -> g o c {offsets}", weight, g=groups)
    y = einsum(f"b g c {seen}, g o c {offsets} -> b g o {places}", x, weight)
    return view(f"b g o {places} -> b (g o) {places}", y)


def painting(
    at: At, x: Tensor, weight: Tensor, groups: Expr, stride: list[Expr], padding: list[Expr],
    dilation: list[Expr],
) -> Tensor:  # fmt: skip
    """Let every element paint a window, and add where they overlap."""
    lengths = at.shape[2:]
    places, offsets = PLACES[len(lengths)], OFFSETS[len(lengths)]
    x = view(f"b (g c) {places} -> b g c {places}", x, g=groups)
    weight = view(f"(g c) o {offsets} -> g c o {offsets}", weight, g=groups)
    into = f"b g o {opened(places, offsets)}"
    y = einsum(f"b g c {places}, g c o {offsets} -> {into}", x, weight)
    for i in reversed(range(len(lengths))):
        y = overlap(y, i - len(lengths) - 1, lengths[i], stride[i], padding[i], dilation[i])
    return view(f"b g o {places} -> b (g o) {places}", y)


def opened(places: str, offsets: str) -> str:
    """Write each index of windows before that of the elements in them: ``i k j l``."""
    return " ".join(f"{i} {k}" for i, k in zip(places.split(), offsets.split(), strict=True))


def along(given: Any, axes: int) -> list[Expr]:
    """Return a setting for each axis; one number holds for all."""
    several = given if isinstance(given, tuple) else (given,)
    return [number(n) for n in (several * axes if len(several) == 1 else several)]
