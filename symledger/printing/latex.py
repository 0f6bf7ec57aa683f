"""A derivation as LaTeX: an ``align`` that compiles when pasted into a paper (amsmath only)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from sympy import Symbol

from symledger import algebra
from symledger.algebra import Number, Terms
from symledger.languages.message import message
from symledger.ledger.formula import Formula
from symledger.ledger.steps import Leading, Shown
from symledger.printing.breaking import Part, filled
from symledger.printing.rows import plus
from symledger.printing.steps import Spelling, lines, short_percent

RELATIONS = {"=": "=", "≈": r"\approx"}


def derivation(target: str, formula: Formula, depth: int) -> str:
    """Write a formula's derivation: opened, collected, assumed, leading, in numbers."""
    name = rf"\text{{{formula.quantity.name}}}"
    rows: list[str] = []
    for line in lines(formula, depth, LATEX):
        first, *more = broken("" if rows else f"{name} ", RELATIONS[line.relation], line.right)
        reasons = "; ".join(line.reasons)
        text = rf"\intertext{{{reasons}}}" + "\n" if rows and reasons else ""
        rows += [text + first, *more]
    label = rf"{rows[-1]} \label{{eq:{target}.{formula.quantity.name}}}"
    rows = [*(rf"{row} \notag" for row in rows[:-1]), label]
    head = [
        f"% {formula.id}: {formula.quantity.meaning}, in {formula.unit}",
        *(f"% with {equation}" for equation in formula.assumptions),
    ]
    return "\n".join([*head, r"\begin{align}", " \\\\\n".join(rows), r"\end{align}", ""])


class Latex:
    """How LaTeX spells the lines of a derivation."""

    def polynomial(self, terms: Terms, at: Mapping[Symbol, int] | None = None) -> str:
        """In the order of the text."""
        return algebra.latex(terms, at)

    def shown(self, body: Shown) -> str:
        """Parts in parentheses: ``V d + L (12 d^{2} + 2 d) + d``."""
        if not body.parts:
            return algebra.latex(body.polynomial)
        inner = plus([self.shown(part) for part in body.parts])
        if not body.factor:
            return inner
        factor = algebra.latex(body.factor)
        return f"({factor}) ({inner})" if len(body.factor) > 1 else f"{factor} ({inner})"

    def ratio(self, above: str, below: str) -> str:
        """On one line, so that it can be broken."""
        return f"({above}) / ({below})"

    def largest(self, each: Sequence[str]) -> str:
        """Between parentheses, so that it can be broken."""
        between = r",\; "
        return rf"\max({between.join(each)})"

    def value(self, exact: Number) -> str:
        """A whole number in groups, or a fraction."""
        if exact.denominator == 1:
            return algebra.latex_number(int(exact))
        return rf"\frac{{{exact.numerator}}}{{{exact.denominator}}}"

    def bound(self, lead: Leading) -> str:
        """The largest of the charges."""
        return lead.written(algebra.latex, r"\max")

    def equation(self, left: str, right: str) -> str:
        """Both sides."""
        return f"{left} = {right}"

    def words(self, text: str) -> str:
        """Text is text."""
        return text

    def sentence(self, key: str, /, **formulas: str) -> str:
        """In English, as the rest of a paper's source."""
        return str(message(key, **formulas))

    def inline(self, formula: str) -> str:
        """Between dollars; a list may go on in the next line."""
        return "$" + formula.replace(", ", r", \allowbreak ") + "$"

    def percent(self, share: Number) -> str:
        """Two significant digits."""
        return rf"${short_percent(share)}\,\%$"


LATEX: Spelling = Latex()


def broken(name: str, sign: str, right: str) -> Iterator[str]:
    """Break a long right side before its signs."""
    for i, text in enumerate(filled(list(_parts(right)), visible, " ")):
        lead = f"{name}&{sign} " if i == 0 else r"&\quad {} "
        yield lead + text


def _parts(right: str) -> Iterator[Part]:
    depth = 0
    for text in re.split(r" (?=[+-] )", right):
        yield Part(text, depth)
        depth += text.count("(") - text.count(")")


def visible(tex: str) -> float:
    """Return about how many characters wide TeX source prints; capitals are half as wide again."""
    plain = re.sub(r"\\[a-zA-Z]+|[{}_^$ ]", "", tex)
    return len(plain) + sum(map(str.isupper, plain)) / 2
