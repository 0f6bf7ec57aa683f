"""The formulas of amounts: their polynomials under equations, equal ones the same object."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Symbol

from symledger import algebra
from symledger.algebra import Monomial, Number, Terms
from symledger.explain.sums import Sum

Equations = Mapping[Symbol, Terms]


class Forms:
    """Sums under equations. Each is worked out once, of pieces that are put in once.

    Sums and equations are told by which objects they are, and have to live as long as this does.
    """

    def __init__(self) -> None:
        self.sums: dict[tuple[int, int], Terms] = {}
        self.pieces: dict[tuple[int, int], Terms] = {}
        self.made: dict[frozenset[tuple[Monomial, Number]], Terms] = {}
        self.named: dict[int, list[str]] = {}

    def under(self, amount: Sum, equations: Equations) -> Terms:
        """Return the polynomial of a sum under equations."""
        key = id(amount), id(equations)
        if key not in self.sums:
            pieces = [(n, self._piece(p, equations)) for n, p in amount.pieces]
            plain = len(pieces) == 1 and pieces[0][0] == 1
            form = pieces[0][1] if plain else algebra.combine(pieces)
            self.sums[key] = self.made.setdefault(frozenset(form.items()), form)
        return self.sums[key]

    def names(self, form: Terms) -> list[str]:
        """Return the names of the symbols of a polynomial that this made, in order."""
        if id(form) not in self.named:
            self.named[id(form)] = sorted({s.name for monomial in form for s, _ in monomial})
        return self.named[id(form)]

    def _piece(self, polynomial: Terms, equations: Equations) -> Terms:
        key = id(polynomial), id(equations)
        if key not in self.pieces:
            self.pieces[key] = algebra.substitute(polynomial, equations)
        return self.pieces[key]
