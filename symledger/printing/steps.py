"""The lines of a derivation, spelled in any notation: opened, collected, assumed, leading.

LaTeX and MathML say the same lines for the same reasons; only the spelling differs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from sympy import Symbol

from symledger.algebra import ONE, Number, Terms, variable
from symledger.ledger.formula import Formula
from symledger.ledger.peaks import Peak
from symledger.ledger.steps import Leading, Shown


class Spelling(Protocol):
    """How a notation writes what derivations are made of; a reason is words and formulas."""

    def polynomial(self, terms: Terms, at: Mapping[Symbol, int] | None = None, /) -> str:
        """Write a polynomial, with numbers for its symbols where they are given."""

    def shown(self, body: Shown, /) -> str:
        """Write a polynomial opened into parts."""

    def ratio(self, above: str, below: str, /) -> str:
        """Write one sum divided by another, in one line."""

    def largest(self, each: Sequence[str], /) -> str:
        """Write the largest of several."""

    def value(self, exact: Number, /) -> str:
        """Write an exact value."""

    def bound(self, lead: Leading, /) -> str:
        """Write the bound on the error of a leading form."""

    def equation(self, left: str, right: str, /) -> str:
        """Write that two things are equal."""

    def words(self, text: str, /) -> str:
        """Write words."""

    def sentence(self, key: str, /, **formulas: str) -> str:
        """Write a reason: a message, in which formulas stand as ``inline`` wrote them."""

    def inline(self, formula: str, /) -> str:
        """Write a formula among the words of a reason."""

    def percent(self, share: Number, /) -> str:
        """Write a share among the words of a reason."""


@dataclass(frozen=True)
class Line:
    """One line: how it relates to the one before, what is shown, and the reasons for it."""

    relation: str
    right: str
    reasons: tuple[str, ...] = ()


def lines(formula: Formula, depth: int, to: Spelling) -> Iterator[Line]:
    """Yield the lines of a formula's derivation, its tree opened down to ``depth``."""
    if formula.divisor or isinstance(formula, Peak):
        yield Line("=", collected(formula, to))
    else:
        yield from _opened(formula, depth, to)
    if formula.exact is not None and formula.corollary_terms.keys() - {ONE}:
        yield Line("=", to.value(formula.exact))
    yield from _leading(formula, to)


def collected(formula: Formula, to: Spelling, at: Mapping[Symbol, int] | None = None) -> str:
    """Write the form under the assumptions, over its divisor where there is one."""
    if isinstance(formula, Peak):
        each = [to.polynomial(m.corollary_terms, at) for m in formula.remaining]
        return to.largest(each) if len(each) > 1 else each[0]
    above = to.polynomial(formula.corollary_terms, at)
    if formula.divisor is None:
        return above
    return to.ratio(above, to.polynomial(formula.divisor.corollary_terms, at))


def substituted(formula: Formula, to: Spelling) -> tuple[str, ...]:
    """Write symbols, numbers in their place, the result; symbols alone while one is unbound."""
    symbols = collected(formula, to)
    if formula.exact is None:
        return (symbols,)
    numbers = collected(formula, to, formula.assumed.bindings)
    return tuple(dict.fromkeys((symbols, numbers, to.value(formula.exact))))


def _opened(formula: Formula, depth: int, to: Spelling) -> Iterator[Line]:
    before = ""
    for step in formula.opened_to(depth):
        right = to.shown(step.shown)
        if right != before:
            reason = to.sentence(step.reason.key) if step.given is None else _assumed(formula, to)
            yield Line("=", right, (reason,))
        before = right


def _assumed(formula: Formula, to: Spelling) -> str:
    equations = (
        to.inline(to.equation(to.polynomial(variable(s)), to.polynomial(p)))
        for s, p in formula.equations.items()
    )
    return to.sentence("step.assumed", equations=to.words(", ").join(equations))


def _leading(formula: Formula, to: Spelling) -> Iterator[Line]:
    lead = formula.leading
    if not lead or not lead.charged:
        return
    main, most = (f(formula.assumed.bindings) for f in (lead.value, lead.bound))
    right = to.polynomial(lead.terms)
    reasons = [to.sentence("step.too_low", bound=to.inline(to.bound(lead)))]
    if formula.error is not None and most is not None:
        error, most_shown = to.percent(formula.error), to.percent(most)
        reasons.append(to.sentence("step.here_by", error=error, most=most_shown))
    if main is not None:
        right = to.equation(right, to.value(main))
    yield Line("≈", right, tuple(reasons))


def short_percent(share: Number) -> str:
    """Write the number of a percentage with two significant digits, and no exponent.

    >>> from fractions import Fraction
    >>> short_percent(Fraction(1, 10**7)), short_percent(Fraction(3, 1250))
    ('0.00001', '0.24')
    """
    return f"{Decimal(f'{float(100 * share):.2g}'):f}"
