"""What is read and written? The sizes of arguments and results.

Fused, everything that enters or leaves the target is moved once and nothing else: a lower
bound where all of it is used and stored, and no table is looked up.
Unfused, every operation reads its arguments and writes its result; views move nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from sympy import Add, Expr

from symledger.ir.ops import (
    Contract,
    Gather,
    Input,
    Leaf,
    Map,
    Param,
    Repeat,
    Slice,
    Storage,
    View,
    Windows,
)
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Call, Program, Result, Tensor
from symledger.readings.tally import ZERO, Amount, Tally, tally

Bytes = dict[Storage, Expr]
STILL = Leaf | View | Repeat | Call | Result
"""What moves nothing by itself, or is counted where it ends."""


def traffic(program: Program, bytes_of: Bytes) -> Tally:
    """Return the bytes of the inputs, weights and outputs, each moved once.

    Of a table that is only looked up or sliced, the picked rows are read, once for each that is
    picked. That makes the whole a lower bound, as long as no row is picked twice.
    """
    items: list[Amount | Tally] = [
        Amount(program.scope, t.size * bytes_of[t.storage], "input") for t in program.inputs
    ]
    items += weights(program, bytes_of)
    items += _remembered(program, bytes_of)
    items += [
        Amount(program.scope, t.size * bytes_of[t.storage], "output") for t in program.outputs
    ]
    return Tally(program.scope, tuple(items))


def weights(
    program: Program, bytes_of: Bytes, touched: Expr | None = None
) -> Iterable[Amount | Tally]:  # fmt: skip
    """Yield the bytes of weights that are read: of E routed experts those ``touched``, or all."""
    users: dict[Tensor, list[Tensor]] = {weight: [] for weight in program.params}
    for t in program.tensors:
        for arg in dict.fromkeys(t.args):
            if arg in users:
                users[arg].append(t)
    for weight, found in users.items():
        looked_up = all(isinstance(t.op, Gather | Slice) for t in found)
        read = sum((t.size for t in found), start=ZERO) if looked_up else weight.size
        if touched is not None and isinstance(weight.op, Param) and weight.op.used:
            read = weight.size * touched / weight.op.used[1]
        yield Amount(program.owners[weight], read * bytes_of["value"], program.path(weight))
    for call in program.calls:
        assert isinstance(call.op, Call)
        inner = tuple(weights(call.op.body, bytes_of, touched))
        yield Tally(call.op.body.scope, inner, ONE if call.op.shared else call.op.times)


def _remembered(program: Program, bytes_of: Bytes) -> Iterable[Amount | Tally]:
    """What earlier steps have left is read, in every application of a body anew."""
    for t in program.tensors:
        if isinstance(t.op, Input) and t.op.remembered:
            yield Amount(t.scope, t.size * bytes_of[t.storage], t.op.name)
    for call in program.calls:
        assert isinstance(call.op, Call)
        inner = tuple(_remembered(call.op.body, bytes_of))
        if inner:
            yield Tally(call.op.body.scope, inner, call.op.times)


def unfused_traffic(program: Program, bytes_of: Bytes) -> Tally:
    """Return the bytes that move when every operation reads its arguments and writes its result.

    Views move nothing; a lookup reads the rows it picks; masks of pairs are not read. What is seen
    through windows is read once, however many of them it is in.
    """

    def price(t: Tensor) -> Expr:
        if isinstance(t.op, STILL):
            return ZERO
        if isinstance(t.op, Map):
            t.op.code.check_known()
        read = (t, t.args[1]) if isinstance(t.op, Gather) else t.args
        if isinstance(t.op, Contract):
            read = t.args[:2]
        return _together(tuple((x.size, bytes_of[x.storage]) for x in (*map(behind, read), t)))

    return tally(program, price)


@cache
def _together(moved: tuple[tuple[Expr, Expr], ...]) -> Expr:
    """Add up the bytes of some numbers of elements; most operations occur many times."""
    return Add(*(size * each for size, each in moved))


def behind(t: Tensor) -> Tensor:
    """Return what is seen through windows, where a tensor is a view through some."""
    seen = below = t
    while isinstance(below.op, View):
        windows = isinstance(below.op, Windows)
        below = below.args[0]
        seen = below if windows else seen
    return seen


def state(program: Program, bytes_of: Bytes) -> Tally:
    """Return the bytes that decoding keeps between steps: the key/value cache."""

    def price(t: Tensor) -> Expr:
        return ZERO if t.state is None else t.size / t.shape[1] * t.state * bytes_of[t.storage]

    return tally(program, price)
