"""Shapes: how many elements they hold, how two of them are aligned, how they are shown."""

from __future__ import annotations

from functools import cache

from sympy import Add, Expr, Integer, Mul, cancel

from symledger.errors import ShapeError

Shape = tuple[Expr, ...]
ONE = Integer(1)


@cache
def product(lengths: Shape) -> Expr:
    """Return the product of some lengths; most shapes occur many times."""
    return Mul(*lengths)


def as_size(value: Expr | int) -> Expr:
    """Return a whole number as the SymPy integer that it is; leave an expression as it is."""
    return Integer(value) if isinstance(value, int) else value


def same(a: Expr, b: Expr) -> bool:
    """Whether two lengths are equal, as sums too that are written otherwise."""
    return bool(a == b or ((a.has(Add) or b.has(Add)) and (a - b).expand() == 0))


def part_of(length: Expr, others: Expr) -> Expr:
    """Divide a length by the product of others; sums that divide it are reduced."""
    found = length / others
    return cancel(found).expand() if found.as_numer_denom()[1].has(Add) else found


def broadcast(left: Shape, right: Shape) -> Shape:
    """Return the common shape of two tensors aligned at their last axes."""
    if left == right:
        return left
    longer, shorter = (left, right) if len(left) >= len(right) else (right, left)
    lead = len(longer) - len(shorter)
    pairs = zip(longer[lead:], shorter, strict=True)
    merged = tuple(_common(a, b, left, right) for a, b in pairs)
    return longer[:lead] + merged


def _common(a: Expr, b: Expr, left: Shape, right: Shape) -> Expr:
    if a is b or b is ONE or a == b:
        return a
    if a is ONE:
        return b
    if same(a, b):
        return a
    raise ShapeError(
        f"{show(left)} and {show(right)} do not fit together: {a} stands above {b}. "
        "Axes are aligned from the last one; they must be equal, or one of them 1."
    )


def show(shape: Shape) -> str:
    """Write a shape for a person: ``[B T d]``."""
    return "[" + " ".join(str(length).replace(" ", "") for length in shape) + "]"
