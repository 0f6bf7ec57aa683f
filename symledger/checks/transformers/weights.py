"""Weights against those of an implementation, tensor by tensor.

What the implementation has is said as shapes by name, layers written as ``*``; which of our weights
stand behind a name is said by the family. Nothing may be left over on either side. Lengths are
numbers, or formulas multiplied out: two of them are the same where they are equal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import prod
from typing import Any

from sympy import Expr

from symledger import algebra
from symledger.accounts.account import Account
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Call, Program

Shape = tuple[Any, ...]
Shapes = Mapping[str, Mapping[Shape, Any]]
"""How many tensors of each shape go by a name; whole numbers, or formulas multiplied out."""
LEARNED = {"alpha_p": "a_p", "alpha_n": "a_n"}
"""What xIELU learns, by its names there and here."""


def weights(account: Account) -> dict[str, Counter[Shape]]:
    """Return the shapes of all weights of a target at its configuration, by dotted name.

    Those of a kind of layer that it has none of are left out.
    """
    return counted(stated(account.program), lambda n: _number(account, n))


Named = tuple[str, tuple[Expr, ...], Expr]
"""A weight by name, its shape, and how many there are."""


def counted(weights: Iterable[Named], valued: Callable[[Expr], Any]) -> dict[str, Counter[Shape]]:
    """Return the shapes of weights by name, with what lengths and numbers come to.

    Those of which there are none are left out.
    """
    found: dict[str, Counter[Shape]] = {}
    for name, shape, times in weights:
        lengths = tuple(map(valued, shape))
        shapes = found.setdefault(name, Counter())
        shapes[lengths] = exact(shapes[lengths] + valued(times))
    return {name: shapes for name, shapes in found.items() if exact(sum(shapes.values())) != 0}


def exact(n: Any) -> Any:
    """Return a number as it is, a formula multiplied out."""
    return algebra.expression(algebra.terms(n)) if isinstance(n, Expr) else n


def stated(program: Program) -> Iterator[Named]:
    """Yield the weights of a program, and how many there are of each."""
    return _weights(program, ONE)


def _weights(program: Program, times: Expr) -> Iterator[Named]:
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
    name. What stands alone behind a tensor of theirs is not looked for behind others as well. One
    without elements is nothing.
    """
    theirs = {name: shapes for name, shapes in theirs.items() if _elements(shapes) != 0}
    names = {**{_inner(name): partners for name, partners in names.items()}, **names}
    names = {**_learned(ours, theirs, names), **names}
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
        elif _elements(shapes) != exact(sum(map(_elements, partners))):
            wrong.append(f"{name} is {_said(shapes)}, ours {' and '.join(map(_said, partners))}")
    return wrong


def _learned(
    ours: Shapes, theirs: Shapes, names: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """Name the partners of what an activation learns: beside the maps that are around it.

    Any family may be told to use xIELU, whose module has another name in each.
    """
    found: dict[str, tuple[str, ...]] = {}
    for name in theirs:
        around, _, own = name.rpartition(".")
        if own in LEARNED and name not in names:
            module = around.rpartition(".")[0]
            beside = [p for n, ps in names.items() if n.startswith(f"{module}.") for p in ps]
            found[name] = tuple(
                partner for partner in ours
                if partner.endswith(f".{LEARNED[own]}")
                and any(p.startswith(partner.removesuffix(LEARNED[own])) for p in beside)
            )  # fmt: skip
    return found


def _ours(ours: Shapes, names: Mapping[str, tuple[str, ...]], name: str) -> list[str]:
    return [partner for partner in names.get(name, ()) if partner in ours]


def _inner(name: str) -> str:
    return name.partition(".")[2]


def _same(theirs: Mapping[Shape, Any], ours: Mapping[Shape, Any]) -> bool:
    """Whether tensors have the shapes of ours, or are slices of ours along the first axis.

    Ours may be slices of theirs: those of all layers in one. They may also be ours with two axes
    joined, matrices of experts that lie below each other, or with all but the first: windows that
    do not overlap, as a map. Of a table of places down and across ours has a row for each.
    """
    slices = _slices(ours)
    joined = ({_joined(shape, axis): n for shape, n in ours.items()} for axis in (1, 2))
    flat = {(*shape[:1], exact(prod(shape[1:]))): n for shape, n in ours.items()}
    rows = {(exact(prod(shape[:2])), *shape[2:]): n for shape, n in theirs.items()}
    if all(len(shape) == 3 for shape in theirs) and _plain(rows) == _plain(ours):
        return True
    if _plain(_slices(theirs)) == _plain(ours):
        return True
    return _plain(theirs) in (_plain(ours), _plain(slices), _plain(flat), *map(_plain, joined))


def _slices(shapes: Mapping[Shape, Any]) -> Counter[Shape]:
    """Return the tensors that those of these shapes are, taken apart along the first axis."""
    slices: Counter[Shape] = Counter()
    for shape, number in shapes.items():
        rest = shape[1:]
        slices[rest] = exact(slices[rest] + number * (shape or (0,))[0])
    return slices


def _joined(shape: Shape, axis: int) -> Shape:
    """Return the shape with its first axis and another one as one, of tensors that have three."""
    if len(shape) != 3:  # experts, and two axes of each
        return shape
    return (exact(shape[0] * shape[axis]), shape[3 - axis])


def _plain(shapes: Mapping[Shape, Any]) -> Counter[Shape]:
    """Shapes however their axes are ordered: a matrix may be kept transposed, or flattened."""
    found: Counter[Shape] = Counter()
    for shape, number in shapes.items():
        plain = tuple(sorted((n for n in shape if n != 1), key=str))
        found[plain] = exact(found[plain] + number)
    return found


def _elements(shapes: Mapping[Shape, Any]) -> Any:
    return exact(sum(prod(shape) * number for shape, number in shapes.items()))


def _said(shapes: Mapping[Shape, Any]) -> str:
    return ", ".join(f"{n} × {list(shape)}" for shape, n in shapes.items())
