"""The reliability page: what a green check means and what it does not, counted from the record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

from markupsafe import Markup

from symledger import algebra
from symledger.algebra import Terms
from symledger.algebra.parsing import parse_expression
from symledger.catalogue.entries import AXIOMS, ENTRIES
from symledger.checks.torch.artefacts import ARTEFACTS
from symledger.checks.traced.vectors import owners
from symledger.evidence import records as evidence
from symledger.evidence.claims import Kind, kind_named
from symledger.evidence.comparison import Evidence
from symledger.evidence.traced import Vector, every_traced
from symledger.site.atlas import Atlas
from symledger.site.html import maths
from symledger.site.html.templating import Templates
from symledger.site.pages import Page
from symledger.site.text.worded import data
from symledger.sizes import BY_NAME

PATH = "reliability.md"
PROOF = "identity"
RECORD = "recorded evidence"


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield the one page."""
    del atlas
    yield templates.page(PATH, "reliability.md.j2", record=Recorded())


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the files beside it: none."""
    del atlas
    return {}


@dataclass(frozen=True)
class Tally:
    """One kind of evidence: what it is, and all recorded comparisons of that kind."""

    kind: Kind
    method: str
    shares: str
    wrong: str
    found: tuple[Evidence, ...]
    title: str = ""

    @property
    def name(self) -> str:
        """What it is called."""
        return self.title or kind_named(self.kind)

    @property
    def is_proof(self) -> bool:
        """Whether passing proves an equation, instead of supporting it at points."""
        return self.kind == PROOF

    @property
    def points(self) -> int:
        """How many points were compared."""
        return sum(len(e.points) for e in self.found)

    @property
    def passed(self) -> int:
        """How many comparisons passed."""
        return sum(e.passed for e in self.found)

    @property
    def worst(self) -> str:
        """The largest deviation of all."""
        return max((e.worst for e in self.found), key=float, default="0")


@dataclass(frozen=True)
class Mistakes:
    """Mutants of one kind, and how many each check killed."""

    kind: str
    number: int
    killers: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Artefact:
    """A known difference to PyTorch: in what, of which quantity, how much for one use, and why."""

    name: str
    quantity: str
    more: Markup
    reason: str


@dataclass(frozen=True)
class Recorded:
    """Everything on record."""

    @cached_property
    def evidence(self) -> tuple[Evidence, ...]:
        """Every comparison, of every owner, axiom and choice."""
        return tuple(evidence.everything())

    @property
    def variants(self) -> int:
        """How many programs were checked: owners and axioms, each with every choice."""
        owners = dict.fromkeys(entry.family for entry in (*ENTRIES, *AXIOMS))
        return sum(len(evidence.recorded(owner)) for owner in owners)

    @cached_property
    def kinds(self) -> tuple[Tally, ...]:
        """The comparisons by kind."""
        said = data("kinds_of_evidence")
        return tuple(
            Tally(kind, **said[kind], found=tuple(e for e in self.evidence if e.kind == kind))
            for kind in get_args(Kind)
        )

    @property
    def failed(self) -> int:
        """How many comparisons on record did not pass."""
        return sum(not e.passed for e in self.evidence)

    @cached_property
    def mistakes(self) -> tuple[Mistakes, ...]:
        """The mutants by kind, the most frequent first."""
        killers: dict[str, Counter[str]] = {}
        record = evidence.mutants()
        for row in (*record["rules"], *record["others"]):
            found = killers.setdefault(row["kind"], Counter())
            found[str(row["killer"]).partition(":")[0]] += row.get("number", 1)
        made = (Mistakes(k, c.total(), tuple(c.most_common())) for k, c in killers.items())
        return tuple(sorted(made, key=lambda m: (-m.number, m.kind)))

    @property
    def mutants(self) -> int:
        """How many mutants there are."""
        return sum(m.number for m in self.mistakes)

    @property
    def by_record(self) -> int:
        """How many of them differ from what is on record, and from nothing else."""
        return sum(n for m in self.mistakes for killer, n in m.killers if killer == RECORD)

    @property
    def traced(self) -> list[Vector]:
        """Every vector of a family whose reference was traced, or could not be."""
        return [v for vectors in every_traced().values() for v in vectors]

    @property
    def untraced(self) -> list[str]:
        """Every family whose class was not traced, for no reason that is on record."""
        return sorted({*owners()} - every_traced().keys())

    @property
    def of_traces(self) -> dict[str, Any]:
        """What is compared of a trace, and where PyTorch's numbers are put right before."""
        return data("checks_of_traces")

    @property
    def artefacts(self) -> list[Artefact]:
        """What PyTorch counts or keeps otherwise."""
        return [
            Artefact(name, row.quantity, maths.inline(_terms(row.more)), row.reason)
            for name, rows in ARTEFACTS.items() for row in rows
        ]  # fmt: skip


def _terms(text: str) -> Terms:
    return algebra.terms(parse_expression(text, BY_NAME).expand())
