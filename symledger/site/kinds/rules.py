"""The page of rules that people quote: each beside what is derived, with its exact error."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import ceil

from markupsafe import Markup

from symledger import algebra
from symledger.accounts import rules_of_thumb as rules
from symledger.accounts.account import Account
from symledger.accounts.rules_of_thumb import Crossover, Judged, Rule
from symledger.languages.message import Word
from symledger.site.atlas import Atlas
from symledger.site.html import maths
from symledger.site.html.templating import Templates
from symledger.site.kinds.model.numbers import count, signed_percent
from symledger.site.pages import Page
from symledger.site.text.worded import about, named

PATH = "rules.md"
FAMILY = "gpt2"
"""The family that shows what a rule leaves out."""
EXAMPLES = ("gpt2", "gpt3-175b", "llama-2-7b", "llama-3-8b", "mixtral-8x7b")
LATENT = ("deepseek-v2-lite", "deepseek-v3", "kimi-k2")
"""Models that the crossovers are put into numbers for, where all of their symbols have values."""


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield the one page."""
    yield templates.page(PATH, "rules.md.j2", atlas=atlas, shown=Quoted(atlas))


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the files beside it: none."""
    del atlas
    return {}


@dataclass(frozen=True)
class Trial:
    """A rule at the sizes of one model; ``breaks`` is empty where it never does."""

    name: str
    length: str
    said: str
    derived: str
    off: str
    breaks: str


@dataclass(frozen=True)
class Stated:
    """A rule as the page shows it."""

    rule: Rule
    family: Judged
    trials: tuple[Trial, ...]

    @property
    def name(self) -> Word:
        """What it is called."""
        return named(self.rule)

    @property
    def about(self) -> Word:
        """What it is about."""
        return about(self.rule)

    @property
    def ours(self) -> Markup:
        """What is derived of the family."""
        return maths.inline(self.family.ours)

    @property
    def difference(self) -> Markup:
        """How much more the rule says of the family."""
        return maths.inline(self.family.difference)

    @property
    def is_exact(self) -> bool:
        """Whether it says the same polynomial."""
        return not self.family.difference


@dataclass(frozen=True)
class Crossing:
    """A crossover, and its numbers at models that have all of its symbols."""

    crossover: Crossover
    numbers: tuple[tuple[str, str], ...]

    @property
    def name(self) -> Word:
        """What becomes equal."""
        return named(self.crossover)

    @property
    def about(self) -> Word:
        """What it is about."""
        return about(self.crossover)

    @property
    def equation(self) -> Markup:
        """Where both sides are equal."""
        left = maths.symbol(self.crossover.symbol)
        return left + Markup(" = ") + maths.inline(self.crossover.at)


@dataclass(frozen=True)
class Quoted:
    """All rules and crossovers."""

    atlas: Atlas

    @cached_property
    def rules(self) -> list[Stated]:
        """The rules, each with its trials."""
        return [
            Stated(rule, rule.of(self._account(FAMILY)), tuple(self._trials(rule)))
            for rule in rules.RULES
        ]

    def _account(self, name: str) -> Account:
        return self.atlas.account(name).under(dtype="bf16")

    def _trials(self, rule: Rule) -> Iterator[Trial]:
        for name in EXAMPLES:
            judged = rule.of(self._account(name))
            at = judged.account.assumed.bindings
            said, derived = (algebra.value(terms, at) for terms in (judged.theirs, judged.ours))
            length = next((n for symbol, n in at.items() if symbol.name == "T"), None)
            breaks = judged.breaks
            yield Trial(
                name, count(length), count(said), count(derived),
                "" if judged.error is None else signed_percent(judged.error),
                "" if breaks is None else f"T = {count(ceil(breaks))}",
            )  # fmt: skip

    @cached_property
    def crossings(self) -> list[Crossing]:
        """The crossovers."""
        return [Crossing(one, tuple(self._numbers(one))) for one in rules.CROSSOVERS]

    def _numbers(self, crossover: Crossover) -> Iterator[tuple[str, str]]:
        for name in (*EXAMPLES, *LATENT):
            found = algebra.value(crossover.at, self.atlas.account(name).assumed.bindings)
            if found is not None:
                yield name, f"{float(found):,.4g}" if found.denominator > 1 else count(found)
