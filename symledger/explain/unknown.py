"""What gives the number at sizes that have to be found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from math import inf
from typing import NamedTuple

from sympy import Symbol

from symledger import algebra
from symledger.algebra import Monomial, Terms
from symledger.citing.canonical import FUNCTIONS, read_expression
from symledger.explain.lines import SUM, SWAPPED, WITHOUT
from symledger.explain.match import Match, is_worth, made_of, symbols, wanted_of
from symledger.explain.number import Number
from symledger.explain.outline import Sizes
from symledger.explain.parts import Part
from symledger.explain.readings import QUANTITIES, readings
from symledger.explain.roots import bind, solve
from symledger.explain.sources import Source, complete, evaluate
from symledger.explain.table import Table
from symledger.explain.usual import is_usual, named

SOLVED, ODD, FREE = 2, 5, 2
"""What adds to a rank: a size that no configuration has, and an odd one; each further one."""

ROUNDED = re.compile(rf"\((?:{'|'.join(FUNCTIONS.values())}) ")


def solved(table: Table, number: Number, limit: float = inf) -> Iterator[Match]:
    """Yield what gives the number at sizes that had to be found, and may rank ``limit`` at most."""
    tried: dict[object, list[Sizes]] = {}
    made: dict[object, Match] = {}
    forms = _Forms()
    wanted = {
        asked.quantity: [
            wanted for reading in readings(number.unit, asked.quantity)
            if not reading.symbol for wanted in wanted_of(table, number, reading)
            if wanted.rank <= limit
        ] for asked in QUANTITIES[number.unit]
    }  # fmt: skip
    exactly = any(w.low == w.high for several in wanted.values() for w in several)
    last, asked = None, None
    hopeless: dict[object, set[object]] = {}
    for part, source in table.parts:
        if source is not last or part.asked is not asked:
            last, asked = source, part.asked
            here = hopeless.setdefault((source.alike, asked), set())
        alike = id(part.amount), part.kind
        if alike in here:
            continue
        here.add(alike)
        most = _most_free(part, source)
        if not forms.may_be_bound(part, source, most):
            continue  # too much could be meant
        formula, left, free, terms = forms.bound(part, source)
        if len(free) > (most if exactly else min(most, 1)) or (source.inside and not free):
            continue  # too much could be meant, or it was looked up
        for w in wanted[part.quantity]:
            if not is_worth(w.reading, part) or (w.reading.near and free):
                continue
            key = terms, w.low, w.high
            if key not in tried:
                found = solve(left, w.low, w.high)
                tried[key] = [{s.name: n for s, n in at.items()} for at in found]
            for at in tried[key]:
                here.discard(alike)
                if not forms.whole(source, at):
                    continue
                same = id(formula), id(at), id(w), part.asked, part.near
                if same in made:
                    made[same].parts.append(part)
                    continue
                sizes = {**source.given, **at}
                value = int(evaluate(formula, sizes) or 0)
                match = made[same] = made_of(part, formula, sizes, w, value)
                for name, n in at.items():
                    match.rank += 0 if named(name, n) else SOLVED if is_usual(name, n) else ODD
                match.rank += FREE * max(len(at) - 1, 0)
    yield from made.values()


class Bound(NamedTuple):
    """A formula; what is left of it at what was set; the sizes and the terms of that."""

    formula: Terms
    left: Terms
    free: set[Symbol]
    terms: frozenset[tuple[Monomial, algebra.Number]]


class _Forms:
    """The formulas of parts with what is known put in, each worked out once for all alike."""

    def __init__(self) -> None:
        self.free: dict[tuple[int, int], int] = {}
        self.parted: dict[object, list[tuple[str, Terms]]] = {}
        self.wholly: dict[object, bool] = {}
        self.made: dict[object, Bound] = {}

    def may_be_bound(self, part: Part, source: Source, most: int) -> bool:
        """Whether only so many sizes may be left, at first sight."""
        equations = source.variant.outline.equations
        key = id(part.amount.names), id(equations)
        if key not in self.free:
            self.free[key] = len(set(part.amount.names) - {s.name for s in equations})
        return self.free[key] - len(source.given) <= most

    def whole(self, source: Source, found: Sizes) -> bool:
        """Whether every axis is as long as a whole number: no width is a quarter of two."""
        drawn = source.variant.outline
        key = drawn.frame.lengths, id(drawn.equations)
        if key not in self.parted:
            follow = [(s.name, p) for s, p in drawn.equations.items() if divides(p)]
            self.parted[key] = [*follow, *(("", p) for p in divided(drawn.frame.lengths))]
        given = {**source.given, **found}
        here = key, tuple(given.items())
        if here not in self.wholly:
            parted = [p for name, p in self.parted[key] if name not in given]
            at = complete(given, drawn) if parted else given
            values = (evaluate(p, at) for p in parted)
            self.wholly[here] = all(n is None or n.denominator == 1 for n in values)
        return self.wholly[here]

    def bound(self, part: Part, source: Source) -> Bound:
        """Return a part's formula under its equations, and at what was set."""
        equations = source.variant.outline.equations
        key = id(part.amount), id(equations), tuple(source.given.items())
        if key not in self.made:
            formula = algebra.substitute(part.general, equations)
            at = {s: n for s in symbols(formula) if (n := source.given.get(s.name))}
            left = bind(formula, at)
            self.made[key] = Bound(formula, left, symbols(left), frozenset(left.items()))
        return self.made[key]


def _most_free(part: Part, source: Source) -> int:
    """How many sizes may be found: fewer for what is unlikely anyway, and for whole models."""
    if part.kind == SWAPPED:
        return 0
    return 1 if source.variant.is_model or part.kind in (SUM, WITHOUT) else 3


def divided(lengths: Iterable[str]) -> Iterator[Terms]:
    """Yield those lengths that divide, as polynomials; one that rounds is whole in any case."""
    for text in lengths:
        if ("^" in text or "/" in text) and not ROUNDED.search(text):
            yield algebra.terms(read_expression(text))


def divides(polynomial: Terms) -> bool:
    """Whether a polynomial may be no whole number at whole sizes."""
    return any(c.denominator != 1 or any(n < 0 for _, n in m) for m, c in polynomial.items())
