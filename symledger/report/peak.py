"""A peak on the page that `symledger derive` prints: its moments, the largest of them opened."""

from __future__ import annotations

from symledger import algebra
from symledger.accounts.account import Account
from symledger.errors import SymledgerError
from symledger.languages.message import Verbatim, message
from symledger.languages.words import implementation
from symledger.ledger.at_moment import AtMoment
from symledger.ledger.conventions import STEPS
from symledger.ledger.overtaking import overtakings
from symledger.ledger.peaks import EAGER, PROGRAM, Peak
from symledger.printing.moments import named
from symledger.printing.numbers import number
from symledger.printing.units import byte_units
from symledger.report.layout import Page

SCHEDULED = {PROGRAM: "peak.schedule", EAGER: "peak.eager"}
MOST = 12
"""Moments that are shown; JSON has all."""


def moments(p: Page, account: Account, peak: Peak) -> AtMoment | None:
    """Show the moments of a peak, and return the one that is the largest where that is known."""
    p.heading(message("page.quantity", name=peak.quantity.name.upper(),
                      meaning=peak.quantity.meaning))  # fmt: skip
    p.line(("    " + p.say(message(SCHEDULED[peak.schedule])), "dim"))
    if peak.step:
        said = message("peak.way", way=STEPS[peak.step])
        p.line(("    " + p.say(said), "dim"))
    for depth in peak.depths:
        key = "peak.at_least" if depth.exactly is None else "peak.exactly"
        said = message(key, times=Verbatim(algebra.text(depth.times)), n=depth.number)
        p.line(("    " + p.say(said), "dim"))
    names = named(peak.remaining)
    largest = peak.largest
    shown = peak.remaining
    if largest and len(shown) > MOST:
        by_size = sorted(shown, key=lambda m: m.exact or 0, reverse=True)[:MOST]
        shown = tuple(m for m in shown if m in by_size)
    shown = shown[:MOST]
    table = [["", message("page.formula"), peak.unit if largest else ""]]
    table += [
        [names[m], m.text, number(m.exact) if largest and m.exact is not None else ""]
        for m in shown
    ]
    p.table(table, ("", "", "cyan"), {2}, flexible=(0, 1))
    if len(peak.remaining) > len(shown):
        said = message("peak.more", shown=len(shown), n=len(peak.remaining))
        p.line(("    " + p.say(said), "dim"))
    if largest and largest.value is not None:
        said = message("peak.largest", moment=names[largest], value=number(largest.value),
                       units=Verbatim(byte_units(largest.value)))  # fmt: skip
        p.wrapped(said, 4, "bold cyan", first=2)
        for found in overtakings(peak, account.program.bounds):
            size = f"{found.symbol} = {found.value:,}"
            said = message("peak.overtaken", size=size, moment=names[found.moment])
            p.wrapped(said, 6, "magenta", first=4)
    if not account.target.is_traced:
        beside(p, account, peak)
    return largest


def beside(p: Page, account: Account, peak: Peak) -> None:
    """Show what the peak is by the other schedule, and the difference; or why it is not known."""
    try:
        other, observed = account.by_other_schedule(peak.quantity.name)
    except SymledgerError as error:
        p.wrapped(message("peak.not_eager", why=Verbatim(str(error))), 6, "dim", first=4)
        return
    if other.value is None or peak.value is None:
        return
    more = int(other.value - peak.value)
    difference = f"{'−' if more < 0 else '+'}{abs(more):,}"
    key = "peak.beside_eager" if observed else "peak.beside_program"
    said = message(key, implementation=implementation(observed), value=number(other.value),
                   difference=difference)  # fmt: skip
    p.wrapped(said, 6, "dim", first=4)
