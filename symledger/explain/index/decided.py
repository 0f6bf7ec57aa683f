"""Sizes that others decide, worked out of their canonical form: how many patches an image has.

SymPy would do it too, but takes as long to wake up as a whole search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import chain
from math import ceil, floor, gcd, prod

from symledger.algebra.s_expressions import TOKENS

Value = int | Fraction
Formula = str | Fraction | tuple[str, tuple["Formula", ...]]


def _power(values: Sequence[Value]) -> Value:
    base, exponent = map(Fraction, values)
    if exponent.denominator != 1:
        raise ValueError("a root is no whole number in general")
    return base ** int(exponent)


APPLIED: dict[str, Callable[[Sequence[Value]], Value]] = {
    "+": sum, "*": prod, "^": _power, "max": max, "min": min,
    "floor": lambda values: floor(*values), "ceiling": lambda values: ceil(*values),
    "mod": lambda values: values[0] % values[1], "gcd": lambda values: gcd(*map(int, values)),
}  # fmt: skip


def decided(text: str, at: Mapping[str, int]) -> int | None:
    """Return a size that others decide; None where they are not known, or that is no size.

    >>> decided("(+ (floor (* 2 T (^ s -1))) 1)", {"T": 7, "s": 3})
    5
    """
    formula, names = _read(text)
    if not names <= at.keys():
        return None
    try:
        n = Fraction(_value(formula, at))
    except (ValueError, ZeroDivisionError):
        return None
    return int(n) if n.denominator == 1 and n > 0 else None


def _value(formula: Formula, at: Mapping[str, int]) -> Value:
    if isinstance(formula, tuple):
        operator, parts = formula
        return APPLIED[operator]([_value(part, at) for part in parts])
    return at[formula] if isinstance(formula, str) else formula


@cache
def _read(text: str) -> tuple[Formula, frozenset[str]]:
    formula = _parsed(iter(TOKENS.findall(text)))
    return formula, frozenset(_names(formula))


def _parsed(tokens: Iterator[str]) -> Formula:
    word = next(tokens)
    if word != "(":
        return word if word.isidentifier() else Fraction(word)
    operator, parts = next(tokens), []
    while (word := next(tokens)) != ")":
        parts.append(_parsed(chain((word,), tokens)))
    return operator, tuple(parts)


def _names(formula: Formula) -> Iterator[str]:
    if isinstance(formula, tuple):
        for part in formula[1]:
            yield from _names(part)
    elif isinstance(formula, str):
        yield formula
