"""Long right sides, broken before their signs: one rule for every notation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

WIDTH = 40
"""Visible characters in a line before it is broken at a sign."""


@dataclass(frozen=True)
class Part:
    """What a line may begin with: a sign and what follows it, within ``depth`` parentheses."""

    text: str
    depth: int = 0


def filled(
    parts: Sequence[Part], visible: Callable[[str], float], joint: str = "", width: int = WIDTH
) -> list[str]:
    """Put parts into lines that are not too wide, broken within as few parentheses as possible.

    ``visible`` says how wide a text is; texts beside each other are as wide as both together.

    >>> filled([Part("a"), Part("+ b (c"), Part("+ d)", 1), Part("- e")], len, " ", 12)
    ['a', '+ b (c + d)', '- e']
    """
    lines: list[str] = []
    line: list[Part] = []
    sizes: list[float] = []
    between = visible(joint)
    for part in parts:
        sizes.append(visible(part.text))
        while line and int(sum(sizes) + between * len(line)) > width:
            breaks = [*line[1:], part]
            place = min(range(len(breaks)), key=lambda i: (breaks[i].depth, -i)) + 1
            lines.append(_joined(line[:place], joint))
            line, sizes = line[place:], sizes[place:]
        line.append(part)
    return [*lines, _joined(line, joint)]


def _joined(parts: Sequence[Part], joint: str) -> str:
    return joint.join(part.text for part in parts)
