"""What to know before a component, and what builds on it: a small graph, and the same as lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from symledger.catalogue import Entry
from symledger.site.atlas import Atlas
from symledger.texts import Text, text_of

BOX, GAP, WIDE, ROW, MOST = 170, 40, 24, 32, 7


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


SPELLED = {
    "alibi": "ALiBi", "gru": "GRU", "lm": "LM", "ln": "LN", "lora": "LoRA", "lstm": "LSTM",
    "rms": "RMS", "rnn": "RNN", "pre": "pre-", "post": "post-",
}  # fmt: skip
"""Words of names that people spell otherwise."""


def title(name: str) -> str:
    """Return the name of a page as people write it.

    >>> title("pre_ln_block"), title("batch_norm")
    ('Pre-LN block', 'Batch norm')
    """
    words = " ".join(SPELLED.get(word, word) for word in name.split("_"))
    plain = words.replace("- ", "-")
    return text_of(name).name or plain[0].upper() + plain[1:]


@dataclass(frozen=True)
class Box:
    """One page in the graph."""

    name: str
    title: str
    x: int
    y: int
    style: str = "page"


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
    box: int = BOX
    tall: int = WIDE


def graph(around: Neighbours) -> Graph | None:
    """Lay out a graph; None for a page with nothing around it."""
    left = (*around.before, *around.parts)
    if not left and not around.users:
        return None
    right = around.users[:MOST]
    rows = max(len(left), len(right) + (len(around.users) > MOST), 1)
    height = rows * ROW
    middle = height // 2
    x = BOX + GAP if left else 0
    here = Box(around.name, title(around.name), x, middle - WIDE // 2, "here")
    before = tuple(_column(left, 0, height))
    after = tuple(_column(right, x + BOX + GAP, height, len(around.users)))
    lines = (*(_line(box, here) for box in before), *(_line(here, box) for box in after))
    return Graph(
        (*before, here, *after), lines, x + BOX + (GAP + BOX if after else 0), height,
        here.title, tuple(map(title, left)), tuple(map(title, around.users)),
    )  # fmt: skip


def _column(names: Sequence[str], x: int, height: int, total: int = 0) -> Iterator[Box]:
    more = total - len(names)
    top = (height - ROW * (len(names) + (more > 0))) // 2 + (ROW - WIDE) // 2
    for i, name in enumerate(names):
        yield Box(name, title(name), x, top + i * ROW)
    if more > 0:
        yield Box("", f"and {more} more", x, top + len(names) * ROW, "more")


def _line(a: Box, b: Box) -> str:
    x, y, u, v = a.x + BOX, a.y + WIDE // 2, b.x, b.y + WIDE // 2
    return f"M{x},{y} C{x + GAP // 2},{y} {u - GAP // 2},{v} {u},{v}"



