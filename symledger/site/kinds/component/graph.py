"""What to know before a component, and what builds on it: a small graph, and the same as lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap

from symledger.catalogue.entry import Entry
from symledger.catalogue.texts import Text
from symledger.languages.message import message
from symledger.site.atlas import Atlas
from symledger.site.text.names import title

BOX, GAP, LINE, BETWEEN, MOST = 170, 40, 14, 8, 7
"""The width of a box and the gap beside it, the height of a line and of the gap between two boxes,
and how many pages that build on one are named."""
ROOM = 25
"""Characters that one line of a box has room for."""


@dataclass(frozen=True)
class Neighbours:
    """The pages around one: what comes before it, what it is made of, what builds on it."""

    name: str
    before: tuple[str, ...]
    parts: tuple[str, ...]
    users: tuple[str, ...]


def neighbours(atlas: Atlas, entry: Entry, text: Text) -> Neighbours:
    """Return the pages around a component."""
    parts, users = atlas.around(entry.name)
    before = tuple(name for name in text.before if name not in parts)
    return Neighbours(entry.name, before, tuple(parts), users)


@dataclass(frozen=True)
class Box:
    """One page in the graph: its title in lines, and where the first of them stands."""

    name: str
    lines: tuple[str, ...]
    x: int
    y: int
    tall: int
    style: str = "page"

    @property
    def baselines(self) -> tuple[tuple[int, str], ...]:
        """The lines of the title, each with the place that it stands on."""
        top = self.y + (self.tall - LINE * len(self.lines)) // 2 + LINE - 3
        return tuple((top + i * LINE, line) for i, line in enumerate(self.lines))


@dataclass(frozen=True)
class Graph:
    """Boxes in three columns and the lines between them, laid out for an SVG."""

    boxes: tuple[Box, ...]
    lines: tuple[str, ...]
    width: int
    height: int
    here: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    tall: int
    box: int = BOX


def graph(around: Neighbours, say: Callable[[str], str]) -> Graph | None:
    """Lay out a graph, with titles as ``say`` says them; None for a page with nothing around it."""
    left = (*around.before, *around.parts)
    if not left and not around.users:
        return None
    right = around.users[:MOST]
    rows = max(len(left), len(right) + (len(around.users) > MOST), 1)
    tall = 10 + LINE * max(len(lines(say(title(n)))) for n in (around.name, *left, *right))
    height = rows * (tall + BETWEEN)
    x = BOX + GAP if left else 0
    here = Box(
        around.name, lines(say(title(around.name))), x, (height - tall) // 2, tall, "here"
    )
    before = tuple(_column(left, 0, height, tall, say))
    after = tuple(_column(right, x + BOX + GAP, height, tall, say, len(around.users)))
    joined = (*(_line(box, here) for box in before), *(_line(here, box) for box in after))
    return Graph(
        (*before, here, *after), joined, x + BOX + (GAP + BOX if after else 0), height,
        title(around.name), tuple(map(title, left)), tuple(map(title, around.users)), tall,
    )  # fmt: skip


def lines(text: str) -> tuple[str, ...]:
    """Break a title where it is longer than a box is wide.

    >>> lines("Attention"), lines("Residual block that knows the step")
    (('Attention',), ('Residual block that knows', 'the step'))
    """
    return tuple(wrap(text, ROOM))


def _column(
    names: Sequence[str], x: int, height: int, tall: int, say: Callable[[str], str], total: int = 0
) -> Iterator[Box]:  # fmt: skip
    more, row = total - len(names), tall + BETWEEN
    top = (height - row * (len(names) + (more > 0)) + BETWEEN) // 2
    for i, name in enumerate(names):
        yield Box(name, lines(say(title(name))), x, top + i * row, tall)
    if more > 0:
        said = (message("component.and_more", n=more),)
        yield Box("", said, x, top + len(names) * row, tall, "more")


def _line(a: Box, b: Box) -> str:
    x, y, u, v = a.x + BOX, a.y + a.tall // 2, b.x, b.y + b.tall // 2
    return f"M{x},{y} C{x + GAP // 2},{y} {u - GAP // 2},{v} {u},{v}"
