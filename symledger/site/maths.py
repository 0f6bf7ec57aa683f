"""Formulas as HTML: the one place through which pages ask for mathematics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup
from sympy import Symbol

from symledger.algebra import Terms
from symledger.derivation import Shown
from symledger.formulas import Formula
from symledger.report import mathml
from symledger.report.figures import divisor

DEPTH = 9
"""Levels of the tree that a derivation opens: all of them."""


def inline(polynomial: Terms, at: Mapping[Symbol, int] | None = None) -> Markup:
    """Write a polynomial within a sentence or a table cell, with numbers for known symbols."""
    return _markup(mathml.inline(polynomial, at))


def factored(polynomial: Terms) -> Markup:
    """Write a polynomial with the divisor of its coefficients in front, within a sentence."""
    common, inner = divisor(polynomial)
    if common == 1:
        return inline(polynomial)
    return _markup(mathml.opened(Shown(polynomial, {(): common}, (Shown(inner),))))


def symbol(s: Symbol) -> Markup:
    """Write a symbol within a sentence or a table cell."""
    return _markup(mathml.symbol(s))


def setting(s: Symbol, n: int) -> Markup:
    """Write a symbol with its value: d = 64."""
    return _markup(mathml.setting(s, n))


def block(polynomial: Terms) -> Markup:
    """Write a polynomial by itself."""
    return boxed(mathml.polynomial(polynomial))


def formula(f: Formula) -> Markup:
    """Write a formula under its assumptions, by itself."""
    return boxed(mathml.formula(f))


def substituted(f: Formula) -> Markup:
    """Write symbols, numbers in their place, the result."""
    return boxed(mathml.substituted(f))


def derivation(target: str, f: Formula, depth: int = DEPTH) -> Markup:
    """Write a whole derivation."""
    return boxed(mathml.derivation(target, f, depth))


@dataclass(frozen=True)
class Step:
    """One line of a derivation by itself, and the reason for it."""

    relation: str
    markup: Markup
    reason: Markup


def steps_of(f: Formula, depth: int = DEPTH) -> tuple[Step, ...]:
    """Return the lines of a derivation one by one."""
    return tuple(
        Step(step.relation, boxed(step.markup), _markup(step.reason))
        for step in mathml.steps_of(f, depth)
    )


def boxed(markup: str) -> Markup:
    """Put a formula into a box of its own, which scrolls where it is too narrow."""
    return Markup('<div class="formula" tabindex="0">{}</div>').format(_markup(markup))


def _markup(made: str) -> Markup:
    return Markup(made)  # noqa: S704  # written and escaped by our own printer
