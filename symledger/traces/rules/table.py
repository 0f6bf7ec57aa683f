"""The table of rules: an operation's name, and how it is written in operations of ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sympy import Add, Expr, Rational, cancel, oo

from symledger.errors import BadInput
from symledger.ir.tensor import Tensor
from symledger.traces.graph import Kind

Made = Tensor | tuple[Tensor, ...]
Rule = Callable[..., Made]
RULES: dict[str, Rule] = {}
"""By name. A rule takes where it is used, then the operation's arguments by name."""


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Enter a rule into the table, under the names of the operations that it holds for."""

    def enter(written: Rule) -> Rule:
        for name in names:
            assert name not in RULES, name
            RULES[name] = written
        return written

    return enter


@dataclass(frozen=True)
class At:
    """Where a rule is used: the operation, what it is to make, and where it stands."""

    operation: str
    results: tuple[Kind, ...]
    path: str
    line: str
    points: tuple[Mapping[Expr, int], ...] = ()

    @property
    def shape(self) -> tuple[Expr, ...]:
        """The shape of the first result."""
        return self.results[0].shape

    def divides(self, small: Expr, large: Expr) -> bool:
        """Whether a size is a factor of another one, wherever the module was run."""
        quotient = quotient_of(large, small)
        if quotient.is_Integer:
            return True
        if not quotient.free_symbols:
            return False
        return all(quotient.xreplace(point).is_Integer for point in self.points)

    def refused(self, why: str) -> BadInput:
        """Return the refusal of this use, with the place."""
        where = self.path or "the module's own forward"
        line = f", {self.line}" if self.line else ""
        return BadInput(f"{self.operation} in {where}{line}: {why}")


def quotient_of(large: Expr, small: Expr) -> Expr:
    """Divide a size by another one; sums are reduced."""
    found = large / small
    return cancel(found).expand() if found.has(Add) else found


def number(x: Any) -> Expr:
    """Return a number of a call as an exact one."""
    if isinstance(x, Expr):
        return x
    if isinstance(x, float):
        return oo if x == float("inf") else -oo if x == float("-inf") else Rational(repr(x))
    return Rational(int(x))


def axis_of(axis: Any, rank: int) -> int:
    """Return the place of an axis that is counted from either end."""
    return int(axis) % max(rank, 1)
