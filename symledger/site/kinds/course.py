"""The course page: the mini-GPT layer by layer, from tokens to logits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from markupsafe import Markup

from symledger import algebra, sizes
from symledger.accounts.account import Account
from symledger.algebra import Terms
from symledger.printing.rows import show_shape
from symledger.site.atlas import Atlas
from symledger.site.html import maths
from symledger.site.html.amounts import TOGETHER, larger_units
from symledger.site.html.templating import Templates
from symledger.site.kinds.model import Model
from symledger.site.kinds.model.numbers import count, signed_percent
from symledger.site.kinds.model.table import Cells, table_of
from symledger.site.kinds.model.variants import Difference
from symledger.site.pages import Page
from symledger.site.tongues import speaks

PATH = "learn/mini_gpt.md"
SUBJECT = "mini_gpt"
SMALLER = "mini_gpt-small"
OTHERS = ("gpt2", "gpt3-175b", "llama-7b", "bert-base", "mixtral-8x7b")
"""Models that the rule is tried on, as well as those that it was made for."""
LONG = 1024
"""A context that the exercises ask about."""


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield the course page."""
    yield templates.page(PATH, "course.md.j2", atlas=atlas, course=Course(atlas))


def translated(atlas: Atlas, language: str) -> list[str]:
    """Return its path, where a language has words for it."""
    del atlas
    return [PATH] if speaks(language, "course.md.j2") else []


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the files beside it: none; its plots are those of the model's page."""
    del atlas
    return {}


@dataclass(frozen=True)
class Tensor:
    """A tensor on the way from tokens to logits: its name, its shape, and that in numbers."""

    name: Markup
    equation: str
    shape: Markup
    numbers: str


@dataclass(frozen=True)
class Trial:
    """The rule, tried on a model: its parameters, and the rule without and with the vocabulary."""

    name: str
    params: str
    vocabulary: str
    leading: Markup
    blocks: str
    blocks_error: str
    whole: str
    whole_error: str


@dataclass(frozen=True)
class Course:
    """What the course page asks of the ledger."""

    atlas: Atlas

    @cached_property
    def model(self) -> Model:
        """The model that it is about."""
        return Model(self.atlas, self.atlas.entry(SUBJECT))

    @property
    def account(self) -> Account:
        """Its account."""
        return self.atlas.account(SUBJECT)

    def size(self, name: str) -> str:
        """The value of a symbol."""
        return count(self.account.assumed.bindings[self.account.symbols[name]])

    @property
    def window(self) -> str:
        """The rows of a learned table of positions."""
        return count(self.atlas.account(SUBJECT, positions="learned").assumed.bindings[sizes.T_max])

    def with_(self, quantity: str, **settings: int | str) -> str:
        """The value of a quantity under other settings."""
        words = {name: str(value) for name, value in settings.items()}
        return count(self.atlas.account(SUBJECT, **words)[quantity].exact)

    def bytes_with(self, quantity: str, dtype: str, **settings: int) -> str:
        """Bytes of a type under other settings, exact and in units."""
        words = {name: str(value) for name, value in settings.items()}
        found = self.atlas.account(SUBJECT, **words).under(dtype=dtype)[quantity].value
        return f"{count(found)}{TOGETHER}B {larger_units(found or 0)}"

    @cached_property
    def tensors(self) -> list[Tensor]:
        """The tensors from tokens to logits."""
        account = self.account
        found = []
        for equation in account.equations()[0]:
            lengths = [
                algebra.value(algebra.substitute(algebra.terms(n), account.assumed.equations),
                              account.assumed.bindings)
                for n in equation.shape
            ]  # fmt: skip
            found.append(Tensor(
                maths.spelled(equation.name), str(equation),
                maths.spelled(show_shape(equation.shape, account.assumed.equations)),
                " × ".join(count(n) for n in lengths),
            ))  # fmt: skip
        return found

    def layer(self, label: str, quantity: str = "params") -> Cells:
        """The row of a layer, by its label."""
        found = {row.label: row for row in self.layers(quantity)}
        return found[label]

    def layers(self, quantity: str = "params") -> list[Cells]:
        """The rows of a quantity."""
        return table_of(self.account, self.account[quantity], 2)

    def total(self, quantity: str) -> Cells:
        """The total of a quantity as a row."""
        formula = self.account[quantity]
        at = self.account.assumed.bindings
        return Cells(
            "", "", Markup(""), Markup(""), maths.inline(formula.corollary_terms),
            maths.numbers(formula.corollary_terms, at), count(formula.exact), "",
        )  # fmt: skip

    def change(self, setting: str) -> Difference:
        """What a choice made otherwise does to the parameters."""
        found = {variant.setting: variant for variant in self.model.variants}
        return found[setting].differences[0]

    @cached_property
    def rule(self) -> Terms:
        """The rule: the leading form of the parameters."""
        leading = self.account.params.leading
        assert leading is not None  # every coefficient is positive
        return leading.terms

    @property
    def blocks(self) -> Terms:
        """The part of the rule that grows with the number of layers."""
        return {m: c for m, c in self.rule.items() if any(s == sizes.L for s, _ in m)}

    @property
    def rule_shown(self) -> Markup:
        """The rule, written."""
        return maths.inline(self.rule)

    @property
    def blocks_shown(self) -> Markup:
        """Its part that grows with the layers, written."""
        return maths.inline(self.blocks)

    @property
    def one_block(self) -> Markup:
        """That part for one layer."""
        return maths.inline(algebra.per(self.blocks, [sizes.L]))

    @cached_property
    def trials(self) -> list[Trial]:
        """The rule, tried on other models."""
        names = (SUBJECT, *OTHERS)
        return [self._trial(Model(self.atlas, self.atlas.entry(name))) for name in names]

    def _trial(self, model: Model) -> Trial:
        at = model.account.assumed.bindings
        exact = model.params.exact or Fraction(1)
        blocks, whole = (algebra.value(p, at) or Fraction(0) for p in (self.blocks, self.rule))
        return Trial(
            model.name, count(exact), count(at[sizes.V]), model.lead,
            count(blocks), signed_percent((blocks - exact) / exact),
            count(whole), signed_percent((whole - exact) / exact),
        )  # fmt: skip

    @cached_property
    def trial(self) -> dict[str, Trial]:
        """The trials by name."""
        return {trial.name: trial for trial in self.trials}

    @property
    def even(self) -> str:
        """The length at which scores and mixing cost as much as the feed-forward network.

        The first grows with T², the second with T, so that their ratio grows with T.
        """
        lines = {line.label: line for line in self.account.flops_forward.line.walk()}
        equations, at = self.account.assumed.equations, self.account.assumed.bindings
        core, feed = (
            algebra.value(algebra.substitute(lines[name].total, equations), at) or Fraction(1)
            for name in ("core", "feed_forward")
        )
        return count(feed / core * at[sizes.T])

    @property
    def longer(self) -> int:
        """A longer context, for exercises."""
        return LONG
