"""Sizes that are rounded from others, evaluated exactly: floors, minima, sums, products."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import ceil, floor, gcd, prod

from sympy import Expr, Integer, Symbol

from symledger.algebra import Number

At = Mapping[Symbol, int]
Value = Callable[[At], Number | None]


def evaluator(e: Expr) -> Value:
    """Return what evaluates an expression at sizes; None where it is no number there."""
    if isinstance(e, Symbol):
        return lambda at: at.get(e)
    if e.is_Rational:
        number = int(e.p) if e.q == 1 else Fraction(int(e.p), int(e.q))
        return lambda at: number
    parts = [evaluator(part) for part in e.args]
    if e.is_Pow and e.exp.is_Integer:
        base, n = parts[0], int(e.exp)
        return lambda at: _power(base(at), n)
    many = MANY.get("Add" if e.is_Add else "Mul" if e.is_Mul else e.func.__name__)
    if many is None:
        return lambda at: _by_sympy(e, at)
    return lambda at: _of(many, [part(at) for part in parts])


MANY: Mapping[str, Callable[[list[Number]], Number]] = {
    "Add": sum, "Mul": prod, "Min": min, "Max": max,
    "floor": lambda values: floor(values[0]), "ceiling": lambda values: ceil(values[0]),
    "CommonDivisor": lambda values: gcd(*map(int, values)),
}  # fmt: skip


def _of(many: Callable[[list[Number]], Number], values: list[Number | None]) -> Number | None:
    known = [v for v in values if v is not None]
    return many(known) if len(known) == len(values) else None


def _power(base: Number | None, n: int) -> Number | None:
    return None if base is None or (n < 0 and not base) else Fraction(base) ** n


def _by_sympy(e: Expr, at: At) -> Number | None:
    found = e.xreplace({s: Integer(n) for s, n in at.items()})
    return Fraction(int(found.p), int(found.q)) if found.is_Rational else None
