"""What the page of one model shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from markupsafe import Markup

from symledger.accounts.account import Account
from symledger.algebra import Terms
from symledger.catalogue.entry import Entry
from symledger.catalogue.text_places import said_by
from symledger.catalogue.texts import Text
from symledger.checks.traced.vectors import owners
from symledger.errors import bare
from symledger.evidence.traced import Vector, traced
from symledger.languages.message import Message, message
from symledger.ledger.formula import Formula
from symledger.site.atlas import Atlas
from symledger.site.html import maths
from symledger.site.html.calculator import Calculator, calculator
from symledger.site.html.copies import Copies, copies
from symledger.site.kinds.model import alive, costs, figures, fits, glance
from symledger.site.kinds.model.memory import OfType, memory_of, peaks_of
from symledger.site.kinds.model.numbers import count
from symledger.site.kinds.model.side_by_side import SideBySide
from symledger.site.kinds.model.table import Cells, table_of
from symledger.site.kinds.model.variants import Variant, variants_of
from symledger.site.plots import Figure
from symledger.site.text.examples import word
from symledger.site.text.questions import questions
from symledger.site.text.voice import Voice

GROWTH = ("params", "flops.forward")
REMEMBERED = 12
"""As many terms of a leading form stand in the index; one with more is on its page alone."""
CALCULATED = ("params", "flops.forward", "flops.training", "memory.saved", "memory.kv_cache")


@dataclass(frozen=True)
class Opened:
    """One step of a derivation: what is shown, and why it equals the step before.

    ``given`` are the equations that the reason names.
    """

    shown: Markup
    reason: str
    given: tuple[Markup, ...] = ()


@dataclass(frozen=True)
class Model:
    """What the page of one model shows."""

    atlas: Atlas
    entry: Entry

    @cached_property
    def account(self) -> Account:
        """The model's account."""
        return self.atlas.account(self.entry.name)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.entry.name

    def voice(self, text: Text, language: str) -> Voice:
        """Return what says its text, at the sizes that the text states."""
        stated = text.example.settings if text.example else {}
        chosen = {name: word(value) for name, value in stated.items()}
        with said_by(self.name):
            account = self.atlas.account(self.name, **chosen)
            return Voice(self.atlas, account, chosen, language)

    @property
    def title(self) -> str:
        """What the model is, in one line."""
        return self.account.target.title

    def spelled(self, text: Text) -> list[str]:
        """Return the model's name as people spell it, where that is another: as its text does."""
        names = {q.name for q in questions() if q.of == self.name and q.name[:1].isupper()}
        if bare(text.name) == bare(self.name):
            names.add(text.name)
        return sorted(names - {self.name})

    @property
    def params(self) -> Formula:
        """The parameters."""
        return self.account.params

    @property
    def calculator(self) -> Calculator:
        """The formulas to put other sizes into."""
        found = [self.account[q] for q in CALCULATED if q in self.account.quantities]
        return calculator([*found, *peaks_of(self.account)])

    @property
    def copies(self) -> Copies:
        """The parameters, to be copied."""
        return copies(self.params, self.atlas.formula_page(self.params.id))

    @property
    def is_bound(self) -> bool:
        """Whether it has numbers, and not formulas only."""
        return self.params.value is not None

    @property
    def for_each(self) -> Message:
        """What its work is counted for: each token, or each image."""
        return message(f"model.for_each_{costs.each(self.account)}")

    @cached_property
    def memory(self) -> list[OfType]:
        """Its memory at every type."""
        return memory_of(self.account)

    @cached_property
    def uses(self) -> list[fits.Use]:
        """What fits the memory of one device."""
        return list(fits.uses(self.atlas, self.account))

    @property
    def budgets(self) -> tuple[int, ...]:
        """How many gigabytes these have."""
        return fits.BUDGETS

    @property
    def entering(self) -> Markup:
        """The sizes of what enters, at which work and memory are given."""
        return glance.entering(self.account)

    @cached_property
    def headlines(self) -> list[glance.Headline]:
        """The numbers that people come for."""
        return list(glance.headlines(self.account))

    @property
    def summary(self) -> list[glance.Headline]:
        """The numbers that a search should find."""
        return [one for one in self.headlines if one.label.key in glance.SUMMED_UP]

    @cached_property
    def configurations(self) -> tuple[Entry, ...]:
        """The published configurations of a family; nothing where it is the only one itself."""
        if self.entry.family != self.entry.name:
            return ()
        found = self.atlas.configurations(self.entry.name)
        return found if any(entry.name != self.name for entry in found) else ()

    @cached_property
    def side_by_side(self) -> SideBySide:
        """These, with the sizes that parameters depend on."""
        stands = {symbol for monomial in self.params.general for symbol, _ in monomial}
        return SideBySide(
            tuple(self.atlas.account(entry.name) for entry in self.configurations),
            tuple(sorted(stands, key=lambda symbol: symbol.name)),
        )

    @cached_property
    def lines(self) -> list[Cells]:
        """The table of its parameters, layer by layer."""
        return table_of(self.account, self.params)

    @cached_property
    def total(self) -> Cells:
        """The last row of that table."""
        formula, value = maths.inline(self.params.corollary_terms), count(self.params.exact)
        return Cells("", "", Markup(""), Markup(""), formula, Markup(""), value, "")

    @cached_property
    def steps(self) -> list[Opened]:
        """The derivation of its parameters, opened level by level."""
        found: list[Opened] = []
        for step in self.params.opened_to(maths.readable(self.params)):
            shown = maths.opened(step.shown)
            if not found or shown != found[-1].shown:
                given = tuple(maths.given(s, p) for s, p in (step.given or {}).items())
                found.append(Opened(shown, step.reason, given))
        if self.is_bound:
            terms, sizes = self.params.corollary_terms, self.account.assumed.bindings
            found.append(Opened(maths.put_in(terms, sizes), message("model.numbers_put_in")))
            found.append(Opened(maths.boxed(self.total.value), message("model.the_result")))
        return found

    @property
    def lead(self) -> Markup:
        """The leading form of its parameters, or where there is none the whole of them."""
        return maths.inline(self._leading)

    @property
    def long_lead(self) -> int:
        """How many terms that has, where it has more than anybody remembers; else nothing."""
        return len(self._leading) if len(self._leading) > REMEMBERED else 0

    @property
    def _leading(self) -> Terms:
        found = self.params.leading
        return found.terms if found else self.params.corollary_terms

    @property
    def approximation(self) -> glance.Approximation | None:
        """The leading form of its parameters, with what is proven of it."""
        return glance.approximation(self.params)

    @cached_property
    def work(self) -> list[costs.Work]:
        """Its FLOPs, of a step and of each token, under every convention."""
        return costs.work(self.account) if "flops.forward" in self.account.quantities else []

    @cached_property
    def rules(self) -> list[costs.Rule]:
        """Rules of thumb for its FLOPs."""
        return costs.rules(self.account, self.work) if self.work else []

    @cached_property
    def shares(self) -> list[Figure]:
        """What parameters, FLOPs and kept bytes are made of, drawn."""
        return list(figures.shares(self.account))

    @property
    def marked(self) -> str:
        """The configuration at whose sizes growth is drawn: its own, or one with its name."""
        if self.is_bound:
            return self.name
        names = [entry.name for entry in self.configurations]
        own = self.name.replace("_", "")
        return next((n for n in names if n.replace("-", "").startswith(own)), "".join(names[:1]))

    @cached_property
    def growth(self) -> dict[str, list[Figure]]:
        """How the terms of parameters and FLOPs grow with each size, drawn."""
        if not self.marked:
            return {}
        account = self.atlas.account(self.marked)
        found = {name: list(figures.growth(account, name)) for name in GROWTH}
        return {name: plots for name, plots in found.items() if plots}

    @cached_property
    def live(self) -> alive.Live | None:
        """What is alive when in a step of training, drawn."""
        return alive.live(self.account) if self.is_bound else None

    def eager(self, say: Callable[..., str]) -> str:
        """Say the peak as PyTorch runs the reference implementation, or that it is not known."""
        return alive.eager(self.account, say)

    @cached_property
    def figures(self) -> list[Figure]:
        """All its plots."""
        live = [self.live.figure] if self.live else []
        return [*self.shares, *live, *(plot for plots in self.growth.values() for plot in plots)]

    @cached_property
    def variants(self) -> list[Variant]:
        """Every choice made otherwise, and what it changes."""
        return list(variants_of(self.atlas, self.entry, self.account))

    @cached_property
    def symbols(self) -> list[glance.Known]:
        """Its symbols."""
        return glance.symbols(self.account)

    @cached_property
    def evidence(self) -> list[glance.Compared]:
        """What was compared, in one entry for each way of comparing."""
        return glance.evidence(self.account)

    @property
    def traced(self) -> tuple[Vector, ...]:
        """What its reference came to when it was traced; a family's page says it."""
        return traced(self.entry.family) if self.entry.family == self.name else ()

    @property
    def untraced(self) -> bool:
        """Whether it is a family whose class there is, and was not traced."""
        own = self.entry.family == self.name and self.name in owners()
        return own and not self.traced

    @property
    def references(self) -> tuple[str, ...]:
        """Where it was published."""
        return tuple(self.account.target.component.references)

    @property
    def conventions(self) -> dict[str, str]:
        """How its headline numbers are counted."""
        said = self.account.conventions.to_dict()
        return {name: said[name] for name in ("flop", "flops", "causal", "saved")}

    @property
    def sources(self) -> list[str]:
        """Where the rules of thumb are from."""
        return [f"{rule.name}: {rule.source}" for rule in self.rules if rule.source]

    @property
    def commands(self) -> list[str]:
        """Commands that print what stands here."""
        name = self.name
        found = [f"symledger derive {name}", f"symledger derive {name} --quantity params --depth 4"]
        if self.work:
            found.append(f"symledger derive {name} --quantity flops.forward --causal half")
        return [
            *found,
            f"symledger derive {name} --dtype bf16 --optimizer adam-mixed",
            f"symledger derive {name} --format latex",
            f"symledger check {self.entry.family}",
        ]

    def quantity(self, name: str) -> str:
        """What a quantity is, in words."""
        return self.account[name].quantity.meaning
