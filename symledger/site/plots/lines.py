"""The line plot: several series over one axis, each named where its line ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from markupsafe import Markup

from symledger.languages.message import Message, message
from symledger.site.plots.axes import Axis, Scale, scale, written
from symledger.site.plots.figure import (
    WIDTH,
    Figure,
    drawing,
    grouped,
    path,
    spread,
    tag,
    text_width,
)  # fmt: skip
from symledger.site.plots.marks import mark as dot

TOP, BOTTOM = 26, 40
"""Room above, for the label of the vertical axis, and below, for the horizontal one's."""
LINE = 14
"""Room of a label."""
Number = int | float


@dataclass(frozen=True)
class Series:
    """A line: its name, its points, the number of its colour.

    ``marked`` draws each point, as is right where they were measured, in a shape of its own.
    """

    label: str
    points: tuple[tuple[Number, Number], ...]
    colour: int = 1
    marked: bool = False


def line_plot(
    name: str, title: str, x: Axis, y: Axis, series: Sequence[Series],
    mark: Number | None = None, height: int = 240,
) -> Figure:  # fmt: skip
    """Draw lines over one horizontal axis; ``mark`` is a value that is marked there.

    A value that a logarithmic axis cannot show (zero, or not a number) interrupts its line and
    stands in the data all the same.
    """
    frame = _frame(x, y, series, mark, height)
    drawn = [*grid(*frame), *_marked(*frame, mark)]
    for one in series:
        drawn += _line(one, *frame)
    drawn += _labels(series, *frame)
    head, rows = _data(x, series)
    return Figure(name, title, drawing(name, title, _said(series), height, drawn), head, rows)


def _frame(
    x: Axis, y: Axis, series: Sequence[Series], mark: Number | None, height: int
) -> tuple[Scale, Scale]:
    """Lay out both axes, with room for the names of lines and the labels of ticks."""
    values = [_shown(point, x, y) for one in series for point in one.points]
    seen = [point for point in values if point]
    vertical = scale(y, [b for _, b in seen], height - BOTTOM, TOP)
    left = 8 + max(text_width(written(t, y), 10) for t in vertical.ticks)
    right = WIDTH - 8 - max(text_width(one.label) for one in series)
    across = [a for a, _ in seen] + ([mark] if mark is not None else [])
    return scale(x, across, left, right, whole=False), vertical


def _shown(point: tuple[Number, Number], x: Axis, y: Axis) -> tuple[float, float] | None:
    """Return a point that the axes can show, else nothing."""
    for value, axis in zip(point, (x, y), strict=True):
        if not isfinite(value) or (axis.log and value <= 0):
            return None
    return point


def grid(x: Scale, y: Scale, top: float = 0) -> list[Markup]:
    """Draw both axes with their ticks; the label of the vertical one stands under ``top``."""
    drawn = []
    for tick in y.ticks:
        at = y.at(tick)
        drawn += [
            tag("path", class_="grid", d=path([(x.start, at), (x.end, at)])),
            tag("text", written(tick, y.axis), class_="tick", x=x.start - 6, y=at + 3.5,
                text_anchor="end"),
        ]  # fmt: skip
    drawn.append(tag("path", class_="axis", d=path([(x.start, y.start), (x.end, y.start)])))
    for tick in x.ticks:
        at = x.at(tick)
        drawn += [
            tag("path", class_="axis", d=path([(at, y.start), (at, y.start + 4)])),
            tag("text", written(tick, x.axis), class_="tick", x=at, y=y.start + 16,
                text_anchor="middle"),
        ]  # fmt: skip
    middle = (x.start + x.end) / 2
    return [
        *drawn,
        tag("text", x.axis.label, class_="label", x=middle, y=y.start + 33, text_anchor="middle"),
        tag("text", y.axis.label, class_="label", x=2, y=top + 11),
    ]


def _marked(x: Scale, y: Scale, mark: Number | None) -> list[Markup]:
    if mark is None:
        return []
    return [tag("path", class_="mark", d=path([(x.at(mark), y.start), (x.at(mark), y.end)]))]


def _line(one: Series, x: Scale, y: Scale) -> list[Markup]:
    pieces: list[list[tuple[float, float]]] = [[]]
    for point in one.points:
        shown = _shown(point, x.axis, y.axis)
        if shown:
            pieces[-1].append((x.at(shown[0]), y.at(shown[1])))
        elif pieces[-1]:
            pieces.append([])
    lines = "".join(path(piece) for piece in pieces if len(piece) > 1)
    drawn = [tag("path", class_=f"line colour-{one.colour}", d=lines)] if lines else []
    if one.marked:
        drawn += [dot(one.colour, a, b) for piece in pieces for a, b in piece]
    return drawn


def _labels(series: Sequence[Series], x: Scale, y: Scale) -> list[Markup]:
    """Name every line where it ends, the names moved apart where ends lie close together."""
    ends = []
    for one in series:
        seen = [p for p in (_shown(point, x.axis, y.axis) for point in one.points) if p]
        if seen:
            ends.append((y.at(seen[-1][1]), x.at(seen[-1][0]), one))
    ends.sort(key=lambda end: end[0])
    places = spread([end[0] for end in ends], LINE, y.end, y.start - 4)
    return [
        tag("text", one.label, class_=f"name colour-{one.colour}", x=x.end + 6, y=place + 4)
        for place, (_, _, one) in zip(places, ends, strict=True)
    ]


Data = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]
"""The head of a table, and its rows."""


def _data(x: Axis, series: Sequence[Series]) -> Data:
    """A column for each line, and a row for each place of a point."""
    found: dict[Number, dict[int, Number]] = {}
    for i, one in enumerate(series):
        for a, b in one.points:
            found.setdefault(a, {})[i] = b
    rows = tuple(
        (_text(a), *(_text(row[i]) if i in row else "" for i in range(len(series))))
        for a, row in sorted(found.items())
    )
    return (x.label, *(one.label for one in series)), rows


def _text(value: Number) -> str:
    return str(value) if isinstance(value, int) else f"{value:.4g}"


def _said(series: Sequence[Series]) -> Markup:
    """Say what is seen: where every line begins and where it ends."""
    return Markup("; ").join(_from_to(one) for one in series if one.points)


def _from_to(one: Series) -> Message:
    (first, at), (last, there) = map(_grouped, (one.points[0], one.points[-1]))
    return message("plot.from_to", line=one.label, first=first, at=at, last=last, there=there)


def _grouped(point: tuple[Number, Number]) -> tuple[str, str]:
    """Write the height of a point, and where it is."""
    return grouped(_text(point[1])), grouped(_text(point[0]))
