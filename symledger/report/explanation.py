"""The page that `symledger explain NUMBER` prints: where a number comes from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from shlex import quote

from symledger.explain.answer import Explanation, difference, factored, others
from symledger.explain.branch import SWAPPED, WITHOUT
from symledger.explain.index.readings import FP32
from symledger.explain.index.sources import evaluate
from symledger.explain.match import Match, symbols
from symledger.languages.language import ENGLISH
from symledger.languages.message import Text, Verbatim, joined, message, word
from symledger.printing.numbers import number, with_numbers
from symledger.report.layout import NBSP, Page

UNITS = {"parameters": "parameters", "bytes": "bytes", "flop": "FLOP"}
"""The units of numbers, as quantities have them."""
FEW = 2
"""How many answers in another unit are shown beside those that were asked for."""
MOST = 5
"""How many other places or configurations are named before an ellipsis."""


def page(found: Explanation, width: int, language: str = ENGLISH) -> Page:
    """Write the page."""
    p = Page(width, language)
    _head(p, found)
    for other in found.otherwise:
        p.heading(message(f"explain.as.{other.number.unit}"))
        for match in (*other.gives, *other.near)[:FEW]:
            _match(p, match, other)
        option = Verbatim(f"--unit {other.number.unit}")
        p.wrapped(message("explain.shows_all", option=option), 6, "dim", first=4)
    for matches in found.sections:
        p.heading(message("explain.nearly" if matches[0].near else "explain.given_by"))
        for match in matches:
            _match(p, match, found)
    if found.omitted and found.sections:
        sure = found.number.exact and len(found.looked) == 1
        key = "explain.omitted" if sure else "explain.omitted_at_least"
        said: Text = message(key, n=found.omitted)
        if found.common:
            said = joined((said, message("explain.common")), ": ")
        p.wrapped(said, 6, "dim", first=4)
    _texts(p, message("page.identities"), found.same)
    places: dict[str, list[str]] = {}
    for model, line in found.occurs:
        places.setdefault(model, []).append(line)
    occurs = [joined((model, few(p, lines)), ": ") for model, lines in places.items()]
    _texts(p, message("explain.occurs_in"), occurs)
    _nearest(p, found)
    _next(p, found)
    return p


def _head(p: Page, found: Explanation) -> None:
    n = found.number
    shown = f"{n.low:,}" if n.exact else n.text
    unit = unit_named(n.unit)
    if found.inside:
        unit = message("explain.inside", unit=unit, target=Verbatim(found.inside))
    p.line((shown, "bold cyan"), "   ", unit)
    indent = len(shown) + 3
    if n.read:
        p.wrapped(n.read, indent, "dim")
    as_asked = found.sections and not found.otherwise and n.unit == found.looked[0]
    if len(found.looked) > 1 and not as_asked:
        p.wrapped(_looked(found), indent, "dim")
    if not n.exact:
        p.wrapped(message("explain.rounded", low=n.low, high=n.high), indent, "dim")
    if found.settings:
        said = ", ".join(f"{name} = {value}" for name, value in found.settings.items())
        p.wrapped(message("explain.with", settings=Verbatim(said)), indent, "dim")


def unit_named(unit: str) -> Text:
    """Return what a unit is called."""
    return word(f"unit.{UNITS[unit]}", UNITS[unit])


def _looked(found: Explanation) -> Text:
    """Say as what a number was looked for whose unit was not said."""
    *others, last = map(unit_named, found.looked)
    key = "explain.looked" if found.sections else "explain.looked_in_vain"
    return message(key, others=joined(others, ", "), last=last)


def _match(p: Page, match: Match, found: Explanation) -> None:
    """Write what gives the number: its formula, the numbers put in, and where the sizes occur."""
    what = p.say(match.parts[0].words)
    shown, sizes = f"   {factored(match.form)}", f"   {_sizes(match)}"
    if len(what + shown + sizes) + 4 <= p.width:
        p.line("    ", (what, "bold"), shown, (sizes, "dim"))
    else:
        p.wrapped(what, 8, "bold", first=4)
        p.wrapped(shown.strip(), 8, first=6)
        p.wrapped(message("explain.at", sizes=_sizes(match)), 8, "dim", first=6)
    at = {s: match.sizes[s.name] for s in symbols(match.form)}
    p.wrapped(f"= {with_numbers(match.form, at)} = {match.value:,}".replace(" = ", f" ={NBSP}"), 8,
              first=6)  # fmt: skip
    if match.reading.said or match.mistaken:
        _reading(p, match, found)
    _missing(p, match)
    if match.known and not found.inside:
        p.wrapped(message("explain.known", names=few(p, match.known)), 8, "dim", first=6)
    if others(match):
        p.wrapped(message("explain.also", names=few(p, others(match))), 8, "dim", first=6)


def _reading(p: Page, match: Match, found: Explanation) -> None:
    reading = match.reading
    if reading.said:
        times = match.sizes[reading.symbol] if reading.symbol else reading.factor
        key = "explain.times_bytes" if found.number.unit == "bytes" else "explain.times"
        said = message(key, times=str(times), number=match.number, why=reading.said)
        p.wrapped(said, 8, "yellow" if reading.near else "", first=6)
    if match.mistaken:
        p.wrapped(match.mistaken, 8, "yellow", first=6)


def _missing(p: Page, match: Match) -> None:
    """Say how far something that lacks a line, or has a wrong one, is from the whole."""
    part = match.parts[0]
    whole = evaluate(part.whole, match.at)
    if part.kind in (WITHOUT, SWAPPED) and isinstance(whole, int):
        off = match.value - whole
        key = "explain.more_than" if off > 0 else "explain.less_than"
        said = message(key, difference=abs(off), target=part.variant.words, whole=number(whole))
        p.wrapped(said, 8, "yellow", first=6)


def _sizes(match: Match) -> str:
    return ", ".join(f"{name} = {n:,}" for name, n in match.sizes.items())


def few(p: Page, names: Iterable[str]) -> Text:
    """Name a few of many."""
    unique = list(dict.fromkeys(p.say(name).replace(" ", NBSP) for name in names))
    named = Verbatim(", ".join(unique[:MOST]))
    more = len(unique) - MOST
    return message("explain.few", names=named, n=more) if more > 0 else named


def _texts(p: Page, heading: str, texts: Sequence[str]) -> None:
    if texts:
        p.heading(heading)
    for text in texts[: 2 * MOST]:
        p.wrapped(text, 6, first=4)


def _nearest(p: Page, found: Explanation) -> None:
    if not (found.nearest or not found.sections):
        return
    where = Verbatim(found.inside) if found.inside else message("explain.catalogue")
    if found.gives or found.near:
        p.heading(message("explain.nearest_known"))
    elif found.nearest:
        p.heading(message("explain.nothing_but_near", where=where))
    else:
        p.heading(message(f"explain.nothing.{found.number.unit}", where=where))
    for row in found.nearest:
        n = found.number.about - row.value
        off: Text = message("explain.too_low" if n > 0 else "explain.too_high", by=abs(n))
        off = joined(filter(None, (off, difference(n, row))), " = ")
        what = row.part.words
        if not found.inside:
            what = message("explain.at_sizes_of", what=what, name=row.known.name)
        p.wrapped(joined((number(row.value), joined((what, off))), "   "), 8, first=6)


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
    p.heading(message("page.next"))
    command = " ".join(["symledger derive", quote(part.variant.name), *options, *sizes, quantity])
    p.line("    ", (Verbatim(command), "bold"))
