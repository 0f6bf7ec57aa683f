"""Shapes: how many elements they hold, how two of them are aligned, how they are shown."""

from __future__ import annotations

from functools import cache

from sympy import Expr, Integer, Mul

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
    raise ShapeError(
        f"{show(left)} and {show(right)} do not fit together: {a} stands above {b}. "
        "Axes are aligned from the last one; they must be equal, or one of them 1."
    )


def show(shape: Shape) -> str:
    """Write a shape for a person: ``[B T d]``."""
    return "[" + " ".join(str(length).replace(" ", "") for length in shape) + "]"
