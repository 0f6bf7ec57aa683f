"""Where a module runs other operations: a size that passes another argument, as a window's length.

Such a comparison has two sides, and a trace is of one: that of the sizes that were asked for. Sizes
that are another thing where they are equal, as widths that a shortcut maps, stay apart; what is
padded to whole pieces is none already. A size that passes a number of its own, as in
``if T > 30``, has no such border, and is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sympy import Expr, Symbol, floor

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

    @property
    def sides(self) -> tuple[str, str]:
        """What stands on the left and on the right of the relation."""
        return self.name, self.other

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

    @property
    def sides(self) -> tuple[str, str]:
        """What stands on the left and on the right of the relation."""
        return self.name, self.other

    def __str__(self) -> str:
        return f"{self.name} {self.relation} {self.other}"


@dataclass(frozen=True)
class Indivisible:
    """A size that is no multiple of another argument: cut into pieces of that, it is padded."""

    name: str
    other: str
    relation = "∤"

    def holds(self, at: Mapping[str, int]) -> bool:
        """Whether the size has a rest at a point."""
        return at[self.name] % at[self.other] != 0

    @property
    def sides(self) -> tuple[str, str]:
        """What stands on the left and on the right of the relation."""
        return self.other, self.name

    @property
    def pieces(self) -> Expr:
        """How many pieces the size is cut into, the last one padded."""
        size, piece = Symbol(self.name), Symbol(self.other)
        return floor((size + piece - 1) / piece)

    def __str__(self) -> str:
        return f"{self.other} {self.relation} {self.name}"
