"""Points that were drawn: so many from one stream of numbers, which all comparisons share.

A generator gives the same numbers from the same seed, however many sizes a point has: the numbers
of one comparison are where those of another begin. So a file holds the longest stream once.
"""

from __future__ import annotations

from collections.abc import Sequence

from symledger.evidence.comparison import Point

MANY = 16
"""Fewer points are written one by one."""


class Streams:
    """Streams of numbers, none of which begins as another does."""

    def __init__(self) -> None:
        self.every: list[list[int]] = []

    def number(self, points: Sequence[Point], names: Sequence[str]) -> int:
        """Return the number of the stream that begins with the sizes of points.

        >>> streams = Streams()
        >>> streams.number([{"d": 3}, {"d": 5}], ["d"])
        0
        >>> streams.number([{"T": 3, "d": 5}, {"T": 8, "d": 2}], ["T", "d"]), streams.every
        (0, [[3, 5, 8, 2]])
        """
        found = [point[name] for point in points for name in names]
        for i, known in enumerate(self.every):
            shared = min(len(known), len(found))
            if known[:shared] == found[:shared]:
                self.every[i] = max(known, found, key=len)
                return i
        self.every.append(found)
        return len(self.every) - 1


def points_of(stream: Sequence[int], names: Sequence[str], number: int) -> tuple[Point, ...]:
    """Return so many points with these sizes, which a stream begins with.

    >>> points_of([3, 5, 8, 2], ["T"], 2)
    ({'T': 3}, {'T': 5})
    """
    rows = (stream[i * len(names) : (i + 1) * len(names)] for i in range(number))
    return tuple(dict(zip(names, row, strict=True)) for row in rows)
