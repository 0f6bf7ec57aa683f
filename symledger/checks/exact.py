"""Formulas evaluated exactly, by walking the tree: neither expanded nor rewritten by SymPy."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from operator import add, mul
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sympy import Add, Expr, Min, Mul, Pow, Rational, Symbol, ceiling, floor

from symledger.errors import DefinitionError
from symledger.sizes import CommonDivisor

Sizes = Mapping[Any, int]
"""Whole numbers by symbol."""
Exact = int | Fraction
"""Whole numbers are computed with as such, which is faster by far."""
Array = NDArray[Any]


def value(e: Expr, sizes: Sizes) -> Fraction:
    """Return what a formula is worth at some sizes.

    Raises:
        DefinitionError: a symbol has no size, or the formula holds more than + − × ÷, whole
            powers, floor, ceiling, common divisors and the least of several.

    >>> from symledger.sizes import d, h
    >>> value(4 * d**2 / h, {d: 6, h: 5})
    Fraction(144, 5)
    """
    return Fraction(_value(e, sizes))


def _value(e: Expr, sizes: Sizes) -> Exact:
    if isinstance(e, Symbol):
        if e not in sizes:
            raise DefinitionError(f"{e} has no size here; known are {', '.join(map(str, sizes))}.")
        n = sizes[e]
        return n if type(n) is int else Fraction(n)
    if isinstance(e, Rational):
        return Fraction(int(e.p), int(e.q)) if e.q != 1 else int(e.p)
    if isinstance(e, Mul):
        return math.prod([_value(factor, sizes) for factor in e.args])
    if isinstance(e, Add):
        return sum([_value(term, sizes) for term in e.args])
    if isinstance(e, Pow) and e.exp.is_Integer:
        base, power = _value(e.base, sizes), int(e.exp)
        return Fraction(base) ** power if power < 0 else base**power
    if isinstance(e, floor | ceiling):
        rounded = math.floor if isinstance(e, floor) else math.ceil
        return rounded(_value(e.args[0], sizes))
    if isinstance(e, CommonDivisor):
        return math.gcd(*(int(_value(arg, sizes)) for arg in e.args))
    if isinstance(e, Min):
        return min(_value(arg, sizes) for arg in e.args)
    raise DefinitionError(f"{e} is no count: it holds {type(e).__name__}.")


def values(e: Expr, sizes: Mapping[Any, Array]) -> Array:
    """Return what a formula is worth at many sizes at once, just as exactly.

    ``sizes`` holds arrays of Python's whole numbers that are broadcast against one another, so
    that what has few symbols is evaluated at few sizes.

    Raises:
        DefinitionError: a symbol has no size, or the formula is no Laurent polynomial.
    """
    if not e.free_symbols:
        return np.array(_value(e, {}), dtype=object)
    if isinstance(e, Symbol) and e in sizes:
        return sizes[e]
    if isinstance(e, Mul | Add):
        parts = sorted((values(arg, sizes) for arg in e.args), key=np.size)
        return np.asarray(reduce(mul if isinstance(e, Mul) else add, parts), dtype=object)
    if isinstance(e, Pow) and e.exp.is_Integer:
        base, power = values(e.base, sizes), int(e.exp)
        made: Array = _ratios(base) ** power if power < 0 else base**power
        return made
    raise DefinitionError(f"{e} is no polynomial: it holds {type(e).__name__}.")


_ratios: Callable[[Array], Array] = np.frompyfunc(Fraction, 1, 1)


def whole(e: Expr, sizes: Sizes) -> int:
    """Return what a count is worth at some sizes.

    Raises:
        DefinitionError: it is not a whole number there.
    """
    found = value(e, sizes)
    if found.denominator != 1:
        at = ", ".join(f"{symbol} = {n}" for symbol, n in sizes.items())
        raise DefinitionError(f"{e} = {found} is not a whole number at {at}.")
    return int(found)


def exponents(e: Expr, symbol: Symbol) -> tuple[int, int]:
    """Return bounds of the exponents that a symbol has in a Laurent polynomial.

    They are read off the formula as it is written, so cancelling terms may leave them wide.

    Raises:
        DefinitionError: the formula is no Laurent polynomial in the symbol.

    >>> from symledger.sizes import d, h
    >>> exponents(4 * d**2 + d / h, d), exponents(4 * d**2 + d / h, h)
    ((1, 2), (-1, 0))
    """
    if e == symbol:
        return 1, 1
    if symbol not in e.free_symbols:
        return 0, 0
    if isinstance(e, Add):
        low, high = zip(*(exponents(term, symbol) for term in e.args), strict=True)
        return min(low), max(high)
    if isinstance(e, Mul):
        low, high = zip(*(exponents(factor, symbol) for factor in e.args), strict=True)
        return sum(low), sum(high)
    if isinstance(e, Pow) and e.exp.is_Integer and (e.exp > 0 or e.base == symbol):
        low_, high_ = exponents(e.base, symbol)
        first, last = sorted((low_ * int(e.exp), high_ * int(e.exp)))
        return first, last
    raise DefinitionError(f"{e} is no polynomial in {symbol}.")
