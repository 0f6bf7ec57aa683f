"""The scatter plot: points of a few kinds, each with its name, and no line between them.

A kind has a colour and a shape. A group of points is a link: pointing at it, or coming to it with
the keyboard, shows the names of its points, and other groups step back. None of it needs a script.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from markupsafe import Markup

from symledger.languages.message import joined, message
from symledger.printing import numbers
from symledger.site.plots.axes import Axis, Scale, scale, written
from symledger.site.plots.figure import (
    WIDTH,
    Figure,
    drawing,
    path,
    tag,
    text_width,
)  # fmt: skip
from symledger.site.plots.lines import BOTTOM, grid
from symledger.site.plots.marks import mark, marks
from symledger.site.plots.naming import Box, Name, Spot, around, loneliest, placed

HEIGHT = 300
"""Of the plot itself, under the names of the kinds."""
ROW = 16
"""Room of a line of names of kinds."""
ABOVE = 24
"""Room between those and the plot, for the label of the vertical axis."""
PIECES = 60
"""Parts of a line that names keep away from."""
MOST_NAMES = 16
"""Points that are named without being pointed at."""


@dataclass(frozen=True)
class Point:
    """A point: its group, its own name, its kind, and where it is."""

    group: str
    name: str
    kind: str
    x: int | Fraction
    y: int | Fraction


@dataclass(frozen=True)
class Rule:
    """A line that means something: all points where y is so many times x."""

    label: str
    times: int


@dataclass(frozen=True)
class Sheet:
    """A plot laid out: its axes, and the numbers of its kinds."""

    x: Scale
    y: Scale
    kinds: Mapping[str, int]

    @property
    def room(self) -> Box:
        """Where names may be."""
        return Box(self.x.start + 2, self.y.end - 8, WIDTH, self.y.start - 2)

    def spot(self, point: Point) -> Spot:
        """Return where a point is drawn."""
        return round(self.x.at(float(point.x)), 1), round(self.y.at(float(point.y)), 1)


def scatter_plot(
    name: str, title: str, x: Axis, y: Axis, kinds: Mapping[str, int], points: Sequence[Point],
    rule: Rule | None = None, told: str = "",
) -> Figure:  # fmt: skip
    """Draw points; ``kinds`` are the numbers of their colours and shapes, from 1 on.

    What is said of a group stands on a page at the address ``told``, or on the same one.
    """
    seen = {kind: number for kind, number in kinds.items() if any(p.kind == kind for p in points)}
    legend, top = _legend(seen, rule)
    height = top + ABOVE + HEIGHT
    high = _roomy(float(p.y) for p in points)
    vertical = scale(y, high, height - BOTTOM, top + ABOVE, whole=False)
    left = 8 + max(text_width(written(t, y), 10) for t in vertical.ticks)
    across = scale(x, _roomy(float(p.x) for p in points), left, WIDTH - 8, whole=False)
    sheet = Sheet(across, vertical, seen)
    ruled = [(across.at(a), vertical.at(b)) for a, b in _ends(sheet, rule)]
    line = [tag("path", class_="mark", d=path(ruled))] if ruled else []
    drawn = [*legend, *grid(across, vertical, top), *line, *_groups(sheet, points, ruled, told)]
    head = ("", message("plot.kind"), x.label, y.label)
    rows = tuple((p.name, p.kind, str(p.x), str(p.y)) for p in points)
    svg = drawing(name, title, _said(points, seen), height, drawn, role="group")
    return Figure(name, title, svg, head, rows)


def _roomy(values: Iterable[float]) -> list[float]:
    """Return the least and the greatest value of a logarithmic axis, a little further apart."""
    found = list(values)
    return [min(found) / 1.5, 1.5 * max(found)]


def _legend(kinds: Mapping[str, int], rule: Rule | None) -> tuple[list[Markup], float]:
    """Name the kinds, and the line, in rows as long as there is room; how high they are."""
    drawn: list[Markup] = []
    x, y = 6.0, 8.0
    for label, number in (*kinds.items(), *([(rule.label, 0)] if rule else [])):
        sign = 6 if number else 18
        wide = sign + 18 + text_width(label, 10.5)
        if x + wide > WIDTH + 8 and x > 6:
            x, y = 6.0, y + ROW
        line = path([(x - 4, y), (x + 14, y)])
        style = f"kind colour-{number}" if number else "tick"
        drawn += [mark(number, x, y) if number else tag("path", class_="mark", d=line),
                  tag("text", label, class_=style, x=x + sign + 2, y=y + 3.5)]  # fmt: skip
        x += wide
    return drawn, y + ROW / 2


def _ends(sheet: Sheet, rule: Rule | None) -> list[tuple[float, float]]:
    """Return where the line of a rule begins and ends within the plot."""
    if rule is None:
        return []
    low = max(sheet.x.low, sheet.y.low / rule.times)
    high = min(sheet.x.high, sheet.y.high / rule.times)
    return [(low, rule.times * low), (high, rule.times * high)]


def _along(ends: Sequence[Spot]) -> Iterator[Box]:
    """Yield what a line covers, in pieces."""
    if ends:
        (a, b), (c, d) = ends
        for i in range(PIECES + 1):
            x, y = a + (c - a) * i / PIECES, b + (d - b) * i / PIECES
            yield Box(x - 2, y - 2, x + 2, y + 2)


def _groups(
    sheet: Sheet, points: Sequence[Point], line: Sequence[Spot], told: str
) -> Iterator[Markup]:  # fmt: skip
    """Draw each group as a link to what is said of it: points, then names over all of them."""
    spots = {sheet.spot(p): p for p in reversed(points)}
    taken = [*map(around, spots), *_along(line)]
    named = dict(placed(
        ((spot, spots[spot].name) for spot in loneliest(list(spots))), sheet.room, taken, MOST_NAMES
    ))  # fmt: skip
    for group, those in groupby(points, key=lambda p: p.group):
        own = list(those)
        yield tag("a", Markup("").join(_group(sheet, own, named)), class_="group",
                  href=f"{told}#{group}", aria_label=_counted(group, own))  # fmt: skip


def _group(sheet: Sheet, points: list[Point], named: Mapping[Spot, Name]) -> Iterator[Markup]:
    spots: dict[Spot, list[Point]] = {}
    for point in points:
        spots.setdefault(sheet.spot(point), []).append(point)
    for kind in dict.fromkeys(those[0].kind for those in spots.values()):
        yield marks(sheet.kinds[kind], (
            (*spot, joined(map(_title, those), "; "))
            for spot, those in spots.items() if those[0].kind == kind
        ))  # fmt: skip
    shown = {spot: named[spot] for spot in spots
             if spot in named and named[spot].text in {p.name for p in points}}  # fmt: skip
    taken = [*map(around, spots), *(name.box for name in shown.values())]
    largest = sorted(set(spots) - set(shown), key=lambda spot: (spot[1], spot))
    called = placed(((s, spots[s][0].name) for s in largest), sheet.room, taken)
    yield from _written("name", list(shown.values()))
    yield from _written("name called", [name for _, name in called])


def _written(style: str, names: Sequence[Name]) -> Iterator[Markup]:
    """Write names, those that begin at their places without saying so."""
    if names:
        texts = (tag("text", name.text, x=name.x, y=name.y, **_anchor(name)) for name in names)
        yield tag("g", Markup("").join(texts), class_=style)


def _anchor(name: Name) -> dict[str, str]:
    return {} if name.anchor == "start" else {"text_anchor": name.anchor}


def _counted(group: str, points: Sequence[Point]) -> str:
    return f"{group} ({len(points)})"


def _title(point: Point) -> str:
    return message("plot.point", name=point.name, y=_exact(point.y), x=_exact(point.x))


def _exact(n: int | Fraction) -> int | str:
    """Return a number as messages take it: a ratio as it is written."""
    return n if isinstance(n, int) else numbers.number(n)


def _said(points: Iterable[Point], kinds: Iterable[str]) -> str:
    """Say what is seen: how many points of each kind, the least and the greatest of them."""
    found = []
    for kind in kinds:
        own = sorted((p.y, p.x, p.name) for p in points if p.kind == kind)
        (low, _, least), (high, _, most) = own[0], own[-1]
        found.append(message("plot.points", kind=kind, number=len(own),
                             least=least, low=_exact(low),
                             most=most, high=_exact(high)))  # fmt: skip
    return joined(found, "; ")
