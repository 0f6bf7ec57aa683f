"""What `symledger solve` prints: the size, its neighbours, the proof, and what binds."""

from __future__ import annotations

from symledger import algebra
from symledger.algebra import Terms
from symledger.inverse.solution import Point, Solution
from symledger.languages.language import ENGLISH
from symledger.languages.message import Verbatim, joined, message
from symledger.printing.numbers import number
from symledger.printing.rows import plus
from symledger.printing.units import byte_units
from symledger.report.layout import Page
from symledger.report.page import conventions, head


def page(found: Solution, width: int, language: str = ENGLISH) -> Page:
    """Write the solution."""
    p = Page(width, language)
    head(p, found.account)
    key = "solve.smallest" if found.proof == "falls" else "solve.largest"
    p.heading(message(key, size=found.size, quantity=found.quantity))
    p.table(_points(found), ("cyan", "", "dim", ""), {1}, indent=4)
    if found.refused:
        key = "solve.skipped" if found.outside else "solve.ends"
        p.wrapped(message(key, reason=Verbatim(found.refused)), 4, "yellow")
    elif found.outside is None:
        p.line("    ", message("solve.always"))
    if found.quantity == "params" or not found.unit.startswith("b"):
        p.line("    ", message("solve.nearest", size=f"{found.size} = {found.nearest.size:,}"))
    p.heading(message("solve.formula", size=found.size))
    for one in found.branches:
        p.wrapped(_polynomial(one), 4)
    p.line(("    " + p.say(_proof(found)), "dim"))
    _binds(p, found)
    conventions(p, found.account)
    return p


def _polynomial(terms: Terms) -> str:
    """Write a polynomial of large coefficients, their digits in groups."""
    each = []
    for monomial, c in algebra.ordered(terms):
        sizes = algebra.text({monomial: 1}) if monomial else ""
        each.append(" ".join(filter(None, [number(c) if abs(c) != 1 or not sizes else
                                           "-" * (c < 0), sizes])))  # fmt: skip
    return plus(each)


def _points(found: Solution) -> list[list[str]]:
    table = [_point(found, found.inside)]
    asked = f"{found.budget:,}"
    units = byte_units(found.budget) if found.unit == "bytes" else ""
    table.append([message("solve.asked"), asked, found.unit, Verbatim(units)])
    if found.outside:
        table.append(_point(found, found.outside))
    if found.proof == "falls":
        table.reverse()
    return table


def _point(found: Solution, point: Point) -> list[str]:
    units = byte_units(point.value) if found.unit == "bytes" else ""
    over = point.value - found.budget
    key = "solve.over" if over > 0 else "solve.left"
    said = joined([*filter(None, [units]), message(key, amount=f"{abs(over):,}")], "   ")
    return [f"{found.size} = {point.size:,}", f"{point.value:,}", found.unit, said]


def _proof(found: Solution) -> str:
    if found.proof == "rises from":
        return message("solve.rises_from", size=found.size, since=found.since)
    key = {"rises": "solve.rises", "falls": "solve.falls"}.get(found.proof, "solve.looked_at")
    return message(key, size=found.size)


def _binds(p: Page, found: Solution) -> None:
    p.heading(message("solve.binds", size=f"{found.size} = {found.inside.size:,}"))
    rows = [[r.label, f"{r.value:,}", f"{float(r.share):.1%}".replace("%", " %")]
            for r in found.rows]  # fmt: skip
    p.table(rows, ("", "cyan", "dim"), {1, 2}, indent=4)
    for kind in ("lines", "powers"):
        turns = [turn for turn in found.turns if turn.kind == kind]
        if len(turns) > 1:
            first, *rest = turns
            said = [_named(first.label)] + [
                message("solve.from", line=_named(t.label), size=f"{found.size} = {t.since:,}")
                for t in rest
            ]
            p.wrapped(message(f"solve.largest_{kind}", turns=joined(said, ", ")), 4)


def _named(label: str) -> str:
    return message("solve.constant") if label == "1" else label
