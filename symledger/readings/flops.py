"""How much arithmetic? A price for every operation; contractions and pointwise work apart.

A FLOP is one multiplication or one addition, so a multiply-add is two. A Contract costs two for
every combination of its indices. Where it sums over causal pairs, a convention says which pairs
are charged: all (``full``), half of them (``half``), or exactly those that count (``exact``).
"""

from __future__ import annotations

from functools import cache
from typing import Literal, assert_never

from sympy import Expr, Integer

from symledger.ir import ops
from symledger.ir.shapes import product
from symledger.ir.sizing import index_sizes
from symledger.ir.tensor import Call, CallBack, Program, Pullback, Result, Tensor
from symledger.readings.tally import ZERO, Tally, tally

Causal = Literal["full", "half", "exact"]
"""Which pairs a contraction under a causal mask is charged for."""


def contraction_flops(program: Program | Pullback, causal: Causal = "full") -> Tally:
    """Return the FLOPs of the contractions: the headline."""
    return tally(program, lambda t: contraction(t, causal))


def pointwise_flops(program: Program | Pullback) -> Tally:
    """Return the FLOPs of everything else: maps, sums, maxima, scattered additions."""
    return tally(program, pointwise)


def contraction(t: Tensor, causal: Causal) -> Expr:
    """Price a Contract: 2 × the product of all its index lengths; anything else is free."""
    if not isinstance(t.op, ops.Contract):
        return ZERO
    sizes = index_sizes(t)
    pairs = t.op.pairs if causal != "full" else None
    charged: Expr = Integer(2)
    if pairs and (causal == "exact" or not pairs.both):
        every = sizes.pop(pairs.query) * sizes.pop(pairs.key)
        charged = 2 * pairs.count if causal == "exact" else every
    return product((charged, *sizes.values()))


def pointwise(t: Tensor) -> Expr:
    """Price everything that is not a contraction, an elementary operation an element."""
    match t.op:
        case ops.Map(code):
            return _each(code.operations, t.size)
        case ops.Rearrange() | ops.Param() | ops.Contract() | ops.Slice():  # most of all
            return ZERO
        case ops.Sum():
            return t.args[0].size
        case ops.Max():
            return (t.args[0].shape[-1] - 1) * t.size
        case ops.Scatter(taken="largest"):
            return t.args[0].size - t.size
        case ops.Scatter(taken="number"):
            return ZERO
        case ops.Scatter() | ops.Overlap():
            return t.args[0].size
        case ops.Solve():  # a product and a difference for each pair of rows
            return (t.shape[-2] - 1) * t.size
        case Result(leaf, axis):
            return _accumulated(t, leaf) if axis is None else ZERO
        case ops.Windows() | ops.Repeat() | ops.Input() | ops.Const() | ops.MaxIndex():
            return ZERO
        case ops.Gather() | ops.Pad() | ops.Join() | Call() | CallBack():
            return ZERO
        case _:
            assert_never(t.op)


@cache
def _each(operations: int, size: Expr) -> Expr:
    """So many operations for every element; most numbers of elements occur many times."""
    return operations * size


def _accumulated(t: Tensor, leaf: Tensor) -> Expr:
    """A gradient that every application adds to: one addition an element after the first."""
    back = t.args[0].op
    if not isinstance(back, CallBack):
        return ZERO
    call = back.call.op
    assert isinstance(call, Call)
    return ZERO if leaf in call.carried else (call.times - 1) * t.size
