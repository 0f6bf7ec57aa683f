"""The kinds of pages, one file each: what is asked of the ledger, and which template shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from symledger.site.atlas import Atlas
from symledger.site.html.templating import Templates
from symledger.site.kinds import (
    api,
    axioms,
    checkpoints,
    completeness,
    component,
    course,
    dialects,
    families,
    formula,
    glossary,
    home,
    model,
    notation,
    operations,
    question,
    reliability,
    rules,
    sources,
    translation,
    types,
)
from symledger.site.pages import Page


class Kind(Protocol):
    """A kind of pages: a module."""

    __name__: str

    @staticmethod
    def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
        """Yield the pages of this kind, in the order of the navigation."""

    @staticmethod
    def assets(atlas: Atlas) -> dict[str, bytes]:
        """Return the files beside them."""


class Translated(Kind, Protocol):
    """A kind of pages that other languages may have."""

    @staticmethod
    def translated(atlas: Atlas, language: str) -> Iterable[str]:
        """Yield the paths of those that a language has."""


KINDS: tuple[Kind, ...] = (  # type: ignore[assignment]  # modules
    home, course, component, model, families, types, checkpoints, formula, notation, question,
    sources, rules, axioms, operations, dialects, reliability, completeness, api,
)  # fmt: skip
TRANSLATED: tuple[Translated, ...] = (  # type: ignore[assignment]  # modules
    home, course, component, model, families, notation, question, sources, translation,
    glossary,
)  # fmt: skip
"""The kinds of pages that other languages may have."""
PIECEWISE: tuple[Kind, ...] = (component, model, families, checkpoints, formula)  # type: ignore[assignment]  # modules
"""The kinds that give their pages to the memory one by one."""
