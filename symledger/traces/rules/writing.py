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
    place, first = axis_of(dim, self.rank), Integer(0) if start is None else number(start)
    if number(step) != ONE:
        return put_apart(at, self, src, place, first, number(step))
    return put(self, src, place, first)


def put_apart(at: At, x: Tensor, part: Tensor, place: int, start: Expr, by: Expr) -> Tensor:
    """Put a part at every so many-th position of an axis: along one of two axes that it becomes.

    The run of positions that is seen as rows begins a little before, where it reaches too far;
    where there is no room either, the last position is written alone.
    """
    whole, rows = x.shape[place], part.shape[place]
    start = whole + start if start.could_extract_minus_sign() else start
    columns = range(int(by) if by.is_Integer else 0)
    for n in (rows, rows - 1):
        for column in columns:
            first = start - column
            if first.could_extract_minus_sign() or not at.is_least(first + n * by, whole):
                continue
            part_of = part if n == rows else narrow(part, place, 0, n)
            y = put_in_rows(at, x, part_of, place, first, by, column)
            if n == rows:
                return y
            return put(y, narrow(part, place, n, ONE), place, start + n * by)
    raise at.refused("what is written into this slice with steps is not understood.")


def put_in_rows(
    at: At, x: Tensor, part: Tensor, place: int, first: Expr, by: Expr, column: int
) -> Tensor:
    """Put a part into one column of a run of positions that is seen as rows."""
    rows, before, after = part.shape[place], x.shape[:place], x.shape[place + 1 :]
    seen = reshaped(at, narrow(x, place, first, rows * by), (*before, rows, by, *after))
    each = reshaped(at, part, (*before, rows, ONE, *after))
    written = put(seen, each, place + 1, Integer(column))
    return put(x, reshaped(at, written, (*before, rows * by, *after)), place, first)


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
