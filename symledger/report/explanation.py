"""The page that `symledger explain NUMBER` prints: where a number comes from."""

from __future__ import annotations

from shlex import quote

from symledger.explain.answer import Explanation, difference, factored, others
from symledger.explain.branch import SWAPPED, WITHOUT
from symledger.explain.index.readings import FP32
from symledger.explain.index.sources import evaluate
from symledger.explain.match import Match, symbols
from symledger.printing.numbers import number, with_numbers
from symledger.report.layout import NBSP, Page

UNITS = {"parameters": "parameters", "bytes": "bytes", "flop": "FLOP"}
FEW = 2
"""How many answers in another unit are shown beside those that were asked for."""
MOST = 5
"""How many other places or configurations are named before an ellipsis."""


def page(found: Explanation, width: int) -> Page:
    """Write the page."""
    p = Page(width)
    _head(p, found)
    for other in found.otherwise:
        p.heading(f"AS {UNITS[other.number.unit].upper()}, WHICH IS MORE PLAUSIBLE")
        for match in (*other.gives, *other.near)[:FEW]:
            _match(p, match, other)
        p.wrapped(f"--unit {other.number.unit} shows all of them", 6, "dim", first=4)
    for matches in found.sections:
        p.heading("NEARLY: A COMMON MISTAKE" if matches[0].near else "GIVEN BY")
        for match in matches:
            _match(p, match, found)
    if found.omitted and found.sections:
        least = "" if found.number.exact and len(found.looked) == 1 else "at least "
        said = f"and {least}{found.omitted:,} less plausible"
        if found.common:
            said += (": so many give this number that it says little by itself; --in TARGET or "
                     "--set NAME=VALUE narrows it down")  # fmt: skip
        p.wrapped(said, 6, "dim", first=4)
    _texts(p, "THE SAME POLYNOMIAL", list(found.same))
    places: dict[str, list[str]] = {}
    for model, line in found.occurs:
        places.setdefault(model, []).append(line)
    _texts(p, "OCCURS IN", [f"{model}: {few(lines)}" for model, lines in places.items()])
    _nearest(p, found)
    _next(p, found)
    return p


def _head(p: Page, found: Explanation) -> None:
    n = found.number
    shown = f"{n.low:,}" if n.exact else n.text
    where = f"in {found.inside}" if found.inside else ""
    p.line((shown, "bold cyan"), f"   {UNITS[n.unit]} {where}".rstrip())
    indent = len(shown) + 3
    if n.read:
        p.wrapped(n.read, indent, "dim")
    as_asked = found.sections and not found.otherwise and n.unit == found.looked[0]
    if len(found.looked) > 1 and not as_asked:
        p.wrapped(_looked(found), indent, "dim")
    if not n.exact:
        p.wrapped(f"rounded: any whole number from {n.low:,} to {n.high:,}", indent, "dim")
    if found.settings:
        said = ", ".join(f"{name} = {value}" for name, value in found.settings.items())
        p.wrapped(f"with {said}", indent, "dim")


def _looked(found: Explanation) -> str:
    """Say as what a number was looked for whose unit was not said."""
    *others, last = (UNITS[unit] for unit in found.looked)
    said = f"no unit is given: looked for as {', '.join(others)} and {last}"
    return said if found.sections else f"{said}; none of them gives it"


def _match(p: Page, match: Match, found: Explanation) -> None:
    """Write what gives the number: its formula, the numbers put in, and where the sizes occur."""
    what, shown, sizes = str(match.parts[0]), f"   {factored(match.form)}", f"   {_sizes(match)}"
    if len(what + shown + sizes) + 4 <= p.width:
        p.line("    ", (what, "bold"), shown, (sizes, "dim"))
    else:
        p.wrapped(what, 8, "bold", first=4)
        p.wrapped(shown.strip(), 8, first=6)
        p.wrapped("at" + sizes[2:], 8, "dim", first=6)
    at = {s: match.sizes[s.name] for s in symbols(match.form)}
    p.wrapped(f"= {with_numbers(match.form, at)} = {match.value:,}".replace(" = ", f" ={NBSP}"), 8,
              first=6)  # fmt: skip
    if match.reading.said or match.mistaken:
        _reading(p, match, found)
    _missing(p, match)
    if match.known and not found.inside:
        p.wrapped(f"sizes of {few(match.known)}", 8, "dim", first=6)
    if others(match):
        p.wrapped(f"also {few(others(match))}", 8, "dim", first=6)


def _reading(p: Page, match: Match, found: Explanation) -> None:
    reading = match.reading
    if reading.said:
        times = match.sizes[reading.symbol] if reading.symbol else reading.factor
        unit = " bytes" if found.number.unit == "bytes" else ""
        p.wrapped(f"× {times}{unit} = {match.number:,}: {reading.said}", 8,
                  "yellow" if reading.near else "", first=6)  # fmt: skip
    if match.mistaken:
        p.wrapped(match.mistaken, 8, "yellow", first=6)


def _missing(p: Page, match: Match) -> None:
    """Say how far something that lacks a line, or has a wrong one, is from the whole."""
    part = match.parts[0]
    whole = evaluate(part.whole, match.at)
    if part.kind in (WITHOUT, SWAPPED) and isinstance(whole, int):
        off = match.value - whole
        text = f"{abs(off):,} {'more' if off > 0 else 'less'} than {part.variant}: {number(whole)}"
        p.wrapped(text, 8, "yellow", first=6)


def _sizes(match: Match) -> str:
    return ", ".join(f"{name} = {n:,}" for name, n in match.sizes.items())


def few(names: list[str]) -> str:
    """Name a few of many."""
    unique = list(dict.fromkeys(name.replace(" ", NBSP) for name in names))
    more = len(unique) - MOST
    return ", ".join(unique[:MOST]) + (f", and {more} more" if more > 0 else "")


def _texts(p: Page, heading: str, texts: list[str]) -> None:
    if texts:
        p.heading(heading)
    for text in texts[: 2 * MOST]:
        p.wrapped(text, 6, first=4)


def _nearest(p: Page, found: Explanation) -> None:
    if not (found.nearest or not found.sections):
        return
    where, unit = found.inside or "THE CATALOGUE", UNITS[found.number.unit].upper()
    if found.gives or found.near:
        p.heading("NEAREST AT KNOWN SIZES")
    else:
        rest = "; THE NEAREST:" if found.nearest else f", AND NO OTHER NUMBER OF {unit}"
        p.heading(f"NOTHING IN {where} GIVES THIS NUMBER{rest}")
    for row in found.nearest:
        n = found.number.about - row.value
        said = difference(n, row)
        at = "" if found.inside else f" at the sizes of {row.known.name}"
        off = f"{abs(n):,} too {'low' if n > 0 else 'high'}" + (f" = {said}" if said else "")
        p.wrapped(f"{number(row.value)}   {row.part}{at}, {off}", 8, first=6)


def _next(p: Page, found: Explanation) -> None:
    """Say how the first formula is derived."""
    if not found.sections:
        return
    match = (found.otherwise or (found,))[0].sections[0][0]
    part = match.parts[0]
    options = [f"--set {k}={str(v).lower()}" for k, v in part.variant.changed]
    options += [f"--assume {quote(equation)}" for equation in part.variant.assumed]
    reading = match.reading.symbol
    own = found.inside or part.variant.name in match.known
    sizes = [] if own else [f"--set {k}={n}" for k, n in match.sizes.items() if k != reading]
    quantity = f"--quantity {part.quantity}"
    if part.asked.dtype != FP32:
        quantity += f" --dtype {part.asked.dtype}"
    p.heading("NEXT")
    command = " ".join(["symledger derive", quote(part.variant.name), *options, *sizes, quantity])
    p.line("    ", (command, "bold"))
