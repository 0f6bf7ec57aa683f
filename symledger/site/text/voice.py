"""Texts, said: Markdown in which the ledger fills in every formula and every number.

What stands between ``{{`` and ``}}`` is a call of one of the methods of ``Voice`` that are named
in ``WORDS``, in Jinja's sandbox. Sizes are those of the page's worked example, but for those that
a call gives itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from typing import Any

from jinja2 import Environment, StrictUndefined, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from symledger import algebra, sizes
from symledger.accounts.account import Account
from symledger.algebra.parsing import parse_expression
from symledger.catalogue.entries import find
from symledger.catalogue.text_places import place, said_by
from symledger.errors import BadInput, quoted
from symledger.languages.language import ENGLISH
from symledger.languages.message import say
from symledger.ledger.formula import Formula
from symledger.site.atlas import Atlas
from symledger.site.html import maths
from symledger.site.html.amounts import bytes_and_units
from symledger.site.pages import Sheet
from symledger.site.text.examples import undecided, word
from symledger.site.text.names import title

WORDS = ("f", "m", "n", "bytes", "size", "at", "ratio", "link")
"""What a text may call."""


@cache
def sandbox() -> Environment:
    """Return the environment that texts run in: no attribute or file of ours within reach."""
    return ImmutableSandboxedEnvironment(autoescape=True, undefined=StrictUndefined)


@dataclass(frozen=True)
class Voice:
    """Says the texts of one page: of a target, at the sizes of its worked example."""

    atlas: Atlas
    account: Account
    settings: Mapping[str, str]
    language: str = ENGLISH

    def say(self, sheet: Sheet, text: str) -> Markup:
        """Return a text as Markdown, its formulas and numbers filled in.

        Raises:
            BadInput: it calls what is not there, or asks for a number that nothing decides.
        """
        words = {name: partial(getattr(self, name), sheet) for name in WORDS}
        try:
            with said_by(self.account.target.entry):
                said = sandbox().from_string(text).render(words) if "{" in text else text
        except (TemplateError, TypeError) as error:
            raise BadInput(
                f"{place(self.account.target.entry)}: {quoted(text)} cannot be said: {error}. "
                f"It may call {', '.join(WORDS)}."
            ) from error
        return Markup(said)  # noqa: S704  # Markdown of ours; what is filled in is escaped

    def asked(self, target: str, given: Mapping[str, Any]) -> Account:
        """Return this page's target, or another one, with some sizes and choices changed."""
        said = {name: word(value) for name, value in given.items()}
        if not target:
            return self.atlas.account(self.account.request.target, **{**self._kept(said), **said})
        choices = self.atlas.account(target).target.choices
        chosen = {name: value for name, value in said.items() if name in choices}
        free = undecided(self.atlas.account(target, **chosen))
        shared = {name: n for name, n in self.settings.items() if name in free}
        return self.atlas.account(target, **{**shared, **said})

    def _kept(self, said: Mapping[str, str]) -> dict[str, str]:
        """Return the page's settings, without sizes of what is not there with another choice."""
        choices = self.account.target.choices
        if not said.keys() & choices.keys():
            return dict(self.settings)
        chosen = {n: v for n, v in {**self.settings, **said}.items() if n in choices}
        there = self.atlas.account(self.account.request.target, **chosen).symbols
        return {n: v for n, v in self.settings.items() if n in choices or n in there}

    def f(self, sheet: Sheet, quantity: str, of: str = "", *, general: bool = False,
          **given: Any) -> Markup:  # fmt: skip
        """The formula of a quantity; ``general`` is without assumptions."""
        formula = self.asked(of, given)[quantity]
        return sheet.inline(maths.of(formula, general=general))

    def m(self, sheet: Sheet, text: str) -> Markup:
        """A polynomial in the symbols of the alphabet: ``m("4*d**2")``."""
        return sheet.inline(maths.inline(self._terms(text)))

    def n(self, sheet: Sheet, quantity: str, of: str = "", **given: Any) -> str:
        """The exact value of a quantity."""
        del sheet
        return number(value(self.asked(of, given)[quantity]))

    def bytes(self, sheet: Sheet, quantity: str, of: str = "", **given: Any) -> str:
        """The exact value of a quantity in bytes, and in larger units by their right names."""
        del sheet
        return bytes_and_units(int(value(self.asked(of, given)[quantity])))

    def size(self, sheet: Sheet, symbol: str) -> str:
        """The size of a symbol in the worked example."""
        return self.at(sheet, symbol)

    def at(self, sheet: Sheet, text: str, **given: int) -> str:
        """The value of a polynomial at the sizes of the worked example."""
        del sheet
        known = {s.name: n for s, n in self.account.assumed.bindings.items()} | given
        at = {symbol: known[name] for name, symbol in self._symbols.items() if name in known}
        found = algebra.value(self._terms(text), at)
        if found is None:
            raise BadInput(f"{quoted(text)} has no value with {known}.")
        return number(found)

    def ratio(self, sheet: Sheet, above: str, below: str, of: str = "", **given: Any) -> str:
        """One quantity divided by another; three digits of it where it is not whole."""
        del sheet
        account = self.asked(of, given)
        return number(value(account[above]) / value(account[below]))

    def link(self, sheet: Sheet, name: str, text: str = "") -> Markup:
        """A link to the page of a component or a model, by its name where no words are given."""
        path = self.atlas.page_of(find(name).name)
        return Markup("[{}]({})").format(text or self._called(name), sheet.link(path))

    def _called(self, name: str) -> str:
        """Return what a component is called within a sentence."""
        plain = name.replace("_", " ")
        return plain if self.language == ENGLISH else say(self.language, title(name))

    @property
    def _symbols(self) -> dict[str, Any]:
        return {**sizes.BY_NAME, **self.account.symbols}

    def _terms(self, text: str) -> algebra.Terms:
        return algebra.terms(parse_expression(text, self._symbols))


def value(formula: Formula) -> Fraction:
    """Return the exact value of a formula.

    Raises:
        BadInput: a size that stands in it has no value.
    """
    if formula.exact is None:
        unbound = sorted(
            {s.name for m in formula.corollary_terms for s, _ in m}
            - {s.name for s in formula.assumed.bindings}
        )
        raise BadInput(f"{formula.id} has no value: {', '.join(unbound)} is not given.")
    return Fraction(formula.exact)


def number(n: Fraction | int) -> str:
    """Write a whole number in groups of three digits, another one with three digits or all.

    >>> number(2362368), number(Fraction(3, 7)), number(Fraction(10**7, 3))
    ('2,362,368', '0.429', '3,333,333')
    """
    if n.denominator == 1:
        return f"{int(n):,}"
    return f"{float(n):.3g}" if -999 < n < 999 else f"{round(n):,}"

