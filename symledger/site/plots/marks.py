"""Marks: the shapes of points, so that no two kinds are told apart by colour alone."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup

from symledger.site.plots.figure import number, tag

SHAPES = (
    "m-3.2,0a3.2,3.2 0 1,0 6.4,0a3.2,3.2 0 1,0-6.4,0z",
    "m0-4.4l4.4,4.4l-4.4,4.4l-4.4-4.4z",
    "m0-4.2l4.2,7h-8.4z",
    "m-3-3h6v6h-6z",
    "m0,4.2l4.2-7h-8.4z",
    "m-1.3-4.2h2.6v2.9h2.9v2.6h-2.9v2.9h-2.6v-2.9h-2.9v-2.6h2.9z",
)
"""A disc, a diamond, a triangle, a square, a triangle upside down, a cross; from the middle on."""


def mark(kind: int, x: float, y: float) -> Markup:
    """Draw a point of a kind, counted from 1."""
    return tag("path", Markup(""), class_=dotted(kind), d=_shape(kind, x, y))


def marks(kind: int, told: Iterable[tuple[float, float, str]]) -> Markup:
    """Draw points of one kind, and what a pointer over each is told."""
    drawn = (tag("path", tag("title", said), d=_shape(kind, x, y)) for x, y, said in told)
    return tag("g", Markup("").join(drawn), class_=dotted(kind))


def dotted(kind: int) -> str:
    """Return the class of points of a kind."""
    return f"dot colour-{kind}"


def _shape(kind: int, x: float, y: float) -> str:
    return f"M{number(x)},{number(y)}{SHAPES[kind - 1]}"
