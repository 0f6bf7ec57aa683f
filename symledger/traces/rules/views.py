"""Views: the same elements under other axes; and what is cut out of, or put together from them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sympy import Expr, Integer

from symledger.errors import BadInput
from symledger.ir.ops import Rearrange
from symledger.ir.shapes import ONE, Shape
from symledger.ir.tensor import Tensor
from symledger.notation.verbs import copied, expand, join, narrow
from symledger.notation.windows import windows
from symledger.traces.rules.table import At, Made, axis_of, number, quotient_of, rule


@rule("aten.view", "aten._unsafe_view", "aten.reshape", partwise=True)
def view(at: At, self: Tensor, size: Any) -> Made:
    """Split and merge axes."""
    return reshaped(at, self, at.shape)


@rule("aten.transpose", partwise=True)
def transpose(at: At, self: Tensor, dim0: Any, dim1: Any) -> Made:
    """Swap two axes."""
    order = list(range(self.rank))
    a, b = axis_of(dim0, self.rank), axis_of(dim1, self.rank)
    order[a], order[b] = order[b], order[a]
    return permuted(self, order)


@rule("aten.t", partwise=True)
def t(at: At, self: Tensor) -> Made:
    """Swap the axes of a matrix."""
    return permuted(self, list(range(self.rank))[::-1])


@rule("aten.permute", partwise=True)
def permute(at: At, self: Tensor, dims: Any) -> Made:
    """Put axes into another order."""
    return permuted(self, [axis_of(d, self.rank) for d in dims])


@rule("aten.unsqueeze", partwise=True)
def unsqueeze(at: At, self: Tensor, dim: Any) -> Made:
    """Add an axis of length 1."""
    return reshaped(at, self, at.shape)


@rule("aten.squeeze", partwise=True)
def squeeze(at: At, self: Tensor, dim: Any = None) -> Made:
    """Leave out axes of length 1."""
    return reshaped(at, self, at.shape)


@rule("aten.expand", partwise=True)
def expanded(at: At, self: Tensor, size: Any, implicit: Any = False) -> Made:
    """Repeat along axes of length 1, without a copy."""
    return expand(self, at.shape)


@rule("aten.clone", "aten.contiguous", partwise=True)
def clone(at: At, self: Tensor) -> Made:
    """Write the same elements down once more."""
    return copied(self)


@rule("aten.alias", "aten.lift_fresh", "aten.view_as", "aten.resolve_conj", "aten.resolve_neg",
      partwise=True)  # fmt: skip
def same(at: At, self: Tensor) -> Made:
    """The same tensor."""
    return self


@rule("aten.detach", partwise=True)
def detached(at: At, self: Tensor) -> Made:
    """The same elements, through which no gradient goes back."""
    made = permuted(self, list(range(self.rank)))
    assert isinstance(made.op, Rearrange)
    return replace(made, op=replace(made.op, stops=True))


@rule("aten.split", "aten.split_with_sizes", "aten.chunk", "aten.unsafe_split",
      "aten.unsafe_split_with_sizes", "aten.unsafe_chunk", partwise=True)
def split(at: At, self: Tensor, dim: Any = 0, **sizes: Any) -> Made:
    """Cut an axis into runs."""
    place, start, found = axis_of(dim, self.rank), Integer(0), []
    for kind in at.results:
        length = kind.shape[place]
        found.append(narrow(self, place, start, length))
        start = start + length
    return tuple(found)


@rule("aten.slice", partwise=True)
def slice_(at: At, self: Tensor, dim: Any, start: Any, end: Any, step: Any) -> Made:
    """Cut out a run of positions."""
    place = axis_of(dim, self.rank)
    whole, length, by = self.shape[place], at.shape[place], number(step)
    first = number(start) if start is not None else Integer(0)
    first = whole + first if at.is_negative(first) else first
    if by != ONE:
        rest = self if first == 0 else narrow(self, place, first, whole - first)
        return reshaped(at, windows(rest, place, length, ONE, by), at.shape)
    return self if length == whole else narrow(self, place, first, length)


@rule("aten.select", partwise=True)
def select(at: At, self: Tensor, dim: Any, index: Any) -> Made:
    """Cut out one position, and its axis with it."""
    place = axis_of(dim, self.rank)
    first = number(index)
    first = self.shape[place] + first if first.is_negative else first
    return reshaped(at, narrow(self, place, first, ONE), at.shape)


@rule("aten.cat", partwise=True)
def cat(at: At, tensors: Any, dim: Any = 0) -> Made:
    """Put tensors one after the other."""
    real = [x for x in tensors if x.rank == len(at.shape)]
    return join(list(real), axis_of(dim, len(at.shape)))


@rule("aten.stack", partwise=True)
def stack(at: At, tensors: Any, dim: Any = 0) -> Made:
    """Put tensors side by side along a new axis."""
    place = axis_of(dim, len(at.shape))
    shape = tuple(ONE if i == place else n for i, n in enumerate(at.shape))
    return join([reshaped(at, x, shape) for x in tensors], place)


def permuted(x: Tensor, order: list[int]) -> Tensor:
    """Return a tensor with its axes in another order."""
    names = tuple((f"_{i}",) for i in range(x.rank))
    lengths = tuple((f"_{i}", n) for i, n in enumerate(x.shape))
    after = tuple(names[i] for i in order)
    shape = tuple(x.shape[i] for i in order)
    return Tensor(Rearrange(names, after, lengths), (x,), shape, x.storage)


def reshaped(at: At, x: Tensor, shape: Shape) -> Tensor:
    """Return the same elements, in order, under other axes.

    Both shapes are cut into the finest pieces that make up either; where there are none, as of
    3 × 4 and 2 × 6, axes are merged first.
    """
    if x.shape == shape:
        return x
    cut = Pieces(at)
    before = [n for n in x.shape if n != ONE]
    after = [n for n in shape if n != ONE]
    try:
        left, right = cut.both(before, after)
    except BadInput:
        between = tuple(merged(at, before, after))
        if not between or list(between) in (before, after):
            raise
        return reshaped(at, reshaped(at, x, between), shape)
    op = Rearrange(_spaced(left, x.shape), _spaced(right, shape), tuple(cut.sizes))
    return Tensor(op, (x,), shape, x.storage)


def merged(at: At, before: list[Expr], after: list[Expr]) -> list[Expr]:
    """Return lengths that are products of runs of both, as short ones as there are; or nothing."""
    found: list[Expr] = []
    mine, its = list(before), list(after)
    while mine and its:
        a, b = mine.pop(0), its.pop(0)
        while a != b:
            first = at.is_least(a, b)
            second = not first and at.is_least(b, a)
            if not (second or mine) or not (first or its):
                return []
            if not second:
                a = (a * mine.pop(0)).expand()
            if not first:
                b = (b * its.pop(0)).expand()
        found.append(a)
    return [] if mine or its else found


def _spaced(groups: list[tuple[str, ...]], shape: Shape) -> tuple[tuple[str, ...], ...]:
    """Return the pieces of each axis, none for those of length 1."""
    rest = iter(groups)
    return tuple(() if n == ONE else next(rest) for n in shape)


class Pieces:
    """Cuts two lists of lengths, of as many elements, into the pieces that make up either."""

    def __init__(self, at: At) -> None:
        self.at = at
        self.sizes: list[tuple[str, Expr]] = []

    def both(
        self, before: list[Expr], after: list[Expr]
    ) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
        """Return the names of the pieces of every axis, on either side.

        Axes are read from the left: the larger one is made of the smaller one and more.
        """
        left: list[list[str]] = [[] for _ in before]
        right: list[list[str]] = [[] for _ in after]
        i = j = 0
        a, b = before[:1] or [ONE], after[:1] or [ONE]
        here, there = a[0], b[0]
        while i < len(before) and j < len(after):
            piece = self._piece(here, there, before, after)
            name = f"_{len(self.sizes)}"
            self.sizes.append((name, piece))
            left[i].append(name)
            right[j].append(name)
            here, there = quotient_of(here, piece), quotient_of(there, piece)
            if here == ONE:
                i += 1
                here = before[i] if i < len(before) else ONE
            if there == ONE:
                j += 1
                there = after[j] if j < len(after) else ONE
        if i < len(before) or j < len(after):
            raise self.at.refused(f"{before} cannot be seen as {after}.")
        return list(map(tuple, left)), list(map(tuple, right))

    def _piece(self, a: Expr, b: Expr, before: list[Expr], after: list[Expr]) -> Expr:
        if a == b or self.at.divides(a, b):
            return a
        if self.at.divides(b, a):
            return b
        raise self.at.refused(f"how {before} is seen as {after} is not understood.")
