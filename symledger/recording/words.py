"""Words that definitions hold: the English catalogue has them from there, and nobody types them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from symledger.accounts.published_total import WHY
from symledger.accounts.reuse import PUBLISHED
from symledger.catalogue.entries import AXIOMS, ENTRIES
from symledger.catalogue.options import choices_of
from symledger.configs.read import DECIDES, STORED
from symledger.evidence import records
from symledger.evidence.claims import CLAIMS, KINDS, kind_named
from symledger.evidence.claims import worded as words_of
from symledger.explain.index.readings import MACS, OFTEN, TRAINING, TYPES
from symledger.languages.message import Word
from symledger.languages.words import case, named
from symledger.ledger import caches, conventions, quantised, recipes
from symledger.ledger.optimizers import OPTIMIZERS
from symledger.ledger.peaks import PEAKS
from symledger.ledger.quantities import ASKED, QUANTITIES
from symledger.ledger.touched import E_t
from symledger.site.atlas import TOPICS
from symledger.site.text import worded
from symledger.site.text.names import title
from symledger.sizes import ALPHABET

OWNERS = ("symbol", "unit", "quantity", "title", "optimizer", "convention.causal",
          "convention.step",
          "evidence.kind", "words", "case", "configuration.sets", "reading", "place",
          "data", "name", "rule", "topic", "recipe.means", "weights", "cache",
          "total.why")  # fmt: skip
"""The first parts of keys whose English stands in definitions."""
NAMED = {"part.": "_", "convention.name.": "_", "choice.is.": "", "choice.named.": ""}
"""The first parts of keys whose English is the rest, and what is a space in that: names of parts,
options, values."""
SPOKEN = re.compile(r"(?<![\w.…])[a-z]{2,}(?![\w.(])")
"""A word of English among names of PyTorch."""


def defined() -> dict[str, str]:
    """Return the English of every word that a definition holds, by its key."""
    return {found.key: str(found) for found in _words()}


def options() -> dict[str, str]:
    """Return the English of the name of every option of the catalogue, by its key."""
    kinds: list[Any] = [entry.load() for entry in ENTRIES]
    words = (named(option) for kind in kinds for option in choices_of(kind))
    return {found.key: str(found) for found in words}


def is_defined(key: str) -> bool:
    """Whether the English of a key stands in a definition."""
    return any(key.startswith(f"{owner}.") for owner in OWNERS)


def of_its_name(key: str) -> str | None:
    """Return the English of a key that says it itself: ``part.token_embedding``."""
    for owner, space in NAMED.items():
        if key.startswith(owner):
            name = key.removeprefix(owner)
            return name.replace(space, " ") if space else name
    return None


def _words() -> Iterator[Word]:
    for size in ALPHABET:
        if size.meaning != size.name:
            yield size.meaning
    yield E_t.meaning
    for quantity in (*QUANTITIES.values(), *PEAKS.values(), *ASKED.values()):
        yield from (quantity.unit, quantity.meaning)
    for entry in (*ENTRIES, *AXIOMS):
        yield entry.line
        yield from map(case, entry.corollaries())
    yield from conventions.CAUSAL.values()
    yield from conventions.STEPS.values()
    yield from (conventions.state_of(name) for name in OPTIMIZERS)
    yield from map(conventions.stored_as, quantised.TYPES)
    yield from map(conventions.cached_as, (*caches.LAYOUTS, *caches.TYPES))
    yield from map(kind_named, CLAIMS)
    yield from map(recipes.meaning_of, recipes.RECIPES)
    yield from WHY.values()
    yield from (STORED, DECIDES)
    yield from (place.words for place in PUBLISHED)
    yield from (reading.said for reading in (*OFTEN, *MACS) if isinstance(reading.said, Word))
    yield from (*TYPES.values(), *(said for _, _, said in TRAINING))
    yield from _claimed()
    yield from worded.words()
    yield from TOPICS.values()
    yield from (title(entry.name) for entry in ENTRIES if entry.family == entry.name)


def _claimed() -> Iterator[Word]:
    """Yield what recorded claims say of PyTorch and of why it counts otherwise."""
    for found in records.everything():
        claim = found.claim
        names = CLAIMS[KINDS[claim.name]][claim.name]
        for name, text in zip(names, claim.words, strict=True):
            if name in ("witness", "reason"):
                yield from (w for w in words_of(text) if SPOKEN.search(w))
