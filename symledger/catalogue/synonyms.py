"""What people call a component otherwise: from their word to its name, where no other is near.

The words are those of the component's text: its name, what else it is called, how it is looked for.
"""

from __future__ import annotations

from collections.abc import Iterable

from symledger.catalogue.entry import Entry
from symledger.catalogue.texts import text_of
from symledger.errors import bare

KINDS = ("", "layer", "network", "loss")
"""What people leave out: a ``Dense`` is a dense layer."""
MOST = 3
"""How many components are named."""


def meant_by(word: str, entries: Iterable[Entry]) -> list[str]:
    """Return the entries that people call so, whatever its case and punctuation.

    What it is a name of comes first, models too; then components that are looked for by it.

    >>> from symledger.catalogue.entries import ENTRIES
    >>> [meant_by(word, ENTRIES) for word in ("Dense", "SwiGLU", "Whatever")]
    [['linear'], ['gated_feed_forward'], []]
    """
    said = bare(word)
    asked = {said + kind for kind in KINDS if said}
    named, sought = [], []
    for entry in entries:
        text = text_of(entry.name)
        if asked & set(map(bare, (entry.name, text.name, *text.also))):
            named.append(entry.name)
        elif entry.kind == "component" and asked & set(map(bare, text.search)):
            sought.append(entry.name)
    return [*named, *sought][:MOST]
