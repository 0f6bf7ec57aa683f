"""The mistakes that can be made about one tensor of a program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, get_args

from sympy import Add, Expr, Integer

from symledger.checks.mutants.rewriting import Change, again
from symledger.ir.ops import Contract, Join, Map, Param, Repeat, Scatter, Stated, Storage, Sum
from symledger.ir.scalars import Scalar
from symledger.ir.tensor import Call, Op, Tensor
from symledger.notation.verbs import expand, narrow, table


@dataclass(frozen=True)
class Mistake:
    """A kind of mistake, what was done, and the change that does it."""

    kind: str
    what: str
    change: Change


def in_programs(t: Tensor) -> Iterator[Mistake]:
    """Yield mistakes in a forward or a backward program, while the other one stays right."""
    match t.op:
        case Contract():
            yield from _swapped_axes(t, t.op)
        case Map(code):
            yield Mistake("coefficient", "doubled", _with_op(Map(_coded(code, 2 * code.value))))
            for arg in code.args if len(code.args) > 1 else ():
                neutral = Integer(0 if isinstance(code.value, Add) else 1)
                dropped = _coded(code, code.value.xreplace({arg: neutral}))
                yield Mistake("dropped term", f"without {arg}", _with_op(Map(dropped)))
        case Sum():
            yield Mistake("forgotten sum", "its first element", _first)
        case Repeat():
            yield Mistake("coefficient", "copies of its double", _doubled)
        case Scatter() | Join():
            yield Mistake("dropped term", "all zero", _zero)
        case _:
            return


def in_definitions(t: Tensor) -> Iterator[Mistake]:
    """Yield mistakes in a definition, which the backward program follows."""
    match t.op:
        case Contract(pairs=pairs) as op:
            yield from _swapped_axes(t, op)
            if pairs:
                stated = replace(op, pairs=replace(pairs, count=pairs.count + 1))
                yield Mistake("wrong number of pairs", "one more", _with_op(stated))
        case Map() | Join():
            for arg in t.args if len(t.args) > 1 else ():
                if arg.shape == t.shape:
                    what = f"only {arg}"
                    yield Mistake("dropped line", what, _only(t.args.index(arg)))
        case Param():
            yield Mistake("dropped weight", "a table of zeros", _zero)
            for axis, length in enumerate(t.shape):
                for other in dict.fromkeys(n for n in t.shape if n != length):
                    yield Mistake("wrong size", f"{other} for {length}", _long(axis, other))
        case _:
            pass


def in_storage(t: Tensor) -> Iterator[Mistake]:
    """Yield the wrong storage classes of a tensor that is kept."""
    for storage in get_args(Stated):
        if storage != t.storage:
            what = f"{storage} for {t.storage}"
            yield Mistake("wrong storage class", what, _stored_as(storage))


def in_calls(t: Tensor) -> Iterator[Mistake]:
    """Yield mistakes about how often a body is applied, and with whose weights."""
    assert isinstance(t.op, Call)
    for times in (Integer(1), t.op.times + 1, t.op.times - 1, 2 * t.op.times):
        yield Mistake("wrong times", f"{times} times", _with_op(replace(t.op, times=times)))
    yield Mistake("wrong times", "one set of weights", _with_op(replace(t.op, shared=True)))


def in_uses(t: Tensor, weight: Tensor) -> Mistake:
    """Return the mistake of taking a new weight where one is used again."""

    def change(t: Tensor, args: tuple[Tensor, ...]) -> Tensor:
        own = Tensor(weight.op, (), weight.shape)
        place = t.args.index(weight)
        return again(t, (*args[:place], own, *args[place + 1 :]))

    return Mistake("duplicated weight", f"{weight} anew", change)


def _swapped_axes(t: Tensor, op: Contract) -> Iterator[Mistake]:
    """Exchange two indices of the result, or of an operand, and leave the shape as it was."""
    for side in ("left", "right", "out"):
        names = getattr(op, side)
        for i, j in pairwise(range(len(names))):
            order = list(names)
            order[i], order[j] = order[j], order[i]
            what = f"{names[i]} and {names[j]} exchanged in {side}"
            swapped: dict[str, Any] = {side: tuple(order)}
            yield Mistake("swapped axis", what, _with_op(replace(op, **swapped)))


def _coded(code: Scalar, value: Expr) -> Scalar:
    return Scalar(code.args, value)


def _with_op(op: Op) -> Change:
    return lambda t, args: again(t, args, op=op)


def _stored_as(storage: Storage) -> Change:
    return lambda t, args: again(t, args, storage=storage)


def _only(place: int) -> Change:
    return lambda t, args: args[place]


def _long(axis: int, length: Expr) -> Change:
    return lambda t, args: again(t, args, shape=(*t.shape[:axis], length, *t.shape[axis + 1 :]))


def _zero(t: Tensor, args: tuple[Tensor, ...]) -> Tensor:
    return expand(table("zero", lambda: Integer(0)), t.shape)


def _doubled(t: Tensor, args: tuple[Tensor, ...]) -> Tensor:
    doubled: Tensor = args[0] * 2
    return again(t, (doubled,))


def _first(t: Tensor, args: tuple[Tensor, ...]) -> Tensor:
    assert isinstance(t.op, Sum)
    (x,) = args
    for axis in t.op.axes:
        x = narrow(x, axis, 0, 1)
    return x
