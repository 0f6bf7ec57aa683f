"""The size that was asked for, and what is said of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from symledger import algebra
from symledger.accounts.account import Account
from symledger.algebra import Terms
from symledger.inverse.binding import Binding, Turn

SCHEMA = "symledger.solve/1"

Proof = Literal["rises", "rises from", "falls", "looked at"]


@dataclass(frozen=True)
class Point:
    """A size, and the value of the quantity there, as it is derived there."""

    size: int
    value: int


@dataclass(frozen=True)
class Solution:
    """The size that was asked for, and what is said of it.

    ``inside`` is the last legal size within the budget (where the quantity falls: the first), and
    ``outside`` its neighbour beyond it, None where there is none that the target can be of:
    ``refused`` says why. ``since`` is the size from which on the quantity was proven to rise.
    """

    account: Account
    quantity: str
    size: str
    budget: int
    inside: Point
    outside: Point | None
    proof: Proof
    since: int
    refused: str
    branches: tuple[Terms, ...]
    rows: tuple[Binding, ...]
    turns: tuple[Turn, ...]

    @property
    def unit(self) -> str:
        """The unit of the budget."""
        return self.account[self.quantity].unit

    @property
    def nearest(self) -> Point:
        """Which of the two neighbours is nearer to the amount."""
        if self.outside is None:
            return self.inside
        return min(self.inside, self.outside, key=lambda p: abs(p.value - self.budget))

    def to_dict(self) -> dict[str, Any]:
        """Return the solution as JSON data."""
        return {
            "schema": SCHEMA, "target": self.account.target.name, "quantity": self.quantity,
            "unit": str(self.unit), "size": self.size, "budget": str(self.budget),
            "conventions": self.account.counted,
            "sizes": {s.name: str(n) for s, n in self.account.assumed.bindings.items()},
            "solution": _point(self.inside), "beyond": _point(self.outside),
            "nearest": str(self.nearest.size), "refused": self.refused,
            "monotone": self.proof, "since": str(self.since),
            "formula": [algebra.canonical(one) for one in self.branches],
            "binds": [row.to_dict() for row in self.rows],
            "crossovers": [turn.to_dict() for turn in self.turns],
        }  # fmt: skip


def _point(point: Point | None) -> dict[str, str] | None:
    return None if point is None else {"size": str(point.size), "value": str(point.value)}
