"""Whole formulas: a ``<math>`` with its TeX, long right sides broken into an aligned table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import escape

from symledger.printing.breaking import WIDTH, Part, filled
from symledger.printing.mathml.elements import MINUS, PLUS, TAG, element, one, operator

OPENED = "<mo>(</mo>", '<mo stretchy="false">(</mo>'
"""What a ``<mrow>`` begins with, if a line may be broken inside of it."""
UNSEEN = re.compile("<[^>]*>|[\u2061-\u2063]")
WITHIN = re.compile("(<math><semantics>)(.*)(<annotation .*)", re.DOTALL)
"""A formula within a sentence: what is before its row, the row, its TeX."""


@dataclass(frozen=True)
class Line:
    """One line of an aligned table, as rows: left = right, and above it the reasons."""

    left: str
    relation: str
    right: str
    reasons: tuple[str, ...] = ()


def math(row: str, tex: str, block: bool = True) -> str:
    """Write a formula with its TeX as an annotation; copying can give either."""
    row = row.replace("> <", "><")
    source = element("annotation", escape(tex.strip(), quote=False), encoding="application/x-tex")
    inside = element("semantics", one(row), source)
    return element("math", inside, display="block") if block else element("math", inside)


def folded(formula: str, width: int = WIDTH) -> str:
    """Break a formula that was written for a sentence into lines, where a column is this wide."""
    found = WITHIN.fullmatch(formula)
    if not found or fits(found[2], width):
        return formula
    row = found[2].removeprefix("<mrow>")
    row = row if row == found[2] else row.removesuffix("</mrow>")
    rows = (element("mtr", element("mtd", *line)) for line in broken(row, width))
    return found[1] + element("mtable", *rows, **{"class": "folded"}) + found[3]


def table(lines: Iterable[Line], width: int = WIDTH) -> str:
    """Align lines at their relations; a long one is broken before signs, which align too."""
    rows: list[str] = []
    for line in lines:
        for reason in line.reasons:
            cells = (element("mtd"), element("mtd"), element("mtd", reason))
            rows.append(element("mtr", *cells, **{"class": "reason"}))
        relation = operator(line.relation, form="infix") if line.relation else ""
        for i, (sign, right) in enumerate(broken(line.right, width)):
            cells = ("", sign, right) if i else (line.left, relation, right)
            rows.append(element("mtr", *(element("mtd", cell) for cell in cells)))
    return element("mtable", *rows, displaystyle="true", **{"class": "lines"})


def fits(row: str, width: int = WIDTH) -> bool:
    """Whether a row takes one line."""
    return int(visible(row)) <= width


def broken(row: str, width: int = WIDTH) -> Iterator[tuple[str, str]]:
    """Yield (sign, row) for each line of a long row; the first has no sign.

    A line may also end within parentheses: the rows that are open there go on in the next one,
    set in by as many, with its sign.
    """
    if fits(row, width):
        yield "", row
        return
    depth = 0
    for i, line in enumerate(filled(list(parts(row)), visible, width=width)):
        sign, rest = _sign(line) if i else ("", line)
        opened = "<mrow>" * depth
        if depth:
            opened += element("mspace", width=f"{depth}em")
            sign, rest = "", sign + rest
        depth += rest.count("<mrow") - rest.count("</mrow>")
        yield sign, opened + rest + "</mrow>" * depth


def parts(row: str) -> Iterator[Part]:
    """Cut a row before the signs where it may be broken; parentheses may stay open in a part."""
    start, depth, inside = 0, 0, [True]
    closed = 0  # how many of those it is inside may not be broken
    for tag in TAG.finditer(row):
        if tag[1]:
            closed -= not inside.pop()
            continue
        at = tag.start()
        if not closed and at > start and row.startswith((PLUS, MINUS), at):
            yield Part(row[start:at], depth)
            start, depth = at, len(inside) - 1
        inside.append(tag[0] == "<mrow>" and row.startswith(OPENED, tag.end()))
        closed += not inside[-1]
    yield Part(row[start:], depth)


def _sign(line: str) -> tuple[str, str]:
    sign = PLUS if line.startswith(PLUS) else MINUS
    return operator("+" if sign == PLUS else "−", form="infix"), line[len(sign) :]


@lru_cache(maxsize=10_000)  # the terms of a line stand in the next one again
def visible(row: str) -> float:
    """Return about how many characters wide a row is seen; capitals are half as wide again."""
    plain = UNSEEN.sub("", row)
    return len(plain) + sum(map(str.isupper, plain)) / 2
