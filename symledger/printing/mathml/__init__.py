"""Formulas as native MathML (MathML Core), in the same normal form as text and LaTeX.

Every function returns markup: one ``<math>`` with its TeX as an annotation. A size says its plain
name in ``data-sym``. What may be long is a block, broken into an aligned table at ``width`` visible
characters; on a narrow screen it stands in a box that scrolls (``site/assets/math.css``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from sympy import Expr, Symbol

from symledger import algebra
from symledger.algebra import Terms
from symledger.ledger.formula import Formula
from symledger.ledger.steps import Leading, Shown
from symledger.printing import latex, steps
from symledger.printing.breaking import WIDTH
from symledger.printing.mathml.block import Line, fits, math, table
from symledger.printing.mathml.elements import words
from symledger.printing.mathml.notation import MATHML
from symledger.printing.mathml.spelling import ROWS, SENTENCES
from symledger.readings.equations.scalar import scalar
from symledger.readings.equations.sheet import LATEX, Equation

__all__ = [
    "MATHML", "Step", "bound", "derivation", "equation", "equations", "expression", "formula",
    "given", "inline", "numbers", "polynomial", "ratio", "shown", "steps_of", "substituted",
    "symbol",
]  # fmt: skip


@dataclass(frozen=True)
class Step:
    """One line of a derivation, to be laid out by itself.

    ``markup`` is a block that begins with its relation; ``reason`` is HTML, empty where there is
    none; ``tex`` is the right side alone.
    """

    relation: str
    markup: str
    tex: str
    reason: str


@cache
def symbol(s: Symbol) -> str:
    """Write a size within a sentence."""
    return inline(algebra.variable(s))


def inline(terms: Terms) -> str:
    """Write a polynomial within a sentence or a cell of a table."""
    return math(ROWS.polynomial(terms), algebra.latex(terms), block=False)


def given(s: Symbol, terms: Terms) -> str:
    """Write what is assumed of a size within a sentence: ``d_ff = 4d``."""
    row, tex = (
        to.equation(to.polynomial(algebra.variable(s)), to.polynomial(terms))
        for to in (ROWS, latex.LATEX)
    )
    return math(row, tex, block=False)


def expression(e: Expr) -> str:
    """Write an expression that is no polynomial within a sentence: ``⌊(H + 2p - K)/s⌋ + 1``."""
    row, tex = (scalar(e, {}, notation).text for notation in (MATHML, LATEX))
    return math(row, tex, block=False)


def bound(lead: Leading) -> str:
    """Write the proven bound on the error of a leading form within a sentence."""
    return math(ROWS.bound(lead), latex.LATEX.bound(lead), block=False)


def polynomial(terms: Terms, width: int = WIDTH) -> str:
    """Write a polynomial as a block: ``12Ld² + 2Ld + Vd + d``."""
    return _block(ROWS.polynomial(terms), algebra.latex(terms), width)


def shown(body: Shown, width: int = WIDTH) -> str:
    """Write a polynomial opened into parts as a block: ``Vd + L(12d² + 2d) + d``."""
    return _block(ROWS.shown(body), latex.LATEX.shown(body), width)


def numbers(polynomial: Terms, at: Mapping[Symbol, int], width: int = WIDTH) -> str:
    """Write a polynomial with numbers in place of symbols as a block: ``12·2·64² + 512·64``."""
    return _block(ROWS.polynomial(polynomial, at), latex.LATEX.polynomial(polynomial, at), width)


def formula(f: Formula, width: int = WIDTH) -> str:
    """Write the corollary of a formula as a block; a ratio on one line, so that it can break."""
    return _block(steps.collected(f, ROWS), steps.collected(f, latex.LATEX), width)


def ratio(above: Terms, below: Terms, width: int = WIDTH) -> str:
    """Write a polynomial divided by another as a block, on one line, so that it can break."""
    row, tex = (
        to.ratio(to.polynomial(above), to.polynomial(below)) for to in (ROWS, latex.LATEX)
    )
    return _block(row, tex, width)


def substituted(f: Formula, width: int = WIDTH, named: bool = True) -> str:
    """Write symbols → numbers → result, one line each; symbols alone while one is unbound."""
    name, tex = (words(f.quantity.name), rf"\text{{{f.quantity.name}}} ") if named else ("", "")
    rows = [Line("" if i else name, "=", r) for i, r in enumerate(steps.substituted(f, ROWS))]
    sources = [f"&= {right}" for right in steps.substituted(f, latex.LATEX)]
    return math(table(rows, width), _aligned(tex, sources))


def derivation(target: str, f: Formula, depth: int, width: int = WIDTH) -> str:
    """Write a derivation as one aligned block; its TeX is what ``derive --format latex`` prints."""
    rows: list[Line] = []
    for line in steps.lines(f, depth, ROWS):
        name, reasons = ("", line.reasons) if rows else (words(f.quantity.name), ())
        rows.append(Line(name, line.relation, line.right, reasons))
    return math(table(rows, width), latex.derivation(target, f, depth))


def steps_of(f: Formula, depth: int, width: int = WIDTH) -> tuple[Step, ...]:
    """Return the lines of a derivation one by one, the first with the reason for it as well."""
    return tuple(
        Step(
            line.relation,
            math(table([Line("", line.relation, line.right)], width), source.right),
            source.right,
            "; ".join(line.reasons),
        )
        for line, source in zip(
            steps.lines(f, depth, SENTENCES), steps.lines(f, depth, latex.LATEX), strict=True
        )
    )


def equation(found: Equation, source: Equation, width: int = WIDTH) -> str:
    """Write one equation; ``found`` is in the notation MATHML, ``source`` the same in LATEX."""
    return math(table([Line(found.left, "=", found.right)], width), str(source))


def equations(found: Sequence[Equation], sources: Sequence[Equation], width: int = WIDTH) -> str:
    """Write equations below each other, aligned at their signs.

    Both are of one account: ``account.equations(MATHML)`` and ``account.equations(LATEX)``.
    """
    rows = [Line(e.left, "=", e.right) for e in found]
    return math(table(rows, width), _aligned("", [f"{e.left} &= {e.right}" for e in sources]))


def _aligned(first: str, sources: Sequence[str]) -> str:
    lines = " \\\\\n".join(sources)
    return f"\\begin{{aligned}}\n{first}{lines}\n\\end{{aligned}}"


def _block(row: str, tex: str, width: int) -> str:
    return math(row if fits(row, width) else table([Line("", "", row)], width), tex)
