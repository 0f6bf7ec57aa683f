"""Where a module runs other operations: a size that passes another argument, as a window's length.

Such a comparison has two sides, and a trace is of one: that of the sizes that were asked for. Sizes
that are another thing where they are equal, as widths that a shortcut maps, stay apart. A size that
passes a number of its own, as in ``if T > 30``, has no such border, and is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

RELATIONS = {(True, 1): ">", (True, 0): "≥", (False, 0): "≤", (False, -1): "<"}
"""How a size stands to an argument, by the side that it is on and the least difference there."""


@dataclass(frozen=True)
class Border:
    """A size that stays on one side of another argument."""

    name: str
    other: str
    above: bool
    by: int

    def holds(self, at: Mapping[str, int]) -> bool:
        """Whether a point is on this side."""
        difference = at[self.name] - at[self.other]
        return difference >= self.by if self.above else difference <= self.by

    @property
    def relation(self) -> str:
        """How the size stands to the argument."""
        return RELATIONS[self.above, self.by]

    def __str__(self) -> str:
        return f"{self.name} {self.relation} {self.other}"


@dataclass(frozen=True)
class Apart:
    """A size that is another one than another argument."""

    name: str
    other: str
    relation = "≠"

    def holds(self, at: Mapping[str, int]) -> bool:
        """Whether they differ at a point."""
        return at[self.name] != at[self.other]

    def __str__(self) -> str:
        return f"{self.name} {self.relation} {self.other}"
