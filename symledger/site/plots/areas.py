"""The area plot: what amounts of several kinds come to, one upon the other, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

from markupsafe import Markup

from symledger.site.plots.axes import Axis, Scale, scale, written
from symledger.site.plots.figure import WIDTH, drawing, number, path, tag, text_width
from symledger.site.plots.lines import BOTTOM, grid

HEIGHT = 200
ROW = 16
"""Room of a line of names of kinds."""
ABOVE = 40
"""Room between those and the plot: for the vertical axis's label, and names of stretches."""
LETTER = 12
"""How high a band has to be to hold its name."""


@dataclass(frozen=True)
class Layer:
    """A kind: its name, the number of its colour, and its amount in each column."""

    label: str
    colour: int
    amounts: tuple[int, ...]


@dataclass(frozen=True)
class Stretch:
    """Columns that belong together, up to one: their name stands above them."""

    label: str
    end: int


def area_drawing(
    name: str, title: str, said: str, x: str, y: Axis, layers: Sequence[Layer],
    stretches: Sequence[Stretch],
) -> Markup:  # fmt: skip
    """Draw layers upon each other, the first at the bottom, each named within it and above."""
    legend, top = _legend(layers)
    height = top + ABOVE + HEIGHT
    count = len(layers[0].amounts)
    tops = list(accumulate(layers, lambda below, one: Layer(
        one.label, one.colour, tuple(map(sum, zip(below.amounts, one.amounts, strict=True))))))
    up = scale(y, tops[-1].amounts, height - BOTTOM, top + ABOVE)
    left = 8 + max(text_width(written(t, y), 10) for t in up.ticks)
    across = Scale(Axis(x, ticks=(0,)), 0, count, left, WIDTH - 8)
    drawn = [*legend, *_grid(across, up, top)]
    drawn += [tag("path", class_=f"area colour-{one.colour}", d=_edge(one, across, up))
              for one in reversed(tops)]  # fmt: skip
    floor: tuple[int, ...] = (0,) * count
    for one in tops:
        drawn += _within(one, floor, across, up)
        floor = one.amounts
    drawn += _stretches(stretches, across, up)
    return drawing(name, title, said, height, drawn)


def _grid(x: Scale, y: Scale, top: float) -> list[Markup]:
    """Draw the axes; the horizontal one counts no value, so that its tick is left out."""
    return [one for one in grid(x, y, top) if f'y="{number(y.start + 16)}"' not in one]


def _legend(layers: Sequence[Layer]) -> tuple[list[Markup], float]:
    drawn: list[Markup] = []
    x, y = 2.0, 8.0
    for one in layers:
        wide = 24 + text_width(one.label, 10.5)
        if x + wide > WIDTH + 8 and x > 2:
            x, y = 2.0, y + ROW
        drawn += [
            tag("rect", class_=f"area colour-{one.colour}", x=x, y=y - 5, width=10, height=10),
            tag("text", one.label, class_=f"kind colour-{one.colour}", x=x + 13, y=y + 3.5),
        ]
        x += wide
    return drawn, y + ROW / 2


def _edge(one: Layer, x: Scale, y: Scale) -> str:
    """Write the outline of all up to the upper edge of a layer: a step for each column."""
    steps = [f"M{number(x.start)},{number(y.start)}"]
    column = 0
    for amount, same in groupby(one.amounts):
        column += len(list(same))
        steps.append(f"V{number(y.at(amount))}H{number(x.at(column))}")
    return "".join([*steps, f"V{number(y.start)}z"])


def _within(one: Layer, floor: Sequence[int], x: Scale, y: Scale) -> Iterator[Markup]:
    """Name a layer within it, where it is high and wide enough for its name."""
    best = (0, 0, 0.0, 0.0)
    tops, floors = list(map(y.at, one.amounts)), list(map(y.at, floor))
    for start in range(len(floor)):
        above, below = y.end, y.start
        for end in range(start, len(floor)):
            above, below = max(above, tops[end]), min(below, floors[end])
            if below - above < LETTER:
                break
            if end + 1 - start > best[1] - best[0]:
                best = start, end + 1, above, below
    start, end, above, below = best
    if x.at(end) - x.at(start) > text_width(one.label, 10) + 4:
        yield tag("text", one.label, class_="within", x=(x.at(start) + x.at(end)) / 2,
                  y=(above + below) / 2 + 3.5, text_anchor="middle")  # fmt: skip


def _stretches(stretches: Sequence[Stretch], x: Scale, y: Scale) -> Iterator[Markup]:
    begin = 0
    for one in stretches:
        middle = (x.at(begin) + x.at(one.end)) / 2
        yield tag("text", one.label, class_="tick", x=middle, y=y.end - 6, text_anchor="middle")
        if begin:
            yield tag("path", class_="mark", d=path([(x.at(begin), y.start), (x.at(begin), y.end)]))
        begin = one.end
