"""Weights against those of an implementation, tensor by tensor.

What the implementation has is said as shapes by name, layers written as ``*``; which of our weights
stand behind a name is said by the family. Nothing may be left over on either side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from math import prod

from sympy import Expr

from symledger import algebra
from symledger.accounts.account import Account
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Call, Program

Shape = tuple[int, ...]
Shapes = Mapping[str, Mapping[Shape, int]]
"""How many tensors of each shape go by a name."""


def weights(account: Account) -> dict[str, Counter[Shape]]:
    """Return the shapes of all weights of a target at its configuration, by dotted name.

    Those of a kind of layer that it has none of are left out.
    """
    found: dict[str, Counter[Shape]] = {}
    for name, shape, times in _weights(account.program, ONE):
        lengths = tuple(_number(account, n) for n in shape)
        found.setdefault(name, Counter())[lengths] += _number(account, times)
    return {name: shapes for name, shapes in found.items() if shapes.total()}


def _weights(program: Program, times: Expr) -> Iterator[tuple[str, tuple[Expr, ...], Expr]]:
    for weight in program.params:
        yield program.path(weight), weight.shape, times
    for call in program.calls:
        assert isinstance(call.op, Call)
        yield from _weights(call.op.body, times * (ONE if call.op.shared else call.op.times))


def _number(account: Account, n: Expr) -> int:
    terms = algebra.substitute(algebra.terms(n), account.assumed.equations)
    found = algebra.value(terms, account.assumed.bindings)
    assert found is not None
    assert found.denominator == 1
    return int(found)


def compare(ours: Shapes, theirs: Shapes, names: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Say what differs: a name that has no partner, or other shapes than its partners'.

    A tensor of theirs that is several of ours joined has as many elements as they; several of
    theirs may be one of ours, stacked. A class without a head leaves out the first part of every
    name. What stands alone behind a tensor of theirs is not looked for behind others as well.
    """
    names = {**{_inner(name): partners for name, partners in names.items()}, **names}
    wrong = [f"{name} is none of our weights" for name in theirs if name not in names]
    alone = {found[0] for name in theirs if len(found := _ours(ours, names, name)) == 1}
    met = {name for name in theirs for name in names.get(name, ())}
    wrong += [f"our {name} is in no tensor" for name in ours if name not in met]
    for name, shapes in theirs.items():
        found = _ours(ours, names, name)
        left = [p for p in found if p not in alone] if len(found) > 1 else found
        partners = [ours[p] for p in left or found]
        if not partners:
            wrong += [f"{name}: we have no such weight"] * (name in names)
        elif len(partners) == 1 and not _same(shapes, partners[0]):
            wrong.append(f"{name} is {_said(shapes)}, ours {_said(partners[0])}")
        elif _elements(shapes) != sum(map(_elements, partners)):
            wrong.append(f"{name} is {_said(shapes)}, ours {' and '.join(map(_said, partners))}")
    return wrong


def _ours(ours: Shapes, names: Mapping[str, tuple[str, ...]], name: str) -> list[str]:
    return [partner for partner in names.get(name, ()) if partner in ours]


def _inner(name: str) -> str:
    return name.partition(".")[2]


def _same(theirs: Mapping[Shape, int], ours: Mapping[Shape, int]) -> bool:
    """Whether tensors have the shapes of ours, or are slices of ours along the first axis."""
    slices: Counter[Shape] = Counter()
    for shape, number in ours.items():
        slices[shape[1:]] += number * (shape or (0,))[0]
    return _plain(theirs) in (_plain(ours), _plain(slices))


def _plain(shapes: Mapping[Shape, int]) -> Counter[Shape]:
    """Shapes however their axes are ordered: a matrix may be kept transposed, or flattened."""
    found: Counter[Shape] = Counter()
    for shape, number in shapes.items():
        found[tuple(sorted(n for n in shape if n != 1))] += number
    return found


def _elements(shapes: Mapping[Shape, int]) -> int:
    return sum(prod(shape) * number for shape, number in shapes.items())


def _said(shapes: Mapping[Shape, int]) -> str:
    return ", ".join(f"{n} × {list(shape)}" for shape, n in shapes.items())
