"""The search: every amount that gives the number, exactly or by a common mistake, ranked."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from sympy import Symbol

from symledger import algebra
from symledger.algebra import Terms
from symledger.citing.canonical import FUNCTIONS, read_expression
from symledger.explain.lines import SUM, SWAPPED, WHOLE, WITHOUT
from symledger.explain.number import Number
from symledger.explain.outline import Sizes
from symledger.explain.parts import Part
from symledger.explain.readings import QUANTITIES, Reading, readings
from symledger.explain.solve import bind, solve
from symledger.explain.sources import Points, Source, complete, evaluate
from symledger.explain.table import Same, Table
from symledger.explain.usual import is_usual, named

NEAR, SOLVED, ODD, FREE, ASIDE, LINEAR = 4, 2, 5, 2, 2, 2
"""What adds to a rank: a common mistake; a size that no configuration has, and an odd one; each
further one; each that was not set where others were; that the formula is as good as any number."""

ROUNDED = re.compile(rf"\((?:{'|'.join(FUNCTIONS.values())}) ")


@dataclass
class Match:
    """A formula that gives the number at some sizes; ``parts`` are all that have this formula.

    ``value`` is the formula's own; the number is what ``reading`` makes of it. ``known`` names the
    configurations with these sizes, ``at`` holds all sizes there. The lower ``rank``, the more
    plausible.
    """

    form: Terms
    sizes: Sizes
    value: int
    reading: Reading
    rank: float
    parts: list[Part] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    mistaken: str = ""
    at: Sizes = field(default_factory=dict)

    @property
    def near(self) -> bool:
        """Whether a mistake is needed, or another choice than the one that was asked about."""
        return self.mistake or self.parts[0].near

    @property
    def mistake(self) -> bool:
        """Whether the number is something that was misread, and not something else."""
        return self.reading.near or bool(self.mistaken)

    @property
    def number(self) -> int:
        """The number that the formula gives, read so."""
        times = self.sizes[self.reading.symbol] if self.reading.symbol else 1
        return int(self.value * self.reading.factor * times)


def search(table: Table, number: Number) -> list[Match]:
    """Return everything that gives a number, the most plausible first."""
    found: dict[object, Match] = {}
    for match in (*_known(table, number), *_solved(table, number)):
        _put(found, match)
    order = {id(part): i for i, (part, _) in enumerate(table.parts)}
    for match in found.values():
        match.parts.sort(key=lambda part: (part.unlikely, order[id(part)]))
        match.rank += match.parts[0].unlikely + _several(match, table.given)
    return sorted(found.values(), key=lambda match: (match.rank, len(match.sizes)))


def _several(match: Match, given: Collection[str]) -> int:
    """What its sizes add to a rank: few say more, what was set should occur, d is any number."""
    free = [name for name in match.sizes if name not in given]
    alone = 0 if match.parts[0].variant.is_model else max(len(free) - 1, 0)
    degree = max(map(algebra.degree, match.form))
    aside = ASIDE * (len(free) + (len(free) == len(match.sizes))) if given else 0
    return alone + aside + LINEAR * (degree < 2)


def _put(found: dict[object, Match], match: Match) -> None:
    """Add a match; one of the same formula at the same sizes is the same match."""
    key = (
        frozenset(match.form.items()), tuple(sorted(match.sizes.items())), match.reading,
        match.mistaken, match.parts[0].asked, match.parts[0].near,
    )  # fmt: skip
    same = found.setdefault(key, match)
    if same is not match:
        same.rank = min(same.rank, match.rank)
        same.parts += [part for part in match.parts if part not in same.parts]
        same.known += [name for name in match.known if name not in same.known]


def _known(table: Table, number: Number) -> Iterator[Match]:
    """Yield what gives the number at the sizes of a known configuration."""
    for asked in table.asked:
        wanted = [
            wanted for reading in readings(number.unit, asked.quantity)
            for wanted in _wanted(table, number, reading)
        ]  # fmt: skip
        for value, same, everywhere in table.between(asked, [(w.low, w.high) for w in wanted]):
            for w in wanted:
                if w.low <= value <= w.high and _worth(w.reading, same.parts[0]):
                    points = everywhere
                    if w.often:
                        points = tuple(p for p in points if p[1].get(w.reading.symbol) == w.often)
                    if points:
                        yield _at_known(table, same, points, w)


def _at_known(table: Table, same: Same, points: Points, wanted: Wanted) -> Match:
    """Return what parts are at the sizes of known configurations, which they cannot tell apart."""
    at = points[0][1]
    match = _match(same.parts[0], table.form(same.parts[0], at), at, wanted)
    match.parts = list(same.parts)
    match.known = [known.name for known, _ in points if known.gives(match.sizes)]
    match.rank += min(known.doubt(*likely) for known, _ in points for likely in same.likely)
    return match


def _worth(reading: Reading, part: Part) -> bool:
    """Whether a reading is worth a thought: a mistake is, but not one about a part of something."""
    return not reading.near or part.kind == WHOLE


class Wanted(NamedTuple):
    """An amount, from the least to the greatest, that a reading makes the number of.

    ``often`` is the size that the reading multiplies by, if it names a symbol; ``mistaken`` says
    that the number's unit was taken for another one.
    """

    reading: Reading
    low: int
    high: int
    often: int
    mistaken: str


def _wanted(table: Table, number: Number, reading: Reading) -> Iterator[Wanted]:
    """Yield what is wanted of a reading; then the same had the number's unit been mistaken."""
    often = [0]
    if reading.symbol:
        often = [n for n in table.sizes_of(reading.symbol) if n > 1]
    other = number.mistaken
    for meant in filter(None, (number, other)):
        mistaken = f"it is {meant.text}, not {number.text}" if meant is other else ""
        for n in often:
            factor = reading.factor * (n or 1)
            low, high = Fraction(meant.low) / factor, Fraction(meant.high) / factor
            least, most = -(-low.numerator // low.denominator), high.numerator // high.denominator
            if least <= most:
                yield Wanted(reading, least, most, n, mistaken)


def _solved(table: Table, number: Number) -> Iterator[Match]:
    """Yield what gives the number at sizes that had to be found."""
    tried: dict[object, list[Sizes]] = {}
    made: dict[object, Match] = {}
    forms = _Forms()
    wanted = {
        asked.quantity: [
            wanted for reading in readings(number.unit, asked.quantity)
            if not reading.symbol for wanted in _wanted(table, number, reading)
        ] for asked in QUANTITIES[number.unit]
    }  # fmt: skip
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
        formula, left, free = forms.bound(part, source)
        if len(free) > most or (source.inside and not free):
            continue  # too much could be meant, or it was looked up
        terms = frozenset(left.items())
        for w in wanted[part.quantity]:
            if not _worth(w.reading, part) or (w.reading.near and free):
                continue
            key = terms, w.low, w.high
            if key not in tried:
                solved = solve(left, w.low, w.high)
                tried[key] = [{s.name: n for s, n in at.items()} for at in solved]
            for at in tried[key]:
                here.discard(alike)
                if not forms.whole(source, at):
                    continue
                same = id(formula), id(at), w, part.asked, part.near
                if same in made:
                    made[same].parts.append(part)
                    continue
                match = made[same] = _match(part, formula, {**source.given, **at}, w)
                for name, n in at.items():
                    match.rank += 0 if named(name, n) else SOLVED if is_usual(name, n) else ODD
                match.rank += FREE * max(len(at) - 1, 0)
    yield from made.values()


class _Forms:
    """The formulas of parts with what is known put in, each worked out once for all alike."""

    def __init__(self) -> None:
        self.free: dict[tuple[int, int], int] = {}
        self.parted: dict[object, list[Terms]] = {}
        self.made: dict[object, tuple[Terms, Terms, set[Symbol]]] = {}

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
        key = drawn.frame.lengths
        if key not in self.parted:
            self.parted[key] = list(divided(key))
        given = {**source.given, **found}
        follow = [p for s, p in drawn.equations.items() if s.name not in given]
        at = complete(given, drawn)
        values = (evaluate(p, at) for p in (*follow, *self.parted[key]))
        return all(n is None or n.denominator == 1 for n in values)

    def bound(self, part: Part, source: Source) -> tuple[Terms, Terms, set[Symbol]]:
        """Return a part's formula under its equations; the same at what was set; what is left."""
        equations = source.variant.outline.equations
        key = id(part.amount), id(equations), tuple(source.given.items())
        if key not in self.made:
            formula = algebra.substitute(part.general, equations)
            at = {s: n for s in symbols(formula) if (n := source.given.get(s.name))}
            left = bind(formula, at)
            self.made[key] = formula, left, symbols(left)
        return self.made[key]


def _most_free(part: Part, source: Source) -> int:
    """How many sizes may be found: fewer for what is unlikely anyway, and for whole models."""
    if part.kind == SWAPPED:
        return 0
    return 1 if source.variant.is_model or part.kind in (SUM, WITHOUT) else 3


def _match(part: Part, formula: Terms, sizes: Sizes, wanted: Wanted) -> Match:
    reading, mistaken = wanted.reading, wanted.mistaken
    names = sorted({s.name for s in symbols(formula)} | ({reading.symbol} - {""}))
    own = {name: sizes[name] for name in names}
    value = int(evaluate(formula, sizes) or 0)
    rank = NEAR * reading.near + reading.unlikely + NEAR * bool(mistaken)
    return Match(formula, own, value, reading, rank, [part], mistaken=mistaken, at=sizes)


def divided(lengths: Iterable[str]) -> Iterator[Terms]:
    """Yield those lengths that divide, as polynomials; one that rounds is whole in any case."""
    for text in lengths:
        if ("^" in text or "/" in text) and not ROUNDED.search(text):
            yield algebra.terms(read_expression(text))


def symbols(polynomial: Terms) -> set[Symbol]:
    """Return the symbols of a polynomial."""
    return {s for monomial in polynomial for s, _ in monomial}
