"""The notation page: every symbol, what it means, and everything that it is used in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from symledger.catalogue.entry import Entry
from symledger.site.atlas import Atlas
from symledger.site.html import maths
from symledger.site.html.templating import Templates
from symledger.site.pages import Page
from symledger.site.tongues import speaks
from symledger.sizes import ALPHABET, Size, meaning

PATH = "notation.md"


@dataclass(frozen=True)
class Use:
    """A symbol with the components and models whose formulas or shapes hold it."""

    symbol: Size
    mark: Markup
    components: tuple[Entry, ...]
    models: tuple[Entry, ...]

    @property
    def anchor(self) -> str:
        """The anchor of the symbol on the page."""
        return anchor(self.symbol.name)


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield the one page."""
    yield templates.page(PATH, "notation.md.j2", atlas=atlas, uses=list(uses(atlas)))


def uses(atlas: Atlas) -> Iterator[Use]:
    """Yield the symbols in the order of the alphabet, then those that a definition brings."""
    found: dict[str, list[Entry]] = defaultdict(list)
    symbols = {symbol.name: symbol for symbol in ALPHABET}
    for entry in atlas.owners:
        for symbol in atlas.account(entry.name).symbols.values():
            symbols.setdefault(symbol.name, meaning(symbol))
            found[symbol.name].append(entry)
    for name, symbol in symbols.items():
        kinds = {kind: tuple(e for e in found[name] if e.kind == kind)
                 for kind in ("component", "model")}  # fmt: skip
        yield Use(symbol, maths.symbol(symbol), kinds["component"], kinds["model"])


def anchor(name: str) -> str:
    """Return the anchor of a symbol on the page."""
    return f"sym-{name.replace('_', '-')}"


def translated(atlas: Atlas, language: str) -> list[str]:
    """Return its path, where a language has words for it."""
    del atlas
    return [PATH] if speaks(language, "notation.md.j2") else []


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the files beside it: none."""
    del atlas
    return {}
