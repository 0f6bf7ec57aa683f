"""The notation of shapes: parsing ``"... i, i o -> ... o"`` and ``"B T (h k) -> B h T k"``.

A pattern is a list of operands on either side of an arrow. An operand is a list of axes, an
axis is a name, a group ``(a b)`` of names merged into one axis, or a leading ``...``. In a
signature an operand may end in ``in V``: it holds whole numbers below V (token ids).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import chain

from symledger.errors import PatternError, quoted, shown

Axis = tuple[str, ...]
"""The names merged into one axis; a plain axis has one name, an axis of length 1 has none."""

ELLIPSIS: Axis = ("...",)
NAME = re.compile(r"[A-Za-z]\w*")
TOKEN = re.compile(r"\s*(\.\.\.|[A-Za-z]\w*|[()])")


@dataclass(frozen=True)
class Operand:
    """The axes of one tensor, and the size below which its whole numbers lie, if it is integer."""

    axes: tuple[Axis, ...]
    below: str | None = None

    @property
    def has_ellipsis(self) -> bool:
        """Whether any number of further axes may lead."""
        return ELLIPSIS in self.axes

    @property
    def names(self) -> tuple[str, ...]:
        """Every axis name in order, groups opened."""
        return tuple(name for axis in self.axes for name in axis)

    def lead(self, rank: int) -> int:
        """How many axes lead in a tensor that has so many in all."""
        return rank - len(self.axes) + 1 if self.has_ellipsis else 0

    def opened(self, lead: int) -> Operand:
        """The same with so many named axes in place of the ellipsis."""
        leading = tuple((f"_{i}",) for i in range(lead))
        opened = (leading if axis == ELLIPSIS else (axis,) for axis in self.axes)
        return Operand(tuple(chain.from_iterable(opened)), self.below)

    def __str__(self) -> str:
        axes = " ".join(a[0] if len(a) == 1 else f"({' '.join(a)})" for a in self.axes)
        return f"[{axes}]" + (f" in {self.below}" if self.below else "")


@dataclass(frozen=True)
class Pattern:
    """What goes in and what comes out."""

    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]


@cache
def parse(text: str) -> Pattern:
    """Read a pattern.

    Raises:
        PatternError: the text has no single arrow, or holds something that is not an axis.

    >>> [str(operand) for operand in parse("... i, i o -> ... o").inputs]
    ['[... i]', '[i o]']
    """
    left, arrow, right = text.partition("->")
    if not arrow or "->" in right:
        raise PatternError(
            f'{quoted(text)} is not a pattern: it needs exactly one "->" between what goes in and '
            'what comes out, as in "... i, i o -> ... o".'
        )
    inputs, outputs = (
        tuple(_operand(part, text) for part in side.split(",")) for side in (left, right)
    )
    return Pattern(inputs, outputs)


def _operand(text: str, pattern: str) -> Operand:
    body, marker, below = text.partition(" in ")
    if marker and not NAME.fullmatch(below.strip()):
        name = shown(below) if below.strip() else ""
        raise PatternError(
            f'{quoted(pattern)} cannot be read at "in {name}": "in" is followed by one name, '
            'as in "... in V".'
        )
    axes: list[Axis] = []
    group: list[str] | None = None
    position = 0
    body = body.rstrip()
    while position < len(body):
        match = TOKEN.match(body, position)
        word = match.group(1) if match else ""
        if not match or (group is not None and word in ("(", "...")) or (
            group is None and word == ")"
        ):
            raise PatternError(
                f'{quoted(pattern)} cannot be read at {quoted(body[position:])}: an axis is a '
                'name, a group "(a b)", "()" for length 1, or a leading "...".'
            )
        position = match.end()
        if word == "(":
            group = []
        elif word == ")":
            axes.append(tuple(group or ()))
            group = None
        elif group is not None:
            group.append(word)
        else:
            axes.append((word,))
    if group is not None or axes.count(ELLIPSIS) > 1 or ELLIPSIS in axes[1:]:
        raise PatternError(
            f'{quoted(pattern)} cannot be read: "..." may only lead, and every "(" needs its ")".'
        )
    return Operand(tuple(axes), below.strip() or None)
