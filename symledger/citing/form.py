"""What a formula says, to be written in some format: a polynomial, a ratio, the largest of some."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sympy import Symbol

from symledger import algebra
from symledger.algebra import Terms
from symledger.ledger.formula import Formula
from symledger.ledger.peaks import Peak, of_several


@dataclass(frozen=True)
class Form:
    """The largest of ``each``, of which there is mostly one, over what it is divided by."""

    each: tuple[Terms, ...]
    below: Terms | None = None

    @property
    def symbols(self) -> set[Symbol]:
        """The sizes that stand in it."""
        return set().union(*map(symbols_in, (*self.each, self.below or {})))

    @property
    def text(self) -> str:
        """In plain Unicode."""
        return self.over(algebra.text)

    @property
    def latex(self) -> str:
        """In LaTeX."""
        return self.over(algebra.latex, r"\max({})", r",\; ")

    @property
    def canonical(self) -> str:
        """In Python syntax."""
        each = sorted({algebra.canonical(one) for one in self.each})
        several = of_several(each, "Max({})", ", ")
        return several if self.below is None else f"({several})/({algebra.canonical(self.below)})"

    def over(
        self, write: Callable[[Terms], Any], largest: str = "max({})", between: str = ", "
    ) -> str:
        """Write it, over what it is divided by if there is such a thing."""
        above = of_several([str(write(one)) for one in self.each], largest, between)
        return above if self.below is None else f"({above}) / ({write(self.below)})"


def form_of(formula: Formula, assumed: bool = False) -> Form:
    """Return what a formula says of all sizes, or under its assumptions."""
    if isinstance(formula, Peak):
        those = formula.remaining if assumed else formula.moments
        return Form(tuple(m.corollary_terms if assumed else m.general for m in those))
    above = formula.corollary_terms if assumed else formula.general
    divisor = formula.divisor
    if divisor is None:
        return Form((above,))
    return Form((above,), divisor.corollary_terms if assumed else divisor.general)


def symbols_in(form: Terms) -> set[Symbol]:
    """Return the symbols of a polynomial."""
    return {s for monomial in form for s, _ in monomial}
