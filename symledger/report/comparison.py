"""What `symledger compare` prints: sizes that differ, then each quantity line by line."""

from __future__ import annotations

from symledger import algebra
from symledger.accounts.compare import Compared, ComparedLine, ComparedRow, Comparison
from symledger.report.layout import Page
from symledger.report.page import conventions


def page(found: Comparison, width: int) -> Page:
    """Write the comparison."""
    p = Page(width)
    left, right = found.left.target, found.right.target
    p.line((left.name, "bold cyan"), "   " + left.title)
    p.line((right.name, "bold cyan"), "   " + right.title)
    if found.differing:
        p.heading("WHAT DIFFERS")
        head = ["", left.name, right.name]
        p.table([head, *map(list, found.differing)], ("", "cyan", "cyan"), {1, 2}, indent=4)
        _length(p, found)
    else:
        p.heading("NO SIZE AND NO CHOICE DIFFERS")
    for compared in found.quantities:
        _quantity(p, found, compared)
    for name, sizes in found.left_out.items():
        given = " ".join(f"--set {size}=…" for size in sizes)
        p.line((f"  {name} has no value: give {given}", "dim"))
    conventions(p, found.left)
    return p


def _length(p: Page, found: Comparison) -> None:
    """Say how long the sequences are that both see."""
    bound = {symbol.name: n for symbol, n in found.left.assumed.bindings.items()}
    at = [f"{name} = {bound[name]:,}" for name in ("B", "T") if name in bound]
    if at:
        p.line((f"    both at {', '.join(at)}", "dim"))


def _quantity(p: Page, found: Comparison, compared: Compared) -> None:
    meaning = found.left[compared.quantity].quantity.meaning
    p.heading(f"{compared.quantity.upper()}: {meaning}")
    whole = compared.total.difference
    head = ["", found.left.target.name, found.right.target.name, "difference", "of it", "formula"]
    table = [head, *(_cells(row, whole) for row in compared.rows), _cells(compared.total, whole)]
    p.table(table, ("", "cyan", "cyan", "", "dim", "dim"), {1, 2, 3, 4}, flexible=(5,), indent=4)
    if compared.total.left and compared.total.right and compared.total.left.value:
        ratio = compared.total.right.value / compared.total.left.value
        p.line((f"    {ratio:.4g} × as many {compared.unit}", "magenta"))


def _cells(row: ComparedRow, whole: int) -> list[str]:
    share = f"{row.difference / whole:.1%}".replace("%", " %") if row.difference and whole else ""
    both = [_formula(e) for e in (row.left, row.right)]
    formula = both[0] if both[0] == both[1] else " → ".join(both)
    difference = f"{row.difference:+,}" if row.difference else "0"
    return [row.label, _value(row.left), _value(row.right), difference, share, formula]


def _value(entry: ComparedLine | None) -> str:
    return f"{entry.value:,}" if entry else "none"


def _formula(entry: ComparedLine | None) -> str:
    return algebra.text(entry.terms) if entry else "none"
