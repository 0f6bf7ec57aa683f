"""What `symledger sweep` prints: how many configurations are within, and the best of them."""

from __future__ import annotations

from symledger.inverse.sweep.sweep import Sweep
from symledger.languages.language import ENGLISH
from symledger.languages.message import Verbatim, joined, message
from symledger.report.layout import Page
from symledger.report.page import conventions


def page(found: Sweep, width: int, language: str = ENGLISH) -> Page:
    """Write the sweep."""
    p = Page(width, language)
    p.line((Verbatim(found.account.target.name), "bold cyan"), "   ", found.account.target.title)
    each = joined([f"{len(a.values):,} {a.name}" for a in found.axes], " × ")
    p.heading(message("sweep.swept"))
    rows = [[message("sweep.points"), f"{found.points:,}", each]]
    if found.looked < found.points:
        rows.append([message("sweep.looked"), f"{found.looked:,}", ""])
    rows.append([message("sweep.legal"), f"{found.legal:,}", ""])
    where = joined([Verbatim(text) for text in found.asked.where], " · ")
    rows.append([message("sweep.within"), f"{found.within:,}", where])
    if found.asked.to:
        rows.append([message("sweep.written"), f"{found.written:,}", Verbatim(found.asked.to)])
    p.table(rows, ("", "cyan", "dim"), {1}, indent=4)
    p.line(("    " + p.say(message("sweep.int64" if found.int64 else "sweep.exact")), "dim"))
    if found.rows:
        minimize = found.asked.minimize
        p.heading(message("sweep.best", quantity=minimize) if minimize else message("sweep.first"))
        head: list[str] = [Verbatim(name) for name in found.header]
        table = [head, *([f"{n:,}" for n in row] for row in found.rows)]
        p.table(table, ["cyan"] * len(head), set(range(len(head))), indent=4)
    else:
        p.heading(message("sweep.none"))
    conventions(p, found.account)
    return p
