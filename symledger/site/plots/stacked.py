"""The stacked bar: shares of a whole, each part named beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

from markupsafe import Markup

from symledger.languages.message import message
from symledger.printing.rows import percent
from symledger.site.plots.figure import WIDTH, Figure, drawing, path, spread, tag

BAR = 56
"""How wide the bar is."""
EDGE = 14
"""Room above and below the bar, for labels that had to move."""
ROW = 28
"""Room of a label: its name and its number."""
LEAST = 170
"""The least height of a bar."""
TEXT = BAR + 34
"""Where labels begin."""


@dataclass(frozen=True)
class Part:
    """A part of the whole: its name, its amount, and the number of its colour, from 1 on."""

    label: str
    amount: int | Fraction
    colour: int


def stacked_bar(name: str, title: str, unit: str, parts: Sequence[Part]) -> Figure:
    """Draw a bar of parts from top to bottom, each with its name, amount and share beside it."""
    whole = sum((Fraction(part.amount) for part in parts), Fraction(0)) or Fraction(1)
    shares = [Fraction(part.amount) / whole for part in parts]
    height = max(LEAST, ROW * len(parts))
    tops = [float(top) * height + EDGE for top in accumulate([Fraction(0), *shares])]
    middles = [(a + b) / 2 for a, b in pairwise(tops)]
    places = spread(middles, ROW, EDGE + 8, EDGE + height - 8)
    drawn = []
    for i, (part, share) in enumerate(zip(parts, shares, strict=True)):
        drawn += [
            tag("rect", class_=f"area colour-{part.colour}", x=0, y=tops[i], width=BAR,
                height=max(tops[i + 1] - tops[i], 0.5)),
            tag("path", class_="leader",
                d=path([(BAR + 2, middles[i]), (BAR + 12, middles[i]), (BAR + 24, places[i]),
                        (TEXT - 4, places[i])])),
            tag("text", part.label, class_="name", x=TEXT, y=places[i] + 4),
            tag("text", percent(share), class_="share", x=WIDTH, y=places[i] + 4,
                text_anchor="end"),
        ]  # fmt: skip
    rows = tuple(
        (part.label, str(part.amount), percent(share))
        for part, share in zip(parts, shares, strict=True)
    )
    description = Markup("; ").join(Markup("{}: {}").format(label, n) for label, _, n in rows)
    return Figure(
        name, title, drawing(name, title, description, height + 2 * EDGE, drawn),
        (message("common.part"), unit, message("common.share")), rows,
    )  # fmt: skip
