"""Formulas as HTML: the one place through which pages ask for mathematics."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from markupsafe import Markup, escape
from sympy import Expr, Symbol

from symledger.accounts.account import Account
from symledger.algebra import Terms, constant, terms
from symledger.ir.shapes import Shape
from symledger.ledger.formula import Formula
from symledger.ledger.steps import Leading, Shown
from symledger.printing import mathml
from symledger.printing.latex import LATEX
from symledger.printing.mathml.block import folded, math
from symledger.printing.mathml.spelling import ROWS
from symledger.readings.equations import sheet as equations_in
from symledger.readings.equations.sheet import Equation
from symledger.sizes import named

THIN = "\u2009"
SUBSCRIPT = re.compile(r"([A-Za-z]+)_([A-Za-z0-9]+(?:_[A-Za-z0-9]+)*)")

DEPTH = 9
"""Levels of the tree that a derivation opens: all of them, but see ``MOST``."""
MOST = 30
"""Terms of a derivation's longest step: what opens into more is left to the command line."""


def inline(polynomial: Terms) -> Markup:
    """Write a polynomial within a sentence or a table cell."""
    return _markup(mathml.inline(polynomial))


def column(polynomial: Terms) -> Markup:
    """Write a polynomial where there is room for a column: a long one in several lines."""
    return _markup(folded(mathml.inline(polynomial)))


def of(f: Formula, *, general: bool = False) -> Markup:
    """Write a formula within a sentence or a table cell; ``general`` is without assumptions."""
    parts = (f, f.divisor) if f.divisor else (f,)
    forms = [inline(part.general if general else part.corollary_terms) for part in parts]
    return forms[0] if len(forms) == 1 else Markup("({}) / ({})").format(*forms)


def shape(lengths: Shape) -> Markup:
    """Write a shape: ``(B, T, d_ff)``."""
    return _markup(f"({', '.join(map(length, lengths))})")


@cache
def length(n: Expr) -> Markup:
    """Write the length of an axis: few there are, and many axes are that long."""
    return inline(terms(n))


def factored(body: Shown) -> Markup:
    """Write a polynomial with its factors in front within a sentence or a cell: L(12d² + 2d)."""
    return _inline(ROWS.shown(body), LATEX.shown(body))


def numbers(polynomial: Terms, at: Mapping[Symbol, int]) -> Markup:
    """Write a polynomial with numbers in place of symbols: 12·2·64² + 512·64."""
    return _inline(ROWS.polynomial(polynomial, at), LATEX.polynomial(polynomial, at))


def put_in(polynomial: Terms, at: Mapping[Symbol, int]) -> Markup:
    """Write a polynomial with numbers in place of symbols by itself."""
    return boxed(mathml.numbers(polynomial, at))


def bound(lead: Leading) -> Markup:
    """Write the proven bound on the error of a leading form."""
    return _markup(mathml.bound(lead))


def spelled(text: str) -> Markup:
    """Write names and shapes that are spelled in Unicode, subscripts set low: W_Q, (d, 4d)."""
    low = SUBSCRIPT.sub(_lowered, str(escape(text)))
    return Markup('<span class="spelled">{}</span>').format(_markup(low)) if text else Markup("")


def _lowered(name: re.Match[str]) -> str:
    return f"{name[1]}<sub>{name[2].replace('_', THIN)}</sub>"


def symbol(s: Symbol) -> Markup:
    """Write a symbol within a sentence or a table cell."""
    return _markup(mathml.symbol(s))


def setting(s: Symbol, n: int) -> Markup:
    """Write a symbol with its value: d = 64."""
    return _markup(mathml.given(s, constant(n)))


def settings(sizes: Mapping[str, int]) -> Markup:
    """Write symbols with their values: d = 64, h = 4."""
    return Markup(", ").join(setting(named(name), n) for name, n in sizes.items())


def block(polynomial: Terms) -> Markup:
    """Write a polynomial by itself."""
    return boxed(mathml.polynomial(polynomial))


def ratio(above: Terms, below: Terms) -> Markup:
    """Write one polynomial divided by another, by itself."""
    return boxed(mathml.ratio(above, below))


def given(s: Symbol, polynomial: Terms) -> Markup:
    """Write an assumption within a sentence: d_ff = 4d."""
    return _markup(mathml.given(s, polynomial))


def expression(e: Expr) -> Markup:
    """Write what decides a size within a sentence; floors and largest values are allowed."""
    return _markup(mathml.expression(e))


def formula(f: Formula) -> Markup:
    """Write a formula under its assumptions, by itself."""
    return boxed(mathml.formula(f))


def substituted(f: Formula) -> Markup:
    """Write symbols, numbers in their place, the result."""
    return boxed(mathml.substituted(f))


def derivation(target: str, f: Formula, depth: int = DEPTH) -> Markup:
    """Write a whole derivation."""
    return boxed(mathml.derivation(target, f, readable(f, depth)))


def readable(f: Formula, depth: int = DEPTH) -> int:
    """Return how far a derivation is opened on a page: at least one level."""
    levels = sum(1 for step in f.opened_to(depth) if step.opens and step.shown.length <= MOST)
    return max(levels, 1)


def opened(body: Shown) -> Markup:
    """Write one step of a derivation, by itself."""
    return boxed(mathml.shown(body))


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
        for step in mathml.steps_of(f, readable(f, depth))
    )


Written = tuple[tuple[Equation, Markup], ...]
"""Equations, each with its markup."""


def equations(account: Account) -> tuple[Written, Written]:
    """Write what a target computes, forward and backward, an equation a block."""
    both = zip(account.equations(mathml.MATHML), account.equations(equations_in.LATEX), strict=True)
    forward, backward = (
        tuple((e, boxed(mathml.equation(e, tex))) for e, tex in zip(*way, strict=True))
        for way in both
    )
    return forward, backward


def boxed(markup: str) -> Markup:
    """Put a formula into a box of its own, which scrolls where it is too narrow."""
    return _markup(f'<div class="formula" tabindex="0">{markup}</div>')


def _inline(row: str, tex: str) -> Markup:
    return _markup(math(row, tex, block=False))


def _markup(made: str) -> Markup:
    return Markup(made)  # noqa: S704  # written and escaped by our own printer
