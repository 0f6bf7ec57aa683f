"""The completeness page: what is covered, how well it was checked, and what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from symledger.catalogue.entries import ENTRIES
from symledger.catalogue.entry import Entry
from symledger.evidence import records as evidence
from symledger.languages.message import Message, message
from symledger.site.atlas import Atlas
from symledger.site.html.templating import Templates
from symledger.site.pages import Page
from symledger.site.text.worded import data
from symledger.torch_layers.table import LAYERS, NAMES, Layer

PATH = "completeness.md"
WITNESS = "pytorch"
ASKED = (
    "params", "flops.forward", "flops.backward", "flops.forward.pointwise", "gradients",
    "memory.saved", "traffic.forward",
)  # fmt: skip
"""The checked quantities that there is a column for."""

Status = Literal["PyTorch", "checked", "not_checked", "none"]


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield the one page."""
    yield templates.page(PATH, "completeness.md.j2", atlas=atlas, coverage=Coverage(atlas))


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the files beside it: none."""
    del atlas
    return {}


@dataclass(frozen=True)
class Covered:
    """An owner of formulas: the status of each column, and how many programs were checked."""

    entry: Entry
    statuses: tuple[Status, ...]
    variants: int


@dataclass(frozen=True)
class Missing:
    """Something that is not there, and what comes nearest."""

    what: str
    instead: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Coverage:
    """What the page asks."""

    atlas: Atlas

    @property
    def columns(self) -> tuple[Message, ...]:
        """The columns of the table."""
        return tuple(message(f"completeness.column.{name}") for name in ASKED)

    @cached_property
    def groups(self) -> dict[str, tuple[Covered, ...]]:
        """The owners of formulas: components by topic, then the families of models."""
        owners = self.atlas.owners
        models = (message("common.models"), self.atlas.models)
        return {
            topic: tuple(self._covered(entry) for entry in entries if entry in owners)
            for topic, entries in (*self.atlas.components.items(), models)
        }

    def _covered(self, entry: Entry) -> Covered:
        account = self.atlas.account(entry.name)
        records = [r for found in account.evidence.values() for r in found]
        statuses = []
        for quantity in ASKED:
            kinds = {r.kind for r in records if r.quantity == quantity and r.status == "passed"}
            there = quantity in account.quantities or quantity == "gradients"
            status: Status = "not_checked" if there else "none"
            if kinds and there:
                status = "PyTorch" if WITNESS in kinds else "checked"
            statuses.append(status)
        return Covered(entry, tuple(statuses), len(evidence.recorded(entry.name)))

    @cached_property
    def counts(self) -> Counter[Status]:
        """How many cells of the table have each status."""
        every = (s for group in self.groups.values() for row in group for s in row.statuses)
        return Counter(every)

    @property
    def variants(self) -> int:
        """How many programs were checked, every choice of every owner counted."""
        return sum(row.variants for group in self.groups.values() for row in group)

    @property
    def configurations(self) -> list[tuple[Entry, tuple[Entry, ...]]]:
        """The families of models, and the published sizes of each."""
        families = (entry for entry in self.atlas.models if entry.family == entry.name)
        return [
            (family, tuple(e for e in ENTRIES if e.family == family.name and e.configured))
            for family in families
        ]

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers of torch.nn that are read as they are written."""
        return LAYERS

    @property
    def refused(self) -> tuple[str, ...]:
        """The layers of torch.nn that are refused by name."""
        known = {layer.name for layer in LAYERS}
        return tuple(sorted(name for name in NAMES if name not in known))

    @property
    def missing(self) -> tuple[Missing, ...]:
        """What is not there."""
        rows = data("missing")["rows"]
        return tuple(Missing(row["what"], row["instead"], tuple(row["names"])) for row in rows)
