"""Indices: the letters that the axes of tensors are given.

An index is a letter, a group ``(hk)`` of letters merged into one axis, or a letter moved along;
an axis of length 1 has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase

from sympy import Expr

from symledger.ir.shapes import ONE, Shape, product
from symledger.sizes import text_of

ZERO = ONE * 0
FRESH = ascii_lowercase[8:] + ascii_lowercase[:8]


@dataclass(frozen=True)
class Index:
    """Where in an axis: a letter or another text, moved by an offset, or a group of indices."""

    text: str = ""
    offset: Expr = ZERO
    parts: tuple[tuple[Index, Expr], ...] = ()

    def moved(self, by: Expr) -> Index:
        """The index so much further along."""
        return replace(self, offset=(self.offset + by).expand())


NOWHERE = Index()
"""The index of an axis of length 1: none."""
Axis = tuple[tuple[str, Expr], ...]
"""The letters wanted for an axis ("" where any will do) with their lengths; none for length 1."""


def plain(shape: Shape) -> tuple[Axis, ...]:
    """The letters that sizes suggest: b for B, h for h; none for the last axis's d, nor for 4."""
    last = len(shape) - 1
    names = map(text_of, shape)
    return tuple(
        ((name.lower() if name.isupper() or (place < last and name.isalpha()) else "", n),)
        for place, (name, n) in enumerate(zip(names, shape, strict=True))
    )


def lower(axes: tuple[Axis, ...]) -> tuple[Axis, ...]:
    """The letters of patterns that stand for an index, not (B, T) for a size."""
    return tuple(axis if all(name.islower() for name, _ in axis) else () for axis in axes)


def axis_of(wanted: Axis, length: Expr) -> Axis:
    """The letters of an axis of that length, given what a pattern wants."""
    return merged((length,), [lower((wanted,)), plain((length,)), (wanted,)])[0]


def merged(shape: Shape, sources: Sequence[tuple[Axis, ...]]) -> tuple[Axis, ...]:
    """For each axis, the first source that wants letters; sources are aligned at the last axis."""
    found: list[Axis] = []
    for place, n in enumerate(shape, start=-len(shape)):
        offered = [s[place] for s in sources if len(s) >= -place]
        usable = (a for a in offered if a and all(len(name) == 1 for name, _ in a))
        fitting = (((a[0][0], n),) if len(a) == 1 else a for a in usable if fits(a, n))
        found.append(() if n == ONE else next(fitting, (("", n),)))
    return tuple(found)


def fits(axis: Axis, length: Expr) -> bool:
    """Whether an axis is one letter, or its parts make up that length."""
    return len(axis) == 1 or bool(product(tuple(n for _, n in axis)) == length)


def choose(axes: Sequence[Axis], live: frozenset[str] = frozenset()) -> list[Index]:
    """Choose letters that are free: those wanted first, then from i on."""
    wanted = [name.lower() for axis in axes for name, _ in axis]
    taken, chosen = set(live), [""] * len(wanted)
    for place, letter in enumerate(wanted):
        if letter not in taken:
            chosen[place] = letter
            taken.add(letter)
    free = (letter for letter in FRESH if letter not in taken)
    given = iter([letter or next(free) for letter in chosen])
    own = [tuple((Index(next(given)), n) for _, n in axis) for axis in axes]
    return [
        NOWHERE if not parts else parts[0][0] if len(parts) == 1 else Index(parts=parts)
        for parts in own
    ]


def letters(indices: Iterable[Index]) -> frozenset[str]:
    """The letters that indices are made of."""
    return frozenset(p.text for i in indices for p in ([q for q, _ in i.parts] or [i]) if p.text)
