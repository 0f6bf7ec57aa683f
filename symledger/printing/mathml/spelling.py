"""How MathML spells the lines of a derivation, as rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from sympy import Symbol

from symledger.algebra import Number, Terms
from symledger.languages.message import message
from symledger.languages.sealing import Raw, escaped
from symledger.ledger.steps import Leading, Shown
from symledger.printing.mathml import polynomials
from symledger.printing.mathml.elements import EQUALS, element, operator, parens, words
from symledger.printing.steps import Spelling, short_percent


class Rows:
    """Everything within one formula: words are text among its elements."""

    def polynomial(self, terms: Terms, at: Mapping[Symbol, int] | None = None) -> str:
        """In the order of the text."""
        return polynomials.polynomial(terms, at)

    def shown(self, body: Shown) -> str:
        """Parts in parentheses."""
        return polynomials.shown(body)

    def ratio(self, above: str, below: str) -> str:
        """On one line, so that it can be broken."""
        return parens(above) + operator("/") + parens(below)

    def largest(self, each: Sequence[str]) -> str:
        """Between parentheses."""
        return polynomials.largest(each)

    def value(self, exact: Number) -> str:
        """A whole number in groups, or a fraction."""
        return polynomials.value(exact)

    def bound(self, lead: Leading) -> str:
        """The largest of the charges."""
        return polynomials.bound(lead)

    def equation(self, left: str, right: str) -> str:
        """Both sides."""
        return left + EQUALS + right

    def words(self, text: str) -> str:
        """Text among elements."""
        return words(text)

    def sentence(self, key: str, /, **formulas: str) -> str:
        """Text among elements; a formula ends it, and begins it anew."""
        known = {name: Raw(f"</mtext>{formula}<mtext>") for name, formula in formulas.items()}
        return element("mtext", escaped(message(key, **known)))

    def inline(self, formula: str) -> str:
        """As it is."""
        return formula

    def percent(self, share: Number) -> str:
        """Two significant digits."""
        return element("mn", short_percent(share)) + element("mtext", "\u202f%")


class Sentences(Rows):
    """Reasons as HTML: words that wrap like any, and formulas among them."""

    def words(self, text: str) -> str:
        """Escaped text."""
        return escape(text)

    def sentence(self, key: str, /, **formulas: str) -> str:
        """Words, and formulas among them."""
        return escaped(message(key, **{name: Raw(formula) for name, formula in formulas.items()}))

    def inline(self, formula: str) -> str:
        """A formula of its own."""
        return element("math", formula)

    def percent(self, share: Number) -> str:
        """Two significant digits."""
        return f"{short_percent(share)}\u202f%"


ROWS: Spelling = Rows()
SENTENCES: Spelling = Sentences()
