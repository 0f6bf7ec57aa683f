"""What gives the number at sizes that have to be found."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import NamedTuple
from weakref import WeakKeyDictionary

from sympy import Symbol

from symledger import algebra
from symledger.algebra import Monomial, Terms
from symledger.algebra.s_expressions import FUNCTIONS, read_expression
from symledger.explain.branch import SUM, SWAPPED, WITHOUT
from symledger.explain.index.forms import Forms
from symledger.explain.index.outline import Sizes
from symledger.explain.index.readings import QUANTITIES, readings
from symledger.explain.index.sources import Source, complete, evaluate
from symledger.explain.index.table import Table
from symledger.explain.index.usual import is_usual, published_sizes
from symledger.explain.match import Match, Wanted, is_worth, made_of, symbols, wanted_of
from symledger.explain.number import Number
from symledger.explain.parts import Part
from symledger.explain.roots import bind, solutions

SOLVED, ODD, FREE = 2, 5, 2
"""What adds to a rank: a size that no configuration has, and an odd one; each further one."""

Parted = list[tuple[str, Terms]]
"""What may be no whole number at whole sizes, with the size that it is, if it is one."""

ROUNDED = re.compile(rf"\((?:{'|'.join(FUNCTIONS.values())}) ")


def solved(table: Table, number: Number, limit: float = inf) -> Iterator[Match]:
    """Yield what gives the number at sizes that had to be found, and may rank ``limit`` at most."""
    made: dict[object, Match] = {}
    wanted = {
        asked.quantity: [
            wanted for reading in readings(number.unit, asked.quantity)
            if not reading.symbol for wanted in wanted_of(table, number, reading)
            if wanted.rank <= limit
        ] for asked in QUANTITIES[number.unit]
    }  # fmt: skip
    exactly = any(w.low == w.high for several in wanted.values() for w in several)
    forms, every = _candidates(table, exactly)
    tried: dict[object, list[tuple[Wanted, Found]]] = {}
    known: dict[object, Found] = {}
    wholly: dict[object, bool] = {}
    hopeless: set[object] = set()
    for source, part, (formula, left, _), alike in every:
        if alike in hopeless:
            continue
        key = id(left), part.quantity
        if key not in tried:
            tried[key] = list(_found(left, wanted[part.quantity], known))
        worth = [one for one in tried[key] if is_worth(one[0].reading, part)]
        if not worth:
            hopeless.add(alike)
            continue
        parted = forms.parted(source)
        for w, found in worth:
            if parted and not forms.whole(source, found, parted, wholly):
                continue
            same = id(formula), id(found), id(w), part.asked, part.near
            if same in made:
                made[same].parts.append(part)
                continue
            sizes = {**source.given, **found.sizes}
            value = w.low if w.low == w.high else int(evaluate(formula, sizes) or 0)
            made[same] = made_of(table, part, formula, sizes, w, value)
            made[same].rank += found.rank
    yield from made.values()


@dataclass(frozen=True)
class Found:
    """Sizes that had to be found."""

    sizes: Sizes

    @cached_property
    def rank(self) -> float:
        """What they add to a rank."""
        each = (
            0 if (name, n) in published_sizes() else SOLVED if is_usual(name, n) else ODD
            for name, n in self.sizes.items()
        )
        return sum(each) + FREE * max(len(self.sizes) - 1, 0)


class Candidate(NamedTuple):
    """A part whose sizes might be found, and what is told of it and of all that are like it."""

    source: Source
    part: Part
    bound: Bound
    alike: object


def candidates(table: Table) -> list[Candidate]:
    """Return the parts of which sizes might be found that give a number exactly."""
    return _candidates(table, exactly=True)[1]


Candidates = tuple["_Bindings", list[Candidate]]
_OF: WeakKeyDictionary[Table, dict[bool, Candidates]] = WeakKeyDictionary()


def _candidates(table: Table, exactly: bool) -> Candidates:
    """Return the parts whose sizes might be found, whatever the number is: found once a table."""
    found = _OF.setdefault(table, {})
    if exactly not in found:
        forms = _Bindings(table.forms)
        found[exactly] = forms, list(_possible(table, forms, exactly))
    return found[exactly]


def _possible(table: Table, forms: _Bindings, exactly: bool) -> Iterator[Candidate]:
    """Yield each part but those of which too much could be meant, and those that were looked up.

    After such a one none like it is tried.
    """
    groups: dict[object, tuple[int, set[object]]] = {}
    for source, asked, parts in table.listed:
        group, never = groups.setdefault((source.alike, asked), (len(groups), set()))
        for part in parts:
            alike = id(part.amount), part.kind
            if alike in never:
                continue
            most = _most_free(part, source)
            if forms.may_be_bound(part, source, most):
                bound = forms.bound(part, source)
                few = len(bound.free) <= (most if exactly else min(most, 1))
                if few and (bound.free or not source.inside):
                    yield Candidate(source, part, bound, (group, *alike))
                    continue
            never.add(alike)


def _found(
    left: Terms, wanted: Sequence[Wanted], known: dict[object, Found]
) -> Iterator[tuple[Wanted, Found]]:
    """Yield what is wanted with sizes that give it, the same object for those that are known.

    A mistake is looked for only where there are no sizes to be found.
    """
    likely = [w for w in wanted if not w.reading.near] if any(left) else wanted
    for i, at in solutions(left, [(w.low, w.high) for w in likely]):
        sizes = {s.name: n for s, n in at.items()}
        yield likely[i], known.setdefault(tuple(sizes.items()), Found(sizes))


class Bound(NamedTuple):
    """A formula; what is left of it at what was set, and the sizes in that."""

    formula: Terms
    left: Terms
    free: set[Symbol]


class _Unbound(dict[frozenset[str], int]):
    """How many of some sizes no equation decides."""

    def __init__(self, decided: set[str]) -> None:
        self.decided = decided

    def __missing__(self, names: frozenset[str]) -> int:
        self[names] = n = len(names - self.decided)
        return n


class _Bindings:
    """The formulas of parts with what is known put in, each worked out once for all alike."""

    def __init__(self, forms: Forms) -> None:
        self.forms = forms
        self.free: dict[int, _Unbound] = {}
        self.divided: dict[tuple[int, int], Parted] = {}
        self.alike: dict[object, Parted] = {}
        self.made: dict[object, Bound] = {}
        self.left: dict[frozenset[tuple[Monomial, algebra.Number]], Terms] = {}

    def may_be_bound(self, part: Part, source: Source, most: int) -> bool:
        """Whether only so many sizes may be left, at first sight."""
        most += len(source.given)
        equations = source.variant.outline.equations
        if id(equations) not in self.free:
            self.free[id(equations)] = _Unbound({s.name for s in equations})
        unbound = self.free[id(equations)]
        counts = [unbound[one.names] for _, one in part.amount.pieces]
        surely = sum(counts[:1]) - sum(counts[1:])
        return surely <= most and unbound[part.amount.names] <= most

    def whole(
        self, source: Source, found: Found, parted: Parted, known: dict[object, bool]
    ) -> bool:
        """Whether every axis is as long as a whole number: no width is a quarter of two."""
        here = id(parted), id(found), *source.given.items()
        if here not in known:
            given = {**source.given, **found.sizes}
            left = [p for name, p in parted if name not in given]
            at = complete(given, source.variant.outline) if left else given
            values = (evaluate(p, at) for p in left)
            known[here] = all(n is None or n.denominator == 1 for n in values)
        return known[here]

    def parted(self, source: Source) -> Parted:
        """Return what has to be whole: the sizes that follow, and the lengths that divide."""
        frame, equations = source.variant.outline.frame, source.variant.outline.equations
        here = id(frame), id(equations)
        if here not in self.divided:
            lengths = tuple(filter(is_divided, frame.lengths))
            key = lengths, id(equations)
            if key not in self.alike:
                follow = [(s.name, p) for s, p in equations.items() if divides(p)]
                read = [("", algebra.terms(read_expression(text))) for text in lengths]
                self.alike[key] = [*follow, *read]
            self.divided[here] = self.alike[key]
        return self.divided[here]

    def bound(self, part: Part, source: Source) -> Bound:
        """Return a part's formula under its equations, and at what was set."""
        formula = self.forms.under(part.amount, source.variant.outline.equations)
        key = id(formula), tuple(source.given.items())
        if key not in self.made:
            at = {s: n for s in symbols(formula) if (n := source.given.get(s.name))}
            left = bind(formula, at) if at else formula
            left = self.left.setdefault(frozenset(left.items()), left)
            self.made[key] = Bound(formula, left, symbols(left))
        return self.made[key]


def _most_free(part: Part, source: Source) -> int:
    """How many sizes may be found: fewer for what is unlikely anyway, and for whole models."""
    if part.kind == SWAPPED:
        return 0
    return 1 if source.variant.is_model or part.kind in (SUM, WITHOUT) else 3


def is_divided(length: str) -> bool:
    """Whether a length divides; one that rounds is whole in any case."""
    return ("^" in length or "/" in length) and not ROUNDED.search(length)


def divides(polynomial: Terms) -> bool:
    """Whether a polynomial may be no whole number at whole sizes."""
    return any(c.denominator != 1 or any(n < 0 for _, n in m) for m, c in polynomial.items())
