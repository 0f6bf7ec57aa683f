"""What `symledger list` prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symledger.accounts.account import derive
from symledger.accounts.published_total import written
from symledger.catalogue.checkpoints import Checkpoint, checkpoints
from symledger.catalogue.entries import ENTRIES
from symledger.catalogue.entry import Entry
from symledger.configs.families import READERS
from symledger.configs.reader import named
from symledger.languages.language import ENGLISH, pattern
from symledger.languages.message import Text, Verbatim, message, word
from symledger.report.layout import NBSP, Page
from symledger.torch_layers.table import LAYERS


def page(width: int, kinds: Sequence[str], language: str = ENGLISH) -> Page:
    """Write the list of everything that can be derived by name, or of some kinds of it."""
    p = Page(width, language)
    if "components" in kinds:
        _entries(p, "component", message("list.components"))
    if "models" in kinds:
        _entries(p, "model", message("list.models"))
        _published(p)
    if "layers" in kinds:
        p.heading(message("list.layers"))
        table = [[Verbatim(layer.example), layer.entry] for layer in LAYERS]
        p.table(table, ("bold cyan", "dim"), set(), (1,), indent=4)
    p.line()
    command = message("list.command")
    p.line(("  " + p.say(command), "bold"), "   ", message("list.next"))
    return p


def _entries(p: Page, kind: str, heading: str) -> None:
    p.heading(heading)
    entries = [entry for entry in ENTRIES if entry.kind == kind]
    table = [[entry.name, title(entry)] for entry in entries]
    p.table(table, ("bold cyan", ""), set(), flexible=(1,), indent=4)


def _published(p: Page) -> None:
    """Every published configuration with its source, families apart."""
    p.heading(message("list.published"))
    table = [
        [known.name, said(known), written(known.total) if known.total else "",
         Verbatim(known.source)]
        for known in checkpoints().values()
    ]  # fmt: skip
    p.table(table, ("bold cyan", "", "", "dim"), {2}, flexible=(3,), indent=4)
    p.line()
    kinds = ", ".join(name for names in READERS.values() for name in names)
    p.wrapped(message("list.own", kinds=kinds), 4, "dim")


def said(known: Checkpoint) -> str:
    """What a published configuration is of: its model_type, or its entry here."""
    return str(known.config[named(known.config)]) if known.config else known.entry


def title(entry: Entry) -> Text:
    """Say in a line what an entry is; what the catalogue of messages knows needs no definition."""
    sizes = ", ".join(f"{s}{NBSP}={NBSP}{n:,}" for s, n in entry.configuration().items())
    if entry.name != entry.family and sizes:
        return message("list.at", family=entry.family, sizes=sizes)
    key = f"title.{entry.name}"
    known = pattern(ENGLISH, key)
    return word(key, known) if known else entry.line


def to_dict(kinds: Sequence[str]) -> dict[str, Any]:
    """Return the list as JSON data: each target with its symbols, options and configuration."""
    shown = {kind for kind in ("component", "model") if f"{kind}s" in kinds}
    found: dict[str, Any] = {
        "schema": "symledger.list/1",
        "targets": [_entry(entry) for entry in ENTRIES if entry.kind in shown],
    }
    if "models" in kinds:
        found["published"] = [
            {"name": known.name, "of": said(known), "source": known.source}
            | ({"params": known.total.said} if known.total else {})
            for known in checkpoints().values()
        ]
        found["model_types"] = [name for names in READERS.values() for name in names]
    if "layers" in kinds:
        found["layers"] = [
            {"name": layer.name, "signature": str(layer), "example": layer.example}
            for layer in LAYERS
        ]
    return found


def _entry(entry: Entry) -> dict[str, Any]:
    account = derive(entry.name)
    return {
        "name": entry.name,
        "kind": entry.kind,
        "owner": entry.family,
        "title": account.target.title,
        "symbols": sorted(account.symbols),
        "options": {
            name: [str(v).lower() if isinstance(v, bool) else v for v in allowed]
            for name, allowed in account.target.choices.items()
        },
        "configuration": {s: str(n) for s, n in entry.configuration().items()},
        "quantities": list(account.quantities),
    }
