"""What `symledger list` prints."""

from __future__ import annotations

from typing import Any

from symledger.account import derive
from symledger.catalogue import ENTRIES, Entry
from symledger.report.layout import NBSP, Page
from symledger.torch_layers import LAYERS


def page(width: int) -> Page:
    """Write the list of everything that can be derived by name."""
    p = Page(width)
    for kind, heading in (("component", "COMPONENTS"), ("model", "MODELS")):
        p.heading(heading)
        entries = [entry for entry in ENTRIES if entry.kind == kind]
        table = [[entry.name, title(entry)] for entry in entries]
        p.table(table, ("bold cyan", ""), set(), flexible=(1,), indent=4)
    p.heading("LAYERS OF TORCH.NN, as you write them")
    table = [[layer.example, layer.entry] for layer in LAYERS]
    p.table(table, ("bold cyan", "dim"), set(), (1,), indent=4)
    p.line()
    p.line(("  symledger derive NAME", "bold"), "   derives one of them; --help says more")
    return p


def title(entry: Entry) -> str:
    """Say in a line what an entry is."""
    sizes = ", ".join(f"{s}{NBSP}={NBSP}{n:,}" for s, n in entry.configuration().items())
    said = entry.title or str(entry.load().title)
    return f"{entry.family} at {sizes}" if entry.name != entry.family and sizes else said


def to_dict() -> dict[str, Any]:
    """Return the list as JSON data: each target with its symbols, options and configuration."""
    return {"schema": "symledger.list/1", "targets": [_entry(entry) for entry in ENTRIES],
            "layers": [{"name": layer.name, "signature": str(layer), "example": layer.example}
                       for layer in LAYERS]}  # fmt: skip


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
