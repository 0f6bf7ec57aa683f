"""What people call a component otherwise: from their word to its name, where no other is near.

The words are those of the component's text: its name, what else it is called, how it is looked for.
"""

from __future__ import annotations

from symledger.errors import bare

KINDS = ("", "layer", "network", "loss")
"""What people leave out: a ``Dense`` is a dense layer."""
MOST = 3
"""How many components are named."""


def meant_by(word: str) -> list[str]:
    """Return the components that people call so, whatever its case and punctuation.

    What it is a name of comes first, models too; then components that are looked for by it.

    >>> called("Dense"), called("SwiGLU"), called("Whatever")
    (['linear'], ['gated_feed_forward'], [])
    """
    from symledger.catalogue.entries import ENTRIES
    from symledger.catalogue.texts import text_of

    asked = {bare(word + kind) for kind in KINDS if bare(word)}
    named, sought = [], []
    for entry in ENTRIES:
        text = text_of(entry.name)
        if asked & set(map(bare, (entry.name, text.name, *text.also))):
            named.append(entry.name)
        elif entry.kind == "component" and asked & set(map(bare, text.search)):
            sought.append(entry.name)
    return [*named, *sought][:MOST]


def layers(word: str) -> list[str]:
    """Return the layers of torch.nn that people call so, or components, where no few layers are."""
    from symledger.torch_layers.table import LAYERS

    components = meant_by(word)
    found = [layer.name for layer in LAYERS if layer.entry in components]
    several = found if len(found) <= MOST else []
    return several or [f"the component {component}" for component in components]
