"""The optimizer's step: what is in memory while weights are updated, and in passes around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sympy import Expr

from symledger import algebra
from symledger.algebra import Terms
from symledger.algebra.assumptions import Assumed
from symledger.algebra.comparing import largest
from symledger.errors import BadInput
from symledger.ledger import quantised, updates
from symledger.ledger.at_moment import AtStep
from symledger.ledger.conventions import Conventions
from symledger.ledger.quantities import Quantity, Readings
from symledger.ledger.updating import Updating
from symledger.readings.live.held import END, STEP, Step
from symledger.readings.tally import Tally

if TYPE_CHECKING:
    from symledger.readings.live.kinds import Alive
    from symledger.readings.live.timeline import Timeline

GRADIENTS = "memory.gradients"
TRAINED = ("memory.parameters", "memory.optimizer")


def in_memory(conventions: Conventions) -> tuple[str, ...]:
    """Return what is there throughout both passes beside what these make.

    In the first step there is no state yet, but for those that are made with the optimizer;
    behind the first of several small batches there are gradients.

    Raises:
        BadInput: what there is of a state in the first step is not known.
    """
    name = conventions.optimizer
    states = not conventions.first or name in updates.MADE_BEFORE
    if conventions.first and name in updates.IN_PLACE:
        raise BadInput(
            f"which states {name} has before its first step is not known: leave out --first, and "
            "later steps are meant."
        )
    there = TRAINED if states else TRAINED[:1]
    return (*there, GRADIENTS) if conventions.accumulate else there


@dataclass(frozen=True, eq=False, kw_only=True)
class InStep(AtStep):
    """What is in memory at a moment of the optimizer's step, with the values that it makes.

    ``states`` are what there is of them then, where these are not there throughout; where
    ``conditions`` are not negative, it holds.
    """

    made: Tally
    states: Tally | None = None
    conditions: tuple[Terms, ...] = ()

    @property
    def alive_then(self) -> tuple[tuple[str, Tally], ...]:
        """What is left of both passes, and what the step makes; gradients are throughout."""
        found = dict(self.alive.tally(self.moment))
        found.pop("gradients", None)
        states = (("optimizer", self.states),) if self.states else ()
        left = found.pop("working", None)
        items = (*(left.items if left else ()), *self.made.items)
        working = (("working", Tally(self.made.scope, items)),) if items else ()
        return (*states, *found.items(), *working)


def in_step(
    identity: str, quantity: Quantity, readings: Readings, assumed: Assumed,
    few: dict[Expr, int], alone: bool, walk: bool = True,
) -> Iterator[InStep]:  # fmt: skip
    """Yield the moments of the optimizer's step that may be the largest of these.

    Unless the passes are walked, what is left of them is what entered, and its gradient.

    Raises:
        BadInput: what the optimizer makes is not derived, or, asked for ``alone``, trains nothing.
    """
    from symledger.readings.live.moments import THREE, Moment

    c, program = readings.conventions, readings.program
    if not readings.total(GRADIENTS):
        if alone:
            raise BadInput(
                f"{program.scope.name} has no memory.peak.step here: nothing is trained."
            )
        return
    way = checked_way(c)
    key = STEP, walk, frozenset(few.items()), frozenset(readings.prices.items())
    alive, left = readings.once(key, lambda: _looked(readings, few, walk))
    timeline = alive.timeline
    ends = tuple((s, THREE) for s in _indices(timeline))
    found = []
    updating = Updating(program, c, way, few, assumed)
    for m in updating.moments():
        terms = algebra.add([left, *map(_bytes, (m.made, m.states))])
        found.append((terms, (Step(m.at, STEP, (), True), m)))
    for terms, (step, m) in largest(found):
        yield InStep(
            identity, quantity, readings, assumed, alive=alive,
            moment=Moment(timeline.now, step, terms, ends),
            throughout=(*(TRAINED[:1] if m.states else TRAINED), GRADIENTS),
            made=m.made, states=m.states, conditions=updating.conditions,
        )  # fmt: skip


def _bytes(tally: Tally | None) -> Terms:
    return algebra.terms(tally.total) if tally else {}


def checked_way(conventions: Conventions) -> str:
    """Return how the step is run.

    Raises:
        BadInput: what the optimizer makes is not derived, or it takes no such gradients.
    """
    c = conventions
    way = updates.way_of(c.optimizer, c.step)
    if way != "fused" and c.gradient_bytes != c.value_bytes:
        raise BadInput(
            f"torch.optim takes gradients of the weights' own type, so what {c.optimizer} makes "
            f"of gradients in {c.gradients} and weights in {c.dtype} is not known."
        )
    return way


def walked(
    readings: Readings, few: Mapping[Expr, int], remembers: bool = False, decodes: bool = False,
    adding: bool = False,
) -> Timeline:  # fmt: skip
    """Return the walk through a program's passes, once made: forward alone where it remembers."""
    from symledger.readings.live.timeline import Timeline

    weights = readings.conventions.weights

    def make() -> Timeline:
        program = readings.decoding_in_types if decodes else readings.program
        unpacked = quantised.weights(weights, program) if weights else ()
        timeline = Timeline(program, remembers, few, adding, unpacked)
        if not remembers:
            timeline.back(readings.back)
        return timeline

    key = "walked", frozenset(few.items()), remembers, decodes, adding, weights
    return readings.once(key, make)


def _looked(readings: Readings, few: dict[Expr, int], walk: bool) -> tuple[Alive, Terms]:
    """Walk both passes; return what is alive, and what is left of it behind them."""
    from symledger.readings.live.ended import Ended
    from symledger.readings.live.kinds import Alive

    timeline = walked(readings, few) if walk else Ended(readings.program, readings.back)
    alive = Alive(timeline, readings.prices)
    return alive, _left(timeline, alive)


def _left(timeline: Timeline, alive: Alive) -> Terms:
    """What is there behind both passes: what entered, and the gradients of that."""
    from symledger.readings.live.moments import size

    held = (h for h in timeline.held if h.last >= END and h.stored and not h.lasting)
    return algebra.add([size(h, alive.bytes_of) for h in held])


def _indices(timeline: Timeline) -> Iterator[Expr]:
    places = {p for step in timeline.steps for p in step.places if p.index is not None}
    yield from (p.index for p in places if p.index is not None)
