"""What a plan of recomputation saves and costs, on the page that `symledger derive` prints."""

from __future__ import annotations

from symledger import algebra
from symledger.accounts.account import Account
from symledger.accounts.recomputation import recomputation
from symledger.languages.message import Verbatim, message
from symledger.printing.numbers import number
from symledger.report.layout import Page


def section(p: Page, account: Account) -> None:
    """Two rows of what there is without and with the plan, and two of what is executed again."""
    found = recomputation(account)
    if found is None:
        return
    p.heading(message("recompute.heading", plan=Verbatim(account.request.recompute)))
    table = [["", message("recompute.without"), message("recompute.with"), ""]]
    for name, pair in found.saved.items():
        shown = [f.text if f.value is None else number(f.value) for f in pair]
        table.append([name, *shown, pair[1].unit])
    p.table(table, ("", "cyan", "cyan", "dim"), {1, 2}, flexible=(1, 2), indent=4)
    at = account.assumed.bindings
    table = []
    for name, extra in found.extra.items():
        value = algebra.value(extra, at)
        shown_value = "" if value is None else number(value)
        table.append([message(f"recompute.{name}"), algebra.text(extra), shown_value, "FLOP"])
    p.table(table, ("", "", "cyan", "dim"), {2}, flexible=(1,), indent=4)
