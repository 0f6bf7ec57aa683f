"""Surveys read back from the texts of their owners: what is equal is one object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sympy import Symbol

from symledger.algebra import Terms
from symledger.explain.branch import Branch
from symledger.explain.index.notation import read
from symledger.explain.index.outline import Frame, Outline, Survey
from symledger.explain.index.readings import ALL, Asked
from symledger.explain.sums import ONCE
from symledger.sizes import named


class Reader:
    """What is asked for, read of one owner after the other.

    Equations and frames that are equal are one object, whichever owner has them.
    """

    def __init__(self, asked: Sequence[Asked]) -> None:
        self.asked = [(a, ALL.index(a)) for a in asked]
        self.told_by = asked[0].quantity
        self.frames: dict[object, Frame] = {}
        self.equations: dict[object, dict[Symbol, Terms]] = {}
        self.branches: dict[object, Branch] = {}

    def survey(self, data: dict[str, Any]) -> Survey:
        """Return the survey of an owner."""
        lines = Lines(data["lines"], self.branches)
        frames = [self._frame(frame) for frame in data["frames"]]
        sizes = [(self._equations(equations), at) for equations, at in data["sizes"]]
        choices, places = data["surveys"][self.told_by]
        outlines = []
        for changed, case, frame, here, roots in map(data["outlines"].__getitem__, places):
            found = {a: lines[roots[i]] if roots[i] >= 0 else None for a, i in self.asked}
            equations, at = sizes[here]
            outlines.append(Outline(_frozen(changed), case, frames[frame], equations, at, found))
        return Survey({n: tuple(values) for n, values in choices.items()}, tuple(outlines))

    def _equations(self, data: dict[str, str]) -> dict[Symbol, Terms]:
        key = tuple(data.items())
        if key not in self.equations:
            self.equations[key] = {named(s): read(text) for s, text in key}
        return self.equations[key]

    def _frame(self, data: list[Any]) -> Frame:
        symbols, *others = data
        key = symbols, *map(_frozen, others)
        if key not in self.frames:
            self.frames[key] = Frame(tuple(symbols.split()), *key[1:])
        return self.frames[key]


class Lines(dict[int, Branch]):
    """The lines of an owner by their numbers, made when they are asked for.

    Equal ones of all owners are one object.
    """

    def __init__(self, data: list[Any], known: dict[object, Branch]) -> None:
        self.data, self.known = data, known

    def __missing__(self, number: int) -> Branch:
        label, said, *more = self.data[number]
        if more and isinstance(more[0], list):
            more[0] = tuple([self[n] for n in more[0]])
        key = label, said, *more
        if key not in self.known:
            self.known[key] = _branch(*key)
        self[number] = made = self.known[key]
        return made


def _branch(label: str, said: str, *more: Any) -> Branch:
    if not more:
        return Branch(label, own=read(said))
    first, *rest = more
    if isinstance(first, str):
        return Branch(label, own=read(said), axes=(read(first), read(rest[0])))
    return Branch(label, said, times=read(rest[0]) if rest else ONCE, parts=first)


def _frozen(data: Any) -> Any:
    return tuple(map(_frozen, data)) if isinstance(data, list) else data
