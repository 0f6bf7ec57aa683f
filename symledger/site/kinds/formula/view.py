"""What the page of a formula shows, and the files beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from markupsafe import Markup
from sympy import Symbol

from symledger.catalogue.entry import Entry
from symledger.citing.citation import Citation
from symledger.evidence.records import Record
from symledger.languages.message import message
from symledger.languages.words import choice
from symledger.ledger.formula import Formula
from symledger.printing.numbers import error_percent, number
from symledger.report import citation as formats
from symledger.report import python
from symledger.site.html import maths
from symledger.site.html.calculator import Calculator, calculator
from symledger.site.html.copies import Copies, copies
from symledger.site.links import Links, Part
from symledger.site.text.examples import usual
from symledger.sizes import meaning
from symledger.tags.registry import Tagged

VALUED = ("params", "params.active", "flops.forward", "memory.kv_cache")
"""The quantities whose values at published configurations are told."""
DEPTH = 3
"""Levels of the tree that a derivation opens."""


@dataclass(frozen=True)
class Meaning:
    """A row of the symbol table."""

    symbol: Symbol
    mark: Markup
    meaning: str
    domain: str
    value: str
    equation: Markup


@dataclass(frozen=True)
class Value:
    """The value of a formula at a published configuration."""

    entry: Entry
    value: str
    at: str


@dataclass(frozen=True)
class View:
    """What the page of a formula shows."""

    citation: Citation
    entry: Entry
    links: Links

    @property
    def tagged(self) -> Tagged:
        """The tag, the id and the revisions."""
        return self.citation.tagged

    @property
    def formula(self) -> Formula:
        """The formula."""
        return self.citation.formula

    @property
    def path(self) -> str:
        """The path of the page."""
        return path_of(self.tagged)

    @property
    def stem(self) -> str:
        """The path of the page and its files without an ending."""
        return self.path.removesuffix(".md")

    @property
    def status(self) -> str:
        """What kind of statement it is."""
        return message("formula.exact" if self.formula.divisor is None else "formula.exact_ratio")

    @cached_property
    def statement(self) -> Markup:
        """The general form."""
        form = self.citation.general
        (above,) = form.each
        if form.below is None:
            return maths.block(above)
        return maths.ratio(above, form.below)

    @cached_property
    def corollary(self) -> Markup | None:
        """The form under the default assumptions, where that is another one."""
        return maths.formula(self.formula) if self.citation.corollary else None

    @property
    def assumed(self) -> list[Markup]:
        """The default assumptions that it is affected by."""
        return [maths.given(s, terms) for s, terms in self.formula.equations.items()]

    @cached_property
    def symbols(self) -> list[Meaning]:
        """The symbols of the general form and of what it takes for granted."""
        return [self._meaning(s) for s in self.citation.symbols]

    @property
    def has_defaults(self) -> bool:
        """Whether a symbol has an equation by default."""
        return any(one.equation for one in self.symbols)

    @property
    def has_examples(self) -> bool:
        """Whether a symbol has a size in the example."""
        return any(one.value for one in self.symbols)

    def _meaning(self, s: Symbol) -> Meaning:
        size, account = meaning(s), self.citation.account
        value = account.assumed.bindings.get(s)
        domain = message("formula.at_least_1" if size.least else "formula.at_least_0")
        equation = Markup("")
        if s in self.citation.definitions:
            equation = maths.expression(self.citation.definitions[s])
        elif s in account.assumed.equations:
            equation = maths.inline(account.assumed.equations[s])
        return Meaning(s, maths.symbol(s), size.meaning, domain,
                       "" if value is None else f"{value:,}", equation)  # fmt: skip

    @property
    def what(self) -> str:
        """What the formula is about, in words."""
        return self.citation.account.target.title

    @property
    def choices(self) -> tuple[str, ...]:
        """The choices that the formula is about."""
        return tuple(choice(name, value) for name, value in self.citation.choices.items())

    @property
    def conventions(self) -> dict[str, str]:
        """How things are counted, as far as it matters here."""
        return self.citation.conventions

    @cached_property
    def steps(self) -> tuple[maths.Step, ...]:
        """The derivation, line by line."""
        return maths.steps_of(self.formula, DEPTH)

    @cached_property
    def leading(self) -> tuple[Markup, Markup] | None:
        """The leading form and its proven bound, where terms are left out."""
        lead = self.formula.leading
        return (maths.inline(lead.terms), maths.bound(lead)) if lead and lead.charged else None

    @cached_property
    def values(self) -> list[Value]:
        """The values at the family's configurations that make the default choices."""
        if self.tagged.quantity not in VALUED:
            return []
        found = []
        for entry in self.links.atlas.configurations(self.entry.name):
            account = self.links.atlas.account(entry.name)
            f = account[self.tagged.quantity]
            if f.value is not None and account.target.options == self.citation.choices:
                at = ", ".join(f"{s} = {n:,}" for s, n in account.assumed.bindings.items())
                found.append(Value(entry, number(f.value), at))
        return found

    @property
    def error(self) -> str:
        """The actual error of the leading form at the default configuration."""
        return "" if self.formula.error is None else error_percent(self.formula.error)

    @property
    def depends(self) -> tuple[Part, ...]:
        """The formulas that it is made of."""
        return self.links.depends[self.tagged.id]

    @property
    def used_by(self) -> tuple[Part, ...]:
        """The formulas that are made of it."""
        return self.links.used_by.get(self.tagged.id, ())

    def tag_of(self, part: Part) -> Tagged:
        """Return the tag of another formula."""
        return self.links.atlas.tagged(part.id)

    @property
    def evidence(self) -> list[Record]:
        """What was compared."""
        return self.citation.account.evidence.get(self.tagged.quantity, [])

    @property
    def references(self) -> tuple[str, ...]:
        """Where the definition comes from."""
        return self.citation.account.target.component.references

    @cached_property
    def citations(self) -> dict[str, str]:
        """The citation in the formats that are copied from a page."""
        c = self.citation
        return {"BibTeX": formats.bibtex(c), "biblatex": formats.biblatex(c),
                "LaTeX": formats.latex(c), "Text": formats.sentence(c)}  # fmt: skip

    @cached_property
    def files(self) -> dict[str, str]:
        """The files beside the page, by their endings."""
        found = {**self.citation.to_dict(), "evidence": [r.to_dict() for r in self.evidence]}
        head = "from fractions import Fraction\n\n\n" if self.formula.divisor else ""
        return {
            "json": _json(found),
            "tex": self.citations["LaTeX"],
            "bib": self.citations["BibTeX"],
            "py": head + python.function(self.formula),
        }

    @property
    def copies(self) -> Copies:
        """The form under the assumptions, to be copied."""
        return copies(self.formula, self.path)

    @property
    def calculator(self) -> Calculator | None:
        """Boxes for the sizes, where the result is a whole number."""
        if self.formula.divisor:
            return None
        start = {name: int(n) for name, n in usual(self.citation.account).items()}
        return calculator([self.formula], start)

    @property
    def words(self) -> str:
        """The form under the assumptions in plain text, for the description of the page."""
        return self.citation.first.text


def path_of(tagged: Tagged) -> str:
    """Return the path of a formula's page."""
    return tagged.page.removesuffix(".html") + ".md"


def _json(found: Mapping[str, Any]) -> str:
    """Write an object, a line for each of its keys."""
    lines = (f" {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in found.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"
