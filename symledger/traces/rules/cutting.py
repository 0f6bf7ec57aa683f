"""What is cut out of tensors, laid around them, or seen of them again and again."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer

from symledger.ir.ops import Join
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.verbs import copied, expand, join, narrow, pad, table, take
from symledger.notation.windows import windows
from symledger.traces.rules.table import At, Made, axes_of, axis_of, number, rule
from symledger.traces.rules.views import permuted, reshaped


@rule("aten.unbind", partwise=True)
def unbind(at: At, self: Tensor, dim: Any = 0) -> Made:
    """Cut out every position of an axis, and the axis with it."""
    place = axis_of(dim, self.rank)
    cut = (narrow(self, place, i, ONE) for i in range(len(at.results)))
    return tuple(reshaped(at, x, at.shape) for x in cut)


@rule("aten.narrow", partwise=True)
def narrowed(at: At, self: Tensor, dim: Any, start: Any, length: Any) -> Made:
    """Cut out a run of positions."""
    return narrow(self, axis_of(dim, self.rank), number(start), number(length))


@rule("aten.constant_pad_nd")
def constant_pad_nd(at: At, self: Tensor, pad: Any, value: Any = 0) -> Made:
    """Put a number around a tensor, or cut off where a side is negative."""
    x, fill = self, number(value)
    for k in range(len(pad) // 2):
        place = self.rank - 1 - k
        before, after = number(pad[2 * k]), number(pad[2 * k + 1])
        x = padded(at, x, place, before, after, fill)
    return x if isinstance(x.op, Join) else copied(x)


def padded(at: At, x: Tensor, place: int, before: Expr, after: Expr, fill: Expr) -> Tensor:
    """Return a tensor with so many positions more, or less, on either side of an axis."""
    n, length = x.shape[place], at.shape[place]
    first = -before if at.is_negative(before) else Integer(0)
    last = n + after if at.is_negative(after) else n
    if last - first != n:
        x = narrow(x, place, first, last - first)
    start = before + first
    if x.shape[place] == length:
        return x
    if fill == 0:
        return pad(x, place, start, length)
    sides = []
    for more in (start, length - start - x.shape[place]):
        shape = tuple(more if i == place else m for i, m in enumerate(x.shape))
        sides.append([] if more == 0 else [expand(table("fill", lambda: fill), shape)])
    return join([*sides[0], x, *sides[1]], place)


@rule("aten.roll", partwise=True)
def roll(at: At, self: Tensor, shifts: Any, dims: Any = ()) -> Made:
    """Move along axes, and put what falls off the end to the front."""
    several = shifts if isinstance(shifts, tuple) else (shifts,)
    places = dims if isinstance(dims, tuple) else (dims,)
    if not places:
        flat = reshaped(at, self, (self.size,))
        return reshaped(at, rolled(flat, 0, number(several[0])), at.shape)
    x = self
    for shift, dim in zip(several, places, strict=True):
        x = rolled(x, axis_of(dim, self.rank), number(shift))
    return x


def rolled(x: Tensor, place: int, shift: Expr) -> Tensor:
    """Move along one axis: by a negative number towards its start."""
    if shift == 0:
        return x
    n = x.shape[place]
    cut = -shift if shift.could_extract_minus_sign() else n - shift
    return join([narrow(x, place, cut, n - cut), narrow(x, place, 0, cut)], place)


@rule("aten.flip", partwise=True)
def flip(at: At, self: Tensor, dims: Any) -> Made:
    """Turn axes round."""
    x = self
    for place in axes_of(dims, self.rank):
        x = take(x, place, backwards(x.shape[place]))
    return x


def backwards(n: Expr) -> Tensor:
    """The places of an axis, the last one first."""
    return table("backwards", lambda i: n - 1 - i, n, storage="index")


@rule("aten.repeat", partwise=True)
def repeat(at: At, self: Tensor, repeats: Any) -> Made:
    """Lay copies side by side, so many along each axis."""
    times = [number(n) for n in repeats]
    lengths = (*(ONE,) * (len(times) - self.rank), *self.shape)
    apart = tuple(n for pair in zip((ONE,) * len(times), lengths, strict=True) for n in pair)
    copies = tuple(n for pair in zip(times, lengths, strict=True) for n in pair)
    return reshaped(at, copied(expand(reshaped(at, self, apart), copies)), at.shape)


@rule("aten.unfold", partwise=True)
def unfold(at: At, self: Tensor, dimension: Any, size: Any, step: Any) -> Made:
    """See an axis through windows, whose elements come last."""
    place = axis_of(dimension, self.rank)
    seen = windows(self, place, at.shape[place], number(size), number(step))
    order = [i for i in range(seen.rank) if i != place + 1] + [place + 1]
    return permuted(seen, order)


@rule("aten.diagonal")
def diagonal(at: At, self: Tensor, offset: Any = 0, dim1: Any = 0, dim2: Any = 1) -> Made:
    """The diagonal of two axes, which comes last: every (m + 1)-th element of both as one."""
    a, b, by = axis_of(dim1, self.rank), axis_of(dim2, self.rank), number(offset)
    rest = [i for i in range(self.rank) if i not in (a, b)]
    rows, columns = self.shape[a], self.shape[b]
    x = permuted(self, [*rest, a, b])
    x = reshaped(at, x, (*x.shape[:-2], rows * columns))
    first = -by * columns if by.could_extract_minus_sign() else by
    if first != 0:
        x = narrow(x, -1, first, rows * columns - first)
    length = at.shape[-1]
    needed = (length - 1) * (columns + 1) + 1
    x = narrow(x, -1, 0, needed) if needed != x.shape[-1] else x
    return reshaped(at, windows(x, -1, length, ONE, columns + 1), at.shape)
