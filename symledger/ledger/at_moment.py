"""What is in memory at one moment: a formula, and its part of the JSON object."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from symledger import algebra
from symledger.algebra import Terms, substitute
from symledger.ledger.formula import Formula
from symledger.ledger.lines import Line, ledger
from symledger.ledger.quantities import together

if TYPE_CHECKING:  # what is alive when is looked at only where a peak is asked for
    from symledger.readings.live.kinds import Alive
    from symledger.readings.live.moments import Moment
    from symledger.readings.tally import Tally


@dataclass(frozen=True, eq=False, kw_only=True)
class AtMoment(Formula):
    """What is in memory at one moment; of which pass, and where that is, as JSON data."""

    throughout: tuple[str, ...]

    @property
    def way(self) -> str:
        """The pass."""
        raise NotImplementedError

    @property
    def place(self) -> dict[str, Any]:
        """Where it is."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False, kw_only=True)
class AtStep(AtMoment):
    """What is in memory at one step of a program."""

    alive: Alive
    moment: Moment

    @property
    def way(self) -> str:
        """The pass."""
        return self.moment.step.way

    @property
    def place(self) -> dict[str, Any]:
        """The part, and which application of each repeated body around it."""
        applications = [
            {"of": place.op.body.scope.name, "is": which}
            for place, which in self.moment.applications
        ]  # fmt: skip
        return {"of": list(self.moment.step.made.scope.path), "applications": applications}

    @cached_property
    def line(self) -> Line:
        """What is in memory, by kind and component."""
        scope = self.readings.program.scope
        there = ((name.rpartition(".")[2], self.readings.tally(name)) for name in self.throughout)
        return ledger(together(scope, *there, *self.alive_then))

    @property
    def alive_then(self) -> tuple[tuple[str, Tally], ...]:
        """What is there beside what is there throughout, by kind."""
        return self.alive.tally(self.moment)

    @cached_property
    def general(self) -> Terms:
        """All bytes in memory."""
        there = (self.readings.total(name) for name in self.throughout)
        return algebra.add([*there, self.moment.terms])


def moment_dict(m: AtMoment, remains: bool) -> dict[str, Any]:
    """Return a moment as JSON data: where it is, and what is in memory by kind."""
    at = m.assumed.bindings
    kinds = {part.label: substitute(part.total, m.assumed.equations) for part in m.line.parts}
    return {
        "pass": m.way,
        **m.place,
        "may_be_largest": remains,
        "expr": algebra.canonical(m.general),
        "corollary": algebra.canonical(m.corollary_terms),
        "value": written(m.exact),
        "lines": {
            kind: {"corollary": algebra.canonical(p), "value": written(algebra.value(p, at))}
            for kind, p in kinds.items()
        },
    }  # fmt: skip


def written(value: Fraction | None) -> str | None:
    """Write a value as JSON has it."""
    return None if value is None else str(value)
