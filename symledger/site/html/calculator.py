"""Calculators: formulas as data that a page's script evaluates exactly, and the sizes they take."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from sympy import Symbol

from symledger import algebra
from symledger.algebra import Monomial, Terms
from symledger.algebra.parsing import least
from symledger.ledger.formula import Formula
from symledger.ledger.peaks import Depth, Peak
from symledger.report.python import fraction
from symledger.site.html import maths
from symledger.sizes import ALPHABET, meaning

ORDER = {s.name: i for i, s in enumerate(ALPHABET)}

SHORT = 6
"""Terms up to which a formula is written again beside its result; longer ones stand above."""

Data = list[list[Any]]
"""A polynomial as ``[["12", {"L": 1, "d": 2}], …]``: coefficients as text, whole exponents."""


@dataclass(frozen=True)
class Box:
    """A size to put in: its name, how it is written, what it means, and where it starts."""

    name: str
    mark: Markup
    meaning: str
    least: int
    start: int | None


@dataclass(frozen=True)
class Result:
    """A number that comes out: the formula's name and unit, the formula, and its data as JSON.

    ``value`` is what comes out at the sizes that the boxes start with; a dash where one is open.
    """

    label: str
    unit: str
    mark: Markup
    data: Markup
    value: str


@dataclass(frozen=True)
class Calculator:
    """Sizes and results that belong together.

    ``conditions`` are JSON: what the formulas take for whole numbers, such as ``d_h = d/h``.
    """

    boxes: tuple[Box, ...]
    results: tuple[Result, ...]
    conditions: Markup

    @property
    def is_written(self) -> bool:
        """Whether a formula is written beside a result."""
        return any(result.mark for result in self.results)


@dataclass(frozen=True)
class Sum:
    """What is calculated: a polynomial, what it is called, its unit.

    With ``moments`` it is the largest of these, and holds where ``depths`` do.
    """

    label: str
    unit: str
    terms: Terms
    moments: tuple[Terms, ...] = ()
    depths: tuple[Depth, ...] = ()

    @property
    def all_terms(self) -> tuple[Terms, ...]:
        """All polynomials that are calculated."""
        return (*(self.moments or (self.terms,)), *(depth.times for depth in self.depths))


def calculator(formulas: Sequence[Formula], at: Mapping[str, int] | None = None) -> Calculator:
    """Return the calculator of formulas of one target; ratios are left out.

    It evaluates what stands on the page: each formula under its assumptions, and refuses sizes
    that these cannot hold at. ``at`` says where sizes start that the target leaves open.
    """
    whole = [f for f in formulas if f.divisor is None]
    equations = {s: p for f in whole for s, p in f.equations.items()}
    known = {s.name: n for f in whole for s, n in f.assumed.bindings.items()}
    sums = [_sum(f) for f in whole]
    return calculating(sums, equations, {**(at or {}), **known})


def _sum(f: Formula) -> Sum:
    if not isinstance(f, Peak):
        return Sum(f.quantity.name, f.unit, f.corollary_terms)
    moments = tuple(m.corollary_terms for m in f.remaining)
    return Sum(f.quantity.name, f.unit, f.corollary_terms, moments, f.depths)


def calculating(
    sums: Sequence[Sum], equations: Mapping[Symbol, Terms], start: Mapping[str, int]
) -> Calculator:
    """Return the calculator of polynomials that hold where ``equations`` give whole numbers."""
    limits = {s: p for s, p in equations.items() if not _always_whole(p)}
    symbols = {
        s.name: s
        for polynomial in (*(p for asked in sums for p in asked.all_terms), *limits.values())
        for monomial in polynomial for s, _ in monomial
    }  # fmt: skip
    return Calculator(
        tuple(_box(symbols[name], start.get(name)) for name in sorted(symbols, key=_place)),
        tuple(_result(asked, {s: start[name] for name, s in symbols.items() if name in start})
              for asked in sums),
        _json([_condition(s, p) for s, p in limits.items()]),
    )


def _always_whole(polynomial: Terms) -> bool:
    """Whether a polynomial is a positive whole number at all positive whole numbers."""
    numbers = (c > 0 and c.denominator == 1 for c in polynomial.values())
    return all(numbers) and all(n > 0 for monomial in polynomial for _, n in monomial)


def _condition(s: Symbol, polynomial: Terms) -> dict[str, Any]:
    says = f"{s.name} = {algebra.canonical(polynomial)}"
    return {"says": says, "least": str(least(s)), **javascript(polynomial)}


def _least(depth: Depth) -> dict[str, Any]:
    says = f"{algebra.canonical(depth.times)} ≥ {depth.number}"
    return {"says": says, "least": str(depth.number), **javascript(depth.times)}


def javascript(polynomial: Terms) -> dict[str, Data]:
    """Return a polynomial as one fraction of two without negative powers or fractions, as data.

    A script computes ``above`` and ``below`` in whole numbers of any size, and refuses sizes at
    which the one does not divide the other.
    """
    above, below = fraction(polynomial)
    return {"above": _data(above), "below": _data(below)}


def _data(polynomial: Terms) -> Data:
    return [[str(c), _powers(monomial)] for monomial, c in algebra.ordered(polynomial)]


def _powers(monomial: Monomial) -> dict[str, int]:
    return {s.name: n for s, n in monomial}


def _box(s: Symbol, start: int | None) -> Box:
    return Box(s.name, maths.symbol(s), meaning(s).meaning, least(s), start)


def _result(asked: Sum, at: Mapping[Symbol, int]) -> Result:
    short = len(asked.terms) <= SHORT and not asked.moments
    mark = maths.inline(asked.terms) if short else Markup("")
    found = algebra.value(asked.terms, at)
    if asked.moments:
        data = _json({
            "largest": [javascript(p) for p in asked.moments],
            "holds": [_least(depth) for depth in asked.depths],
        })
    else:
        data = _json(javascript(asked.terms))
    shown = "–" if found is None or found.denominator > 1 else f"{int(found):,}"
    return Result(asked.label, asked.unit, mark, data, shown)


def _json(data: Any) -> Markup:
    """Write data for an attribute in single quotes: names and digits hold nothing to escape."""
    return Markup(json.dumps(data, separators=(",", ":")))  # noqa: S704  # the same


def _place(name: str) -> tuple[int, str]:
    """Sort sizes as the alphabet has them, others after it."""
    return ORDER.get(name, len(ORDER)), name
