"""Where the names of points go: beside them, over no other point and no other name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from symledger.site.plots.figure import text_width

HIGH = 11
"""How high a name is."""
AWAY = 6
"""How far a name stands from the middle of its point."""
NEAR = 3.5
"""Half the width of a point."""


@dataclass(frozen=True)
class Box:
    """A rectangle: left, top, right, bottom."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Whether two rectangles overlap."""
        return (self.left < other.right and other.left < self.right
                and self.top < other.bottom and other.top < self.bottom)  # fmt: skip

    def within(self, other: Box) -> bool:
        """Whether it lies in another."""
        return (other.left <= self.left and self.right <= other.right
                and other.top <= self.top and self.bottom <= other.bottom)  # fmt: skip


@dataclass(frozen=True)
class Name:
    """A name and its place: where its base line begins, or ends."""

    text: str
    x: float
    y: float
    anchor: str
    box: Box


Spot = tuple[float, float]


def around(spot: Spot) -> Box:
    """Return what a point covers."""
    return Box(spot[0] - NEAR, spot[1] - NEAR, spot[0] + NEAR, spot[1] + NEAR)


def placed(
    wanted: Iterable[tuple[Spot, str]], room: Box, taken: Sequence[Box], most: int = 1000
) -> Iterator[tuple[Spot, Name]]:
    """Place names, those that come first before others; what finds no place is left out.

    ``taken`` is what names must not lie over.
    """
    covered = list(taken)
    for spot, text in wanted:
        if not most:
            return
        for name in _beside(text, *spot):
            if name.box.within(room) and not any(map(name.box.meets, covered)):
                covered.append(name.box)
                most -= 1
                yield spot, name
                break


def _beside(text: str, x: float, y: float) -> Iterator[Name]:
    """Yield the places around a point: right, left, above, below, then aslant."""
    wide = text_width(text, 10)
    for anchor, left, base in (
        ("start", x + AWAY, y + 3.5), ("end", x - AWAY - wide, y + 3.5),
        ("middle", x - wide / 2, y - AWAY), ("middle", x - wide / 2, y + AWAY + 7),
        ("start", x + 3, y - AWAY), ("end", x - 3 - wide, y - AWAY),
        ("start", x + 3, y + AWAY + 7), ("end", x - 3 - wide, y + AWAY + 7),
    ):  # fmt: skip
        at = {"start": left, "middle": x, "end": left + wide}[anchor]
        box = Box(left - 1, base - HIGH + 2, left + wide + 1, base + 2)
        yield Name(text, at, base, anchor, box)


def loneliest(spots: Sequence[Spot]) -> list[Spot]:
    """Return points in the order in which they are named: the outermost, then the loneliest."""
    def room(spot: Spot) -> float:
        return min(((spot[0] - a) ** 2 + (spot[1] - b) ** 2 for a, b in spots if (a, b) != spot),
                   default=0.0)  # fmt: skip

    outermost = [pick(spots, key=lambda spot: (spot[axis], spot[1 - axis]))
                 for axis in (1, 0) for pick in (min, max)]  # fmt: skip
    return list(dict.fromkeys([*outermost, *sorted(spots, key=lambda s: (-room(s), s))]))
