"""The home page: what this is, one formula opened step by step, three doors, and the proof."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sympy import Symbol

from symledger.evidence import records as evidence
from symledger.ledger.formula import Formula
from symledger.site.atlas import Atlas
from symledger.site.html import maths
from symledger.site.html.templating import Templates
from symledger.site.kinds.model.table import table_of
from symledger.site.pages import Page
from symledger.site.tongues import speaks

OPENED = "mini_gpt"
DEPTH = 2
"""The model that is opened, and how many levels of it."""


@dataclass(frozen=True)
class Proof:
    """How much is behind the formulas: how many there are, what they were compared with."""

    formulas: int
    comparisons: int
    kinds: int
    mutants: int


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield the home page."""
    account = atlas.account(OPENED)
    formula = account.params
    assert formula.leading is not None
    yield templates.page(
        "index.md", "home.md.j2", account=account, formula=formula,
        rows=table_of(account, formula, DEPTH),
        sizes=[maths.setting(s, formula.assumed.bindings[s]) for s in symbols(formula)],
        steps=maths.steps_of(formula, DEPTH), leading=maths.inline(formula.leading.terms),
        page=atlas.page_of(OPENED), proof=proof(atlas),
    )  # fmt: skip


def symbols(formula: Formula) -> list[Symbol]:
    """Return the symbols that stand in a formula, by name."""
    return sorted({s for monomial in formula.corollary_terms for s, _ in monomial}, key=str)


def proof(atlas: Atlas) -> Proof:
    """Count what is recorded."""
    records = list(evidence.everything())
    return Proof(
        sum(1 for _ in atlas.formulas()), len(records), len({e.kind for e in records}),
        evidence.killed(),
    )  # fmt: skip


def translated(atlas: Atlas, language: str) -> list[str]:
    """Return its path, where a language has words for it."""
    del atlas
    return ["index.md"] if speaks(language, "home.md.j2") else []


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the files beside it: none."""
    del atlas
    return {}
