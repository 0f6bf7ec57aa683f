"""What can be copied of a formula."""

from __future__ import annotations

import re
from dataclasses import dataclass

from symledger.ledger.formula import Formula
from symledger.report import python

DOCSTRING = re.compile(r'    """.*?"""\n', re.DOTALL)
"""What a function says of itself; on a page it stands around the formula already."""


@dataclass(frozen=True)
class Copies:
    """A formula as TeX, as SymPy and as a Python function, and the path of the page to link."""

    tex: str
    sympy: str
    python: str
    page: str


def copies(formula: Formula, page: str) -> Copies:
    """Return what the buttons beside a formula copy: it, under its assumptions."""
    below = formula.divisor.corollary_terms if formula.divisor else None
    head = "from fractions import Fraction\n\n\n" if formula.divisor else ""
    code = head + DOCSTRING.sub("", python.function(formula))
    return Copies(formula.latex, formula.canonical(formula.corollary_terms, below), code, page)
