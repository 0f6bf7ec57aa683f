"""Formulas as native MathML (MathML Core), in the same normal form as text and LaTeX.

Every function returns markup: one ``<math>`` with its TeX as an annotation. A size says its plain
name in ``data-sym``. What may be long is a block, broken into an aligned table at ``width`` visible
characters; on a narrow screen it stands in a box that scrolls (``site/assets/math.css``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sympy import Symbol

from symledger import algebra
from symledger.algebra import Terms
from symledger.derivation import Leading, Shown
from symledger.formulas import Formula
from symledger.readings.equations import Equation
from symledger.report import latex, steps
from symledger.report.breaking import WIDTH
from symledger.report.mathml.block import Line, fits, math, table
from symledger.report.mathml.elements import words
from symledger.report.mathml.notation import MATHML
from symledger.report.mathml.spelling import ROWS, SENTENCES

__all__ = [
    "MATHML", "Step", "bound", "derivation", "equation", "equations", "formula", "inline",
    "opened", "polynomial", "setting", "shown", "steps_of", "substituted", "symbol",
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


def symbol(s: Symbol) -> str:
    """Write a size within a sentence."""
    return inline({((s, 1),): 1})


def inline(terms: Terms, at: Mapping[Symbol, int] | None = None) -> str:
    """Write a polynomial within a sentence or a cell of a table, with numbers where they are."""
    return math(ROWS.polynomial(terms, at), latex.LATEX.polynomial(terms, at), block=False)


def opened(body: Shown) -> str:
    """Write a polynomial opened into parts within a sentence: ``4(d² + d)``."""
    return math(ROWS.shown(body), latex.LATEX.shown(body), block=False)


def setting(s: Symbol, n: int) -> str:
    """Write a size and its value within a sentence: ``d = 64``."""
    left: Terms = {((s, 1),): 1}
    row, tex = (
        to.equation(to.polynomial(left), to.value(n)) for to in (ROWS, latex.LATEX)
    )
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


def formula(f: Formula, width: int = WIDTH) -> str:
    """Write the corollary of a formula as a block; a ratio on one line, so that it can break."""
    return _block(steps.collected(f, ROWS), steps.collected(f, latex.LATEX), width)


def substituted(f: Formula, width: int = WIDTH) -> str:
    """Write symbols → numbers → result, one line each; symbols alone while one is unbound."""
    name = words(f.quantity.name)
    rows = [Line("" if i else name, "=", r) for i, r in enumerate(steps.substituted(f, ROWS))]
    sources = [f"&= {right}" for right in steps.substituted(f, latex.LATEX)]
    tex = rf"\text{{{f.quantity.name}}} " + " \\\\\n".join(sources)
    return math(table(rows, width), f"\\begin{{aligned}}\n{tex}\n\\end{{aligned}}")


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
    return math(table([_sides(found)], width), str(source))


def equations(found: Sequence[Equation], sources: Sequence[Equation], width: int = WIDTH) -> str:
    """Write equations below each other, aligned at their signs.

    Both are of one account: ``account.equations(MATHML)`` and ``account.equations(LATEX)``.
    """
    tex = " \\\\\n".join(f"{e.left} &= {e.right}" for e in sources)
    rows = [_sides(e) for e in found]
    return math(table(rows, width), f"\\begin{{aligned}}\n{tex}\n\\end{{aligned}}")


def _sides(e: Equation) -> Line:
    left, right = (side.replace("> <", "><") for side in (e.left, e.right))
    return Line(left, "=", right)


def _block(row: str, tex: str, width: int) -> str:
    return math(row if fits(row, width) else table([Line("", "", row)], width), tex)
