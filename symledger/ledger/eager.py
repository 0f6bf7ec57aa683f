"""Peaks by the schedule ``eager``: what PyTorch has in memory, of a module that was traced.

A trace has observed which storages each operation of a step makes, and which are gone with it. Here
its moments become formulas like those of ``program``: states of the optimizer are there throughout.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Protocol

from sympy import Expr, Integer, Symbol

from symledger import algebra
from symledger.algebra import Terms, substitute
from symledger.algebra.assumptions import Assumed
from symledger.algebra.comparing import largest
from symledger.errors import BadInput
from symledger.ledger.at_moment import AtMoment
from symledger.ledger.conventions import Conventions
from symledger.ledger.lines import Line
from symledger.ledger.peaks import EAGER, PASSES, PEAKS, SERVED, Depth, Peak, known_to_be_few
from symledger.ledger.quantities import Quantity, Readings
from symledger.ledger.stepping import InStep, in_memory, in_step
from symledger.ledger.updates import UPDATES, way_of

STATES = ("memory.optimizer",)
ZERO = Integer(0)
THERE = ("weights", "buffers", "inputs")
"""The kinds of what is there from the start of a step to its end."""


class Observed(Protocol):
    """What was observed to be alive after an operation: its bytes by kind."""

    @property
    def way(self) -> str: ...  # noqa: D102  # the pass
    @property
    def operation(self) -> str: ...  # noqa: D102  # by its name in ATen
    @property
    def path(self) -> str: ...  # noqa: D102  # of the module
    @property
    def which(self) -> str: ...  # noqa: D102  # of equal rounds
    @property
    def bytes(self) -> Mapping[str, Expr]: ...  # noqa: D102  # by kind


@dataclass(frozen=True, eq=False, kw_only=True)
class AtEager(AtMoment):
    """What is in memory after one operation of PyTorch, in the ``first`` or the ``last`` round."""

    observed: Observed

    @property
    def way(self) -> str:
        """The pass."""
        return self.observed.way

    @property
    def operation(self) -> str:
        """Its name in ATen."""
        return self.observed.operation

    @property
    def path(self) -> str:
        """The dotted name of the module."""
        return self.observed.path

    @property
    def which(self) -> str:
        """In which of several equal rounds it is."""
        return self.observed.which

    @property
    def place(self) -> dict[str, Any]:
        """The module, the operation, and in which of equal rounds."""
        around = self.path.partition("*")[0].rstrip(".")
        applications = [{"of": around, "is": self.which}] if self.which else []
        return {"of": list(filter(None, self.path.split("."))), "operation": self.operation,
                "applications": applications}  # fmt: skip

    @cached_property
    def line(self) -> Line:
        """What is in memory, by kind."""
        kinds = [(kind, e) for kind, e in self.observed.bytes.items()]
        kinds += [(name.rpartition(".")[2], algebra.expression(self.readings.total(name)))
                  for name in self.throughout if self.readings.total(name)]  # fmt: skip
        parts = tuple(Line(kind, (kind,), e) for kind, e in kinds)
        return Line(self.readings.program.scope.name, (), parts=parts)

    @cached_property
    def general(self) -> Terms:
        """All bytes in memory."""
        return algebra.add(part.total for part in self.line.parts)


@dataclass(frozen=True, eq=False, kw_only=True)
class InEagerStep(InStep):
    """A moment of the optimizer's step, with buffers, and what entered, as they were observed."""

    further: Expr

    @cached_property
    def line(self) -> Line:
        """What is in memory, by kind and component."""
        own = super().line
        further = Line("buffers and inputs", ("buffers and inputs",), self.further)
        return replace(own, parts=(*own.parts, *([further] if self.further else [])))

    @cached_property
    def general(self) -> Terms:
        """All bytes in memory."""
        return algebra.add([super().general, algebra.terms(self.further)])


def _in_step(
    identity: str, quantity: Quantity, readings: Readings, assumed: Assumed, there: Terms,
    alone: bool,
) -> Iterator[InEagerStep]:  # fmt: skip
    """Yield the moments of the optimizer's step; ``there`` is what was observed throughout.

    What came out of the module is let go before it; how its passes are run was observed, and is
    not walked through.
    """
    few = known_to_be_few(readings.program, assumed)
    own = [readings.total("memory.parameters")]
    own += [algebra.terms(x.size * readings.bytes_of[x.storage]) for x in readings.program.inputs]
    further = algebra.expression(algebra.subtract(there, algebra.add(own)))
    for m in in_step(identity, quantity, readings, assumed, few, alone, walk=False):
        given = {f.name: getattr(m, f.name) for f in fields(m)}
        yield InEagerStep(**given, further=further)


def check_eager(name: str, conventions: Conventions) -> None:
    """Refuse what no pass of a module that was built is run with; nothing is trained in inference.

    Raises:
        BadInput: there is nothing to be observed of that.
    """
    c = conventions
    trained = name not in SERVED and (c.gradients not in ("", c.dtype) or c.frozen)
    if trained or c.weights:
        raise BadInput(
            f"the schedule {EAGER} is what was observed of all weights of a module as it was built "
            "in one type: no other type of gradients or weights, and nothing frozen."
        )


def check_cut(name: str, conventions: Conventions) -> None:
    """Refuse steps that depend on how weights are cut, which a reference does in its own way.

    Raises:
        BadInput: this one does.
    """
    c = conventions
    way, update = way_of(c.optimizer, c.step), UPDATES.get(c.optimizer)
    one_by_one = way == "single" or (way == "foreach" and update and update.each)
    if c.kept.form != "each" or (PASSES[name].steps and one_by_one):
        raise BadInput(
            f"what {c.optimizer} keeps or makes of a weight after the other depends on how the "
            f"reference cuts its weights, which the schedule {EAGER} does not know: ask for "
            "--step foreach or fused, and for an optimizer that keeps as much of every element."
        )


def check_weights(
    readings: Readings, assumed: Assumed, moments: Sequence[Observed]
) -> None:
    """Refuse weights of other types than the one in which states are counted.

    Raises:
        BadInput: there are some.
    """
    seen = algebra.add(algebra.terms(m.bytes.get("weights", ZERO)) for m in moments[:1])
    more = algebra.subtract(seen, readings.total("memory.parameters"))
    more = substitute(more, assumed.equations)
    if moments and more and algebra.value(more, assumed.bindings) != 0:
        raise BadInput(
            f"not all weights of the module are in {readings.conventions.dtype}: its states, and "
            f"so its peaks by the schedule {EAGER}, are of several types, which are not derived."
        )


def make_eager(
    owner: str, name: str, readings: Readings, assumed: Assumed, moments: Sequence[Observed],
    least: Mapping[Symbol, int], alone: Mapping[Symbol, int],
) -> Peak:  # fmt: skip
    """Derive a peak of what was observed.

    ``least`` is how deep a module has to be for it to hold, ``alone`` how deep where of no other.

    Raises:
        BadInput: nothing was observed of such a pass, or not of such sizes.
    """
    c = readings.conventions
    check_weights(readings, assumed, moments)
    for size, n in least.items():
        if assumed.bindings.get(size, n) < n:
            raise BadInput(f"the schedule {EAGER} was observed of {size} ≥ {n}: trace the module "
                           f"anew with {size} = {assumed.bindings[size]}.")  # fmt: skip
    quantity, identity = PEAKS[name], f"{owner}.{name}"
    trains = name not in SERVED
    throughout = tuple(q for q in STATES if trains and q in in_memory(c))
    each: list[AtMoment] = [
        AtEager(identity, quantity, readings, assumed, observed=m, throughout=throughout)
        for m in moments if m.way in PASSES[name].ways
    ]  # fmt: skip
    if PASSES[name].steps and moments:
        there = algebra.add(algebra.terms(e) for k, e in moments[0].bytes.items() if k in THERE)
        by_itself = not PASSES[name].ways
        each += _in_step(identity, quantity, readings, assumed, there, by_itself)
    found = tuple(m for _, m in largest((m.general, m) for m in each))
    if not found:
        raise BadInput(f"{owner} has no {name}: nothing was observed there.")
    conditions = next((m.conditions for m in found if isinstance(m, InEagerStep)), ())
    depths = (
        *(Depth(algebra.variable(s), None, n) for s, n in least.items()),
        *(Depth(algebra.variable(s), n) for s, n in alone.items()),
        *(Depth(p, None, 0) for p in conditions),
    )
    return Peak(identity, quantity, readings, assumed, moments=found, depths=depths, schedule=EAGER)
