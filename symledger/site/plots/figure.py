"""A figure: a drawing in SVG, and the data that it shows."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from io import StringIO

from markupsafe import Markup, escape

from symledger.languages.language import ENGLISH, languages
from symledger.languages.message import Text, say
from symledger.printing import numbers

RATIO = re.compile(r"[0-9]+/[0-9]+")
WIDTH = 330
"""Units that a drawing is wide: about the pixels of a phone, so that letters stay legible there."""


@dataclass(frozen=True)
class Figure:
    """A drawing with its data.

    ``name`` is the stem of the file that holds the data, and of the drawing's ids; ``head`` and
    ``rows`` are the data as text, exact; ``table`` are rows for a page, where those are too many.
    """

    name: str
    title: str
    svg: Markup
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    table: tuple[tuple[str, ...], ...] = ()

    @property
    def file(self) -> str:
        """The path of the data as a file of the site."""
        return f"data/{self.name}.csv"

    @property
    def shown(self) -> tuple[tuple[str, ...], ...]:
        """The rows as people read them."""
        return tuple(tuple(map(grouped, row)) for row in self.table or self.rows)

    @property
    def csv(self) -> bytes:
        """The data as comma-separated values."""
        out = StringIO()
        csv.writer(out, lineterminator="\n").writerows([self.head, *self.rows])
        return out.getvalue().encode()


def number(x: float) -> str:
    """Write a coordinate with at most one digit after the point."""
    written = f"{x:.1f}".removesuffix(".0")
    return "0" if written == "-0" else written


def grouped(text: str) -> str:
    """Write a whole number in groups of three digits, a ratio so too; leave any other text alone.

    >>> grouped("124439808"), grouped("0.5"), grouped("head"), grouped("12345/4")
    ('124,439,808', '0.5', 'head', '3086 (exactly 12,345/4)')
    """
    if text.isdecimal():
        return f"{int(text):,}"
    return numbers.number(Fraction(text)) if RATIO.fullmatch(text) else text


def tag(name: str, content: Markup | str | None = None, **attributes: str | float) -> Markup:
    """Write an element; ``class_`` is its class, ``text_anchor`` its ``text-anchor``."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="'
        f'{escape(value) if isinstance(value, str) else number(value)}"'
        for key, value in attributes.items()
    )
    inside = "/>" if content is None else f">{escape(content)}</{name}>"
    return Markup(f"<{name}{written}{inside}")  # noqa: S704  # names of ours, the rest escaped


def path(points: Iterable[tuple[float, float]]) -> str:
    """Write a line through points."""
    return "M" + "L".join(f"{number(x)},{number(y)}" for x, y in points)


def drawing(
    name: str, title: str, description: str, height: float, parts: Sequence[Markup],
    role: str = "img",
) -> Markup:  # fmt: skip
    """Put a drawing together: as wide as its place, named and described for who cannot see it.

    One with links in it is a "group": within an "img" nothing can be reached.
    """
    ids = f"{name}-title", f"{name}-description"
    return Markup(
        '<svg class="drawing" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" role="{}" '
        'aria-labelledby="{} {}"><title id="{}">{}</title><desc id="{}">{}</desc>{}</svg>'
    ).format(
        WIDTH, number(height), role, *ids, ids[0], title, ids[1], description,
        Markup("").join(parts),
    )  # fmt: skip


def text_width(text: str, size: float = 11) -> float:
    """Estimate how wide a text is in the language in which it is longest; fonts differ too.

    A drawing is laid out once for all languages.
    """
    spoken = languages() if isinstance(text, Text) else (ENGLISH,)
    return 0.58 * size * max(len(say(language, text)) for language in spoken)


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move positions, which ascend, as little as needed so that ``gap`` lies between each two.

    >>> spread([10.0, 12.0, 40.0], 10, 0, 60)
    [6.0, 16.0, 40.0]
    """
    groups: list[tuple[float, int]] = []  # the middle of what was moved together, and how many
    for position in wanted:
        groups.append((position, 1))
        while len(groups) > 1 and _overlap(groups[-2], groups[-1], gap):
            (a, m), (b, n) = groups[-2:]
            groups[-2:] = [((a * m + b * n) / (m + n), m + n)]
    apart = [middle + gap * (i - (n - 1) / 2) for middle, n in groups for i in range(n)]
    last = len(apart) - 1
    return [min(max(p, low + gap * i), high - gap * (last - i)) for i, p in enumerate(apart)]


def _overlap(a: tuple[float, int], b: tuple[float, int], gap: float) -> bool:
    return b[0] - a[0] < gap * (a[1] + b[1]) / 2
