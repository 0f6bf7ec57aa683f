"""What `symledger fit` prints: whether it fits, what binds, and the ways to need less."""

from __future__ import annotations

from collections.abc import Iterable

from symledger.inverse.amounts import NEEDED
from symledger.inverse.fit import Fit, Way
from symledger.languages.language import ENGLISH
from symledger.languages.message import Verbatim, joined, message
from symledger.printing.units import byte_units
from symledger.report.layout import Page
from symledger.report.page import conventions, head


def page(found: Fit, width: int, language: str = ENGLISH) -> Page:
    """Write the page."""
    p = Page(width, language)
    head(p, found.account)
    p.heading(message("fit.fits" if found.fits else "fit.does_not", quantity=found.quantity))
    over = found.value - found.budget
    rows = [
        [message("fit.needed"), f"{found.value:,} B", Verbatim(byte_units(found.value))],
        [message("solve.asked"), f"{found.budget:,} B", Verbatim(byte_units(found.budget))],
        [message("fit.left" if found.fits else "fit.over"), f"{abs(over):,} B",
         Verbatim(byte_units(abs(over)))],
    ]  # fmt: skip
    p.table(rows, ("", "cyan", "dim"), {1}, indent=4)
    if found.quantity == NEEDED:
        p.wrapped(message("fit.held"), 4, "dim")
    for name, n in found.room:
        p.line("    ", message("fit.room", size=f"{name} = {n:,}"))
    p.heading(message("fit.binds"))
    table = [[r.label, f"{r.value:,} B", f"{float(r.share):.1%}".replace("%", " %")]
             for r in found.rows]  # fmt: skip
    p.table(table, ("", "cyan", "dim"), {1, 2}, indent=4)
    _ways(p, found, message("fit.ways"), found.ways, found.value)
    if found.together:
        enough = found.together[-1].value <= found.budget
        title = message("fit.together" if enough else "fit.not_enough")
        _ways(p, found, title, found.together, None)
    conventions(p, found.account)
    return p


def _ways(p: Page, found: Fit, title: str, ways: Iterable[Way], whole: int | None) -> None:
    p.heading(title)
    before, table = found.value, []
    for way in ways:
        fits = message("fit.enough") if way.value <= found.budget else ""
        saved = (before if whole is None else whole) - way.value
        table.append([Verbatim(way.option), f"{way.value:,} B", f"−{saved:,} B", fits, _cost(way)])
        before = way.value
    head_row: list[str] = ["", message("fit.needed"), message("fit.saves"), "",
                           message("fit.costs")]  # fmt: skip
    if table:
        p.table([head_row, *table], ("cyan", "", "", "green", "dim"), {1, 2}, flexible=(4,),
                indent=4)  # fmt: skip
    else:
        p.line("    ", message("fit.no_way"))


def _cost(way: Way) -> str:
    said: list[str] = []
    if way.kind == "dtype":
        said.append(message("fit.rounded", dtype=way.name))
    elif way.kind == "optimizer":
        said.append(message("fit.other_optimizer"))
    elif way.kind in ("adapters", "weights"):
        said.append(message(f"fit.{way.kind}"))
    elif way.name == "T":
        said.append(message("fit.shorter"))
    elif way.steps > 1:
        said.append(message("fit.steps", n=way.steps))
    if way.work is not None and way.work != 1 and way.name != "T":
        said.append(message("fit.work", times=f"{float(way.work):.4g}"))
    return joined(said) if said else message("fit.nothing")
