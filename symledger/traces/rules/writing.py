"""What was written in place: a tensor with a part of it, or all, in other words."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer

from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.verbs import copied, expand, join, narrow, table
from symledger.traces.graph import ASSIGNED
from symledger.traces.kernels.placing import Assigned
from symledger.traces.rules.table import At, Made, axis_of, number, rule
from symledger.traces.rules.views import reshaped


@rule("aten.copy")
def copy(at: At, src: Tensor, self: Any = None, non_blocking: Any = False) -> Made:
    """Write down the elements of another tensor."""
    return copied(expand(src, at.shape))


@rule(ASSIGNED, partwise=True)
def assigned(at: At, self: Tensor, value: Tensor) -> Made:
    """Other elements, of which gradients know nothing."""
    return Assigned()(self, value, name="assigned")


@rule("aten.fill")
def fill(at: At, value: Any, self: Any = None) -> Made:
    """Write one number everywhere."""
    if isinstance(value, Tensor):
        return copied(expand(value, at.shape))
    held = number(value)
    return expand(table("fill", lambda: held, storage=at.storage), at.shape)


@rule("aten.zero")
def zero(at: At, self: Any = None) -> Made:
    """Write zeros everywhere."""
    return fill(at, 0)


@rule("aten.slice_scatter")
def slice_scatter(
    at: At, self: Tensor, src: Tensor, dim: Any = 0, start: Any = None, end: Any = None,
    step: Any = 1,
) -> Made:  # fmt: skip
    """Put a tensor in place of a run of positions."""
    if number(step) != ONE:
        raise at.refused("what is written into a slice with steps is not understood.")
    place = axis_of(dim, self.rank)
    return put(self, src, place, Integer(0) if start is None else number(start))


@rule("aten.select_scatter")
def select_scatter(at: At, self: Tensor, src: Tensor, dim: Any, index: Any) -> Made:
    """Put a tensor in place of one position."""
    place = axis_of(dim, self.rank)
    shape = tuple(ONE if i == place else n for i, n in enumerate(self.shape))
    return put(self, reshaped(at, src, shape), place, number(index))


def put(x: Tensor, part: Tensor, place: int, start: Expr) -> Tensor:
    """Put a part at a place of an axis, counted from its end where that is negative."""
    whole, length = x.shape[place], part.shape[place]
    if start.could_extract_minus_sign():
        start = whole + start
    rest = whole - start - length
    before = [] if start == 0 else [narrow(x, place, 0, start)]
    after = [] if rest == 0 else [narrow(x, place, start + length, rest)]
    return join([*before, part, *after], place) if before or after else part
