"""Sums of polynomials that are added up only when that is asked for.

Most of what may be meant of a target is a few of its lines together, or all but some. Looking for a
number needs the values of the lines alone; the polynomial is made of what gives it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from symledger import algebra
from symledger.algebra import Terms

Piece = tuple[int, Terms]
"""How often, and what."""


@dataclass(frozen=True)
class Sum:
    """Polynomials, each so many times; ``names`` are the symbols of what they add up to."""

    pieces: tuple[Piece, ...]
    names: tuple[str, ...]

    @cached_property
    def terms(self) -> Terms:
        """The polynomial."""
        return algebra.combine(self.pieces)


def summed(pieces: Iterable[Piece]) -> Sum:
    """Return a sum, of which equal polynomials are one piece."""
    often: dict[object, int] = {}
    first: dict[object, Terms] = {}
    for n, one in pieces:
        key = frozenset(one.items())
        first.setdefault(key, one)
        often[key] = often.get(key, 0) + n
    left = tuple((n, first[key]) for key, n in often.items() if n and first[key])
    total = algebra.combine(left)
    return Sum(left, tuple(sorted({s.name for monomial in total for s, _ in monomial})))
