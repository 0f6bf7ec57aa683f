"""Lines of styled words in the reader's language, printed plainly into pipes, else with colour."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from symledger.languages.language import ENGLISH
from symledger.languages.message import Message, Verbatim, message, say, written

NBSP = "\u00a0"
"""A space at which no line is broken; it is printed as a plain one."""

Segment = tuple[str, str]
"""Text, and the style it is shown in where there is colour."""


@dataclass
class Page:
    """A page that is written from top to bottom.

    What is added to it is said in its ``language``: a message there, and numbers anywhere but in
    what is verbatim. So a message is handed over as it is, beside others or in ``joined``.
    """

    width: int = 100
    language: str = ENGLISH
    lines: list[list[Segment]] = field(default_factory=list)

    def say(self, text: str) -> Verbatim:
        """Say a text in the language of the page, to be put into something else."""
        return Verbatim(say(self.language, text))

    def line(self, *segments: Segment | str) -> None:
        """Add one line."""
        styled = [(s, "") if isinstance(s, str) else s for s in segments]
        self.lines.append([(say(self.language, text), style) for text, style in styled])

    def sentence(self, said: Message, indent: int = 0, **styles: str) -> None:
        """Add one line with a message, some of its values in a style of their own."""
        marks = {name: f"\0{name}\0" for name in styles}
        parts = self.say(message(said.key, **{**said.values, **marks})).split("\0")
        segments: list[Segment] = [(" " * indent, "")]
        for i, part in enumerate(parts):  # every second one is the name of a value
            segments.append((self.say(written(said.values[part])), styles[part]) if i % 2
                            else (part, ""))  # fmt: skip
        self.lines.append(segments)

    def heading(self, text: str, *columns: Segment) -> None:
        """Add an empty line and a heading."""
        self.line()
        self.line((Verbatim("  " + self.say(text)), "bold"), *columns)

    def wrapped(self, text: str, indent: int, style: str = "", first: int | None = None) -> None:
        """Add a text that is broken between words (formulas: before a sign) where it is long."""
        for i, part in enumerate(wrap(self.say(text), self.width - indent)):
            margin = " " * (indent if i or first is None else first)
            self.lines.append([(margin + part, style)])

    def table(self, cells: Sequence[Sequence[str]], styles: Sequence[str], right: set[int],
              flexible: tuple[int, ...] = (), indent: int = 2) -> None:  # fmt: skip
        """Add rows in aligned columns.

        ``flexible`` columns share what the others leave of the page's width; a cell that is
        longer moves to lines of its own below its row.
        """
        table = [[self.say(cell) for cell in row] for row in cells]
        limits = self._limits(table, flexible, indent)
        widths = [
            max((len(row[i]) for row in table if len(row[i]) <= limits[i]), default=0)
            for i in range(len(styles))
        ]
        for row in table:
            segments: list[Segment] = [(" " * indent, "")]
            late: list[Segment] = []
            for i, cell in enumerate(row):
                fits = len(cell) <= limits[i]
                shown = cell.replace(NBSP, " ") if fits else ""
                padded = shown.rjust(widths[i]) if i in right else shown.ljust(widths[i])
                segments.append((padded + "  ", styles[i]))
                late += [] if fits else [(cell, styles[i])]
            if len(row[0]) > limits[0]:  # what a row is about comes first
                self.wrapped(row[0], indent + 2, styles[0], first=indent)
                late = [cell for cell in late if cell != (row[0], styles[0])]
            if any(text.strip() for text, _ in segments):
                self.lines.append(segments)
            for text, style in late:
                self.wrapped(text, indent + min(widths[0], 16) + 2, style)

    def _limits(self, table: Sequence[Sequence[str]], flexible: tuple[int, ...],
                indent: int) -> list[int]:  # fmt: skip
        widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
        fixed = sum(n for i, n in enumerate(widths) if i not in flexible)
        free = self.width - indent - fixed - 2 * len(widths)
        narrowest_first = sorted(flexible, key=lambda i: widths[i])
        for done, i in enumerate(narrowest_first):
            widths[i] = min(widths[i], max(free // (len(flexible) - done), 0))
            free -= widths[i]
        return widths

    def text(self) -> str:
        """Return the page without styles."""
        return "\n".join("".join(t for t, _ in line).rstrip() for line in self.lines) + "\n"


def wrap(text: str, width: int) -> Iterable[str]:
    """Break a text before signs and between words, so that each part fits where it can.

    A chain of functions without a space, ``f*(g(x))``, is broken behind a ``*`` or a bracket.
    """
    whole = text.replace(" %", f"{NBSP}%").split(" ")
    words = [part for word in whole for part in broken(word, max(width, 20))]
    part = ""
    for i, word in enumerate(words):
        ahead = word
        if word in ("+", "-", "·", "=") and i + 1 < len(words):
            ahead = f"{word} {words[i + 1]}"
        if part and len(part) + 1 + len(ahead) > max(width, 20):
            yield part.replace(NBSP, " ")
            part = word
        else:
            part = f"{part} {word}" if part else word
    if part:
        yield part.replace(NBSP, " ")


def broken(word: str, width: int) -> Iterator[str]:
    """Yield the parts of a word that is longer than a line; any other one as it is."""
    part = ""
    for piece in re.findall(r"[^*(]*[*(]|[^*(]+", word) if len(word) > width else [word]:
        if part and len(part) + len(piece) > width:
            yield part
            part = ""
        part += piece
    yield part


def show(page: Page) -> None:
    """Print a page: with colour on a terminal, plainly elsewhere."""
    import sys

    if not sys.stdout.isatty():
        sys.stdout.write(page.text())
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    for line in page.lines:
        written = Text.assemble(*line)
        written.rstrip()
        console.print(written)
