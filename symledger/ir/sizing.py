"""What the sizes of a program have to be, as its operations ask for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from typing import Any, Protocol

from sympy import Expr

from symledger.ir.ops import (
    Const,
    Contract,
    Input,
    Overlap,
    Param,
    Rearrange,
    Repetition,
    Slice,
    Windows,
)
from symledger.ir.shapes import ONE, Shape
from symledger.sizes import text_of

Bound = tuple[Expr, Expr]


class Node(Protocol):
    """What is asked of a tensor here."""

    @property
    def op(self) -> object:
        """What makes it."""

    @property
    def args(self) -> Sequence[Node]:
        """From what."""

    @property
    def shape(self) -> Shape:
        """Its lengths."""


def index_sizes(t: Node) -> dict[str, Expr]:
    """Return the length of every index of a Contract."""
    assert isinstance(t.op, Contract)
    op, (left, right) = t.op, t.args[:2]
    return {
        **dict(zip(op.left, left.shape, strict=True)),
        **dict(zip(op.right, right.shape, strict=True)),
    }


class Sizing:
    """What the sizes of a program have to be; a program says which tensors it has."""

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """The shapes that there are."""
        raise NotImplementedError

    def everywhere(self, *kinds: type[Any]) -> Sequence[Node]:
        """Return the tensors that some kinds of operations make, at any depth."""
        raise NotImplementedError

    @cached_property
    def symbols(self) -> tuple[Expr, ...]:
        """Every size symbol in a shape, in how windows slide, or in a number of anything."""
        mentioned = {length for shape in self.shapes for length in shape}
        for t in self.everywhere(Rearrange, Repetition, Windows, Overlap, Contract, Param):
            match t.op:
                case Rearrange(sizes=sizes):
                    mentioned.update(length for _, length in sizes)
                case Repetition(times=times):
                    mentioned.add(times)
                case Windows() | Overlap() as op:
                    mentioned.update((op.stride, op.padding, op.dilation))
                case Contract(pairs=pairs) if pairs:
                    mentioned.add(pairs.count)
                case Param(used=used) if used:
                    mentioned.update(used)
        found: set[Expr] = set().union(*(e.free_symbols for e in mentioned))
        return tuple(sorted(found, key=text_of))

    @cached_property
    def lengths(self) -> tuple[Expr, ...]:
        """Every quantity that must be a positive whole number: all lengths of all axes.

        Further layers and paddings, which are ``numbers``, may be zero.
        """
        found = dict.fromkeys(length for shape in self.shapes for length in shape)
        for t in self.everywhere(Rearrange, Repetition, Windows, Overlap):
            match t.op:
                case Rearrange(sizes=sizes):
                    found.update((length, None) for _, length in sizes)
                case Repetition(times=times):
                    found[times] = None
                case Windows(padding=padding) | Overlap(padding=padding):
                    if not padding.is_Symbol:
                        found[padding] = None
        return tuple(length for length in found if not length.is_Integer)

    @cached_property
    def numbers(self) -> set[Expr]:
        """What must be whole and may be zero: L − 1 further layers, a padding of (K − 1)/2."""
        ops = [t.op for t in self.everywhere(Repetition, Windows, Overlap)]
        times = (op.times for op in ops if isinstance(op, Repetition))
        found = {n for n in times if not n.is_Symbol or not n.is_positive}
        found |= {op.padding for op in ops if isinstance(op, Windows | Overlap)}
        return found - {n for shape in self.shapes for n in shape}

    @cached_property
    def averages(self) -> set[Expr]:
        """What is an average, and need not be whole: rows of an expert, uses of a group."""
        found = set()
        for t in self.everywhere(Input, Repetition):
            match t.op:
                case Input(average=True):
                    found.add(t.shape[-1])
                case Repetition(average=True, times=times):
                    found.add(times)
        return found

    @cached_property
    def bounds(self) -> tuple[Bound, ...]:
        """(a, b) for every a that must not exceed b."""
        return tuple(dict.fromkeys(bounds(self.everywhere(*BOUNDED))))


BOUNDED = (Param, Repetition, Slice, Windows, Overlap, Const, Contract)
"""The operations that bound a size."""


def bounds(of: Iterable[Node]) -> Iterator[Bound]:
    """Yield (a, b) for every a that must not exceed b.

    A slice must lie in its axis; causal queries may not outnumber the keys, nor may those
    that a query sees; no more experts are used than there are; windows must end in the padded
    axis and leave no room for one more (or start in it, where one may reach past it), nor may
    one lie outside the axis where that is not zero; what is repeated is so once on average; and
    what a table asks for.
    """
    for t in of:
        match t.op:
            case Param(used=(used, experts)) if used != experts:
                yield used, experts
            case Repetition(average=True, times=times):
                yield ONE, times
            case Slice(axis, start, length):
                whole = t.args[0].shape[axis]
                if start + length != whole:
                    yield start + length, whole
            case Windows(axis=axis) | Overlap(axis=axis) as op:
                long, parts = (t.args[0], t) if isinstance(op, Windows) else (t, t.args[0])
                yield from _slides(op, long.shape[axis], *parts.shape[axis : axis + 2])
            case Const(within=within):
                yield from within
            case Contract(pairs=pairs) if pairs:
                queries, keys = t.args[2].shape
                if queries != keys:
                    yield queries, keys
                if pairs.window is not None:
                    yield pairs.window, keys
                if pairs.most is not None:
                    yield keys, pairs.most


@cache
def _slides(
    op: Windows | Overlap, whole: Expr, number: Expr, kernel: Expr
) -> tuple[Bound, ...]:
    """The bounds of windows over an axis; those of most networks are alike."""
    padded, window = whole + 2 * op.padding, op.dilation * (kernel - 1) + 1
    last = (number - 1) * op.stride
    found = []
    if isinstance(op, Windows):
        found.append((padded + 1, number * op.stride + window))
        if op.fill != 0 and op.padding != 0:
            found.append((2 * op.padding, window))
    if op.past:
        return (*found, (last + 1, whole + op.padding), (last + window + 1, padded + op.stride))
    return (*found, (last + window, padded))
