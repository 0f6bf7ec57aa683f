"""Pooling: one number for each window, or for each of so many tiles."""

from __future__ import annotations

from functools import partial
from typing import Any

from sympy import Expr, Integer, Piecewise, Symbol

from symledger.components.convolution import adaptive, pooling
from symledger.components.convolution.windowed import OFFSETS, PLACES
from symledger.ir.shapes import ONE, Shape, product
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component
from symledger.notation.verbs import table, total, view
from symledger.notation.windows import windows
from symledger.traces.rules.convolutions import along, opened
from symledger.traces.rules.table import At, Made, number, rule
from symledger.traces.rules.views import reshaped

ENDINGS = {1: ("",), 2: ("_h", "_w"), 3: ("_d", "_h", "_w")}
LENGTHS = {1: ("T",), 2: ("H", "W"), 3: ("D", "H", "W")}
"""How the symbols of windows end, and what lengths are called, by the number of axes."""


@rule("aten.max_pool2d_with_indices", "aten.max_pool3d_with_indices", "aten.max_pool1d",
      "aten.max_pool2d", "aten.max_pool3d")  # fmt: skip
def max_pool(
    at: At, self: Tensor, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1,
    ceil_mode: Any = False,
) -> Made:  # fmt: skip
    """The largest element of each window; where it stands is kept."""
    axes = axes_of(at)
    given = {"K": kernel_size, "s": stride or kernel_size, "p": padding, "r": dilation}
    fields = {f"{name}{ending}": n for name, value in given.items()
              for ending, n in zip(ENDINGS[axes], along(value, axes), strict=True)}  # fmt: skip
    kinds = {1: pooling.MaxPool1d, 2: pooling.MaxPool2d, 3: pooling.MaxPool3d}
    pool = kinds[axes](**fields, **numbers(at, axes), ceil=bool(ceil_mode))
    return batched(at, self, axes, pool, "max_pool")


@rule("aten.avg_pool1d", "aten.avg_pool2d", "aten.avg_pool3d")
def avg_pool(
    at: At, self: Tensor, kernel_size: Any, stride: Any = (), padding: Any = 0,
    ceil_mode: Any = False, count_include_pad: Any = True, divisor_override: Any = None,
) -> Made:  # fmt: skip
    """The mean of each window; padding counts or does not, and what lies past it never does."""
    axes = axes_of(at)
    kernel, steps, around = (along(n, axes) for n in (kernel_size, stride or kernel_size, padding))
    x, lengths, found = self, self.shape[-axes:], at.shape[-axes:]
    for i in range(axes):
        x = windows(x, i - axes, found[i], kernel[i], steps[i], around[i], past=bool(ceil_mode))
    seen = opened(PLACES[axes], OFFSETS[axes])
    summed = total(view(f"... {seen} -> ... {PLACES[axes]} ({OFFSETS[axes]})", x))
    y: Tensor = view(f"... {PLACES[axes]} () -> ... {PLACES[axes]}", summed)
    if divisor_override is not None:
        return _times(y, ONE / number(divisor_override))
    if not ceil_mode and (count_include_pad or all(p == 0 for p in around)):
        return _times(y, ONE / product(tuple(kernel)))
    counted = [p if count_include_pad else Integer(0) for p in around]
    held = partial(share, lengths, tuple(zip(kernel, steps, around, counted, strict=True)))
    return y * table("share", held, *found)


def _times(x: Tensor, by: Expr) -> Tensor:
    made: Tensor = x * by
    return made


def share(lengths: Shape, slides: tuple[tuple[Expr, ...], ...], *places: Symbol) -> Expr:
    """One divided by how many elements of a window count."""
    elements: Expr = ONE
    for i, n, (kernel, step, padding, counted) in zip(places, lengths, slides, strict=True):
        first, last = i * step - padding, i * step - padding + kernel
        end = Piecewise((last, last < n + counted), (n + counted, True))
        elements *= end - Piecewise((first, first > -counted), (-counted, True))
    return 1 / elements


@rule("aten._adaptive_avg_pool2d", "aten._adaptive_avg_pool3d", "aten.adaptive_avg_pool1d",
      "aten.adaptive_avg_pool2d")  # fmt: skip
def adaptive_avg_pool(at: At, self: Tensor, output_size: Any) -> Made:
    """The mean of each of so many tiles."""
    kinds = {1: adaptive.AdaptiveAvgPool1d, 2: adaptive.AdaptiveAvgPool2d,
             3: adaptive.AdaptiveAvgPool3d}  # fmt: skip
    return tiled(at, self, kinds, "avg_pool")


@rule("aten.adaptive_max_pool1d", "aten.adaptive_max_pool2d", "aten.adaptive_max_pool3d")
def adaptive_max_pool(at: At, self: Tensor, output_size: Any) -> Made:
    """The largest element of each of so many tiles."""
    kinds = {1: adaptive.AdaptiveMaxPool1d, 2: adaptive.AdaptiveMaxPool2d,
             3: adaptive.AdaptiveMaxPool3d}  # fmt: skip
    return tiled(at, self, kinds, "max_pool")


def tiled(at: At, x: Tensor, kinds: dict[int, Any], name: str) -> Tensor:
    """Pool tiles: equal ones, or uneven ones where all lengths are numbers."""
    axes = axes_of(at)
    before, after = x.shape[-axes:], at.shape[-axes:]
    if all(at.divides(o, n) for o, n in zip(after, before, strict=True)):
        return batched(at, x, axes, kinds[axes](**numbers(at, axes)), name)
    if not all(n.is_Integer for n in (*before, *after)):
        said = f"{list(before)} is not cut into {list(after)} equal tiles."
        raise at.refused(said, *before, *after)
    met = {f"{letter}_n": n + o - Integer(n).gcd(o)
           for letter, n, o in zip(LENGTHS[axes], before, after, strict=True)}  # fmt: skip
    return batched(at, x, axes, kinds[axes](**numbers(at, axes), **met, uneven=True), name)


def axes_of(at: At) -> int:
    """Along how many axes an operation pools, by its name."""
    return next(n for n in (1, 2, 3) if f"{n}d" in at.operation)


def numbers(at: At, axes: int) -> dict[str, Expr]:
    """Return how many windows or tiles there are, by the names of components."""
    return {f"{letter}_o": n for letter, n in zip(LENGTHS[axes], at.shape[-axes:], strict=True)}


def batched(at: At, x: Tensor, axes: int, pool: Component, name: str) -> Tensor:
    """Pool a tensor that has an axis of examples or none."""
    if x.rank == axes + 2:
        return pool(x, name=name)
    return reshaped(at, pool(reshaped(at, x, (ONE, *x.shape)), name=name), at.shape)
