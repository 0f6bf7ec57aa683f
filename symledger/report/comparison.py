"""What `symledger compare` prints: sizes that differ, then each quantity line by line."""

from __future__ import annotations

from symledger import algebra
from symledger.accounts.compare import Compared, ComparedLine, ComparedRow, Comparison
from symledger.languages import words
from symledger.languages.language import ENGLISH
from symledger.languages.message import Verbatim, joined, message
from symledger.report.layout import Page
from symledger.report.page import conventions, titled
from symledger.sizes import BY_NAME


def page(found: Comparison, width: int, language: str = ENGLISH) -> Page:
    """Write the comparison."""
    p = Page(width, language)
    left, right = found.left.target, found.right.target
    for target in (left, right):
        p.line((Verbatim(target.name), "bold cyan"), "   ", target.title)
    if found.differing:
        p.heading(message("compare.differing"))
        head = ["", Verbatim(left.name), Verbatim(right.name)]
        rows = [_differing(*row) for row in found.differing]
        p.table([head, *rows], ("", "cyan", "cyan"), {1, 2}, indent=4)
        _length(p, found)
    else:
        p.heading(message("compare.alike"))
    for compared in found.quantities:
        _quantity(p, found, compared)
    for name, sizes in found.left_out.items():
        given = " ".join(f"--set {size}=…" for size in sizes)
        said = message("compare.no_value", quantity=name, settings=Verbatim(given))
        p.line(("  " + p.say(said), "dim"))
    conventions(p, found.left)
    return p


def _differing(name: str, *values: str) -> list[str]:
    """Return the row of a size or of a choice."""
    if name in BY_NAME:
        return [name, *values]
    return [words.named(name), *map(words.valued, values)]


def _length(p: Page, found: Comparison) -> None:
    """Say how long the sequences are that both see."""
    bound = {symbol.name: n for symbol, n in found.left.assumed.bindings.items()}
    at = [f"{name} = {bound[name]:,}" for name in ("B", "T") if name in bound]
    if at:
        p.line(("    " + p.say(message("compare.both", sizes=", ".join(at))), "dim"))


def _quantity(p: Page, found: Comparison, compared: Compared) -> None:
    p.heading(titled(found.left[compared.quantity].quantity))
    whole = compared.total.difference
    head = ["", Verbatim(found.left.target.name), Verbatim(found.right.target.name),
            message("compare.difference"), message("compare.share"), message("page.formula")]
    table = [head, *(_cells(row, whole) for row in compared.rows), _cells(compared.total, whole)]
    p.table(table, ("", "cyan", "cyan", "", "dim", "dim"), {1, 2, 3, 4}, flexible=(5,), indent=4)
    if compared.total.left and compared.total.right and compared.total.left.value:
        ratio = compared.total.right.value / compared.total.left.value
        unit = found.left[compared.quantity].unit
        said = message("compare.ratio", ratio=f"{ratio:.4g}", unit=unit)
        p.line(("    " + p.say(said), "magenta"))


def _cells(row: ComparedRow, whole: int) -> list[str]:
    share = f"{row.difference / whole:.1%}".replace("%", " %") if row.difference and whole else ""
    both = [_formula(e) for e in (row.left, row.right)]
    formula = both[0] if both[0] == both[1] else joined(both, " → ")
    difference = f"{row.difference:+,}" if row.difference else "0"
    return [row.label, _value(row.left), _value(row.right), difference, share, formula]


def _value(entry: ComparedLine | None) -> str:
    return f"{entry.value:,}" if entry else message("compare.none")


def _formula(entry: ComparedLine | None) -> str:
    return algebra.text(entry.terms) if entry else message("compare.none")
