"""The optimizer's step: what is in memory while weights are updated, and in passes around it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sympy import Expr, Integer

from symledger import algebra
from symledger.algebra import Terms
from symledger.algebra.assumptions import Assumed
from symledger.algebra.comparing import largest
from symledger.errors import BadInput
from symledger.ir.tensor import Call, Program, Tensor
from symledger.ledger import updates
from symledger.ledger.at_moment import AtStep
from symledger.ledger.conventions import Conventions
from symledger.ledger.quantities import Quantity, Readings
from symledger.readings.live.held import END, STEP, Step
from symledger.readings.params import is_trained, trained_states
from symledger.readings.tally import Amount, Tally

if TYPE_CHECKING:
    from symledger.readings.live.kinds import Alive
    from symledger.readings.live.timeline import Timeline

GRADIENTS = "memory.gradients"
TRAINED = ("memory.parameters", "memory.optimizer")
Pair = tuple[Tensor | None, Tensor]
"""The weight that was updated before, and one that is updated."""


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
    """What is in memory at a moment of the optimizer's step, with the values that it makes."""

    made: Tally

    @property
    def alive_then(self) -> tuple[tuple[str, Tally], ...]:
        """What is left of both passes, and what the step makes; gradients are throughout."""
        found = dict(self.alive.tally(self.moment))
        found.pop("gradients", None)
        left = found.pop("working", None)
        items = (*(left.items if left else ()), *self.made.items)
        working = (("working", Tally(self.made.scope, items)),) if items else ()
        return (*found.items(), *working)


def in_step(
    identity: str, quantity: Quantity, readings: Readings, assumed: Assumed,
    few: dict[Expr, int], alone: bool,
) -> Iterator[InStep]:  # fmt: skip
    """Yield the moments of the optimizer's step that may be the largest of these.

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
    key = STEP, frozenset(few.items()), frozenset(readings.prices.items())
    alive, left = readings.once(key, lambda: _looked(readings, few))
    timeline = alive.timeline
    ends = tuple((s, THREE) for s in _indices(timeline))
    found = []
    for at, made in _made(program, c, way, few):
        terms = algebra.add([left, algebra.terms(made.total)])
        found.append((terms, (Step(at, STEP, (), True), made)))
    for terms, (step, made) in largest(found):
        yield InStep(
            identity, quantity, readings, assumed, alive=alive,
            moment=Moment(timeline.now, step, terms, ends), throughout=(*TRAINED, GRADIENTS),
            made=made,
        )  # fmt: skip


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


def _looked(readings: Readings, few: dict[Expr, int]) -> tuple[Alive, Terms]:
    """Walk both passes; return what is alive, and what is left of it behind them."""
    from symledger.readings.live.kinds import Alive
    from symledger.readings.live.timeline import Timeline

    timeline = Timeline(readings.program, few=few)
    timeline.back(readings.back)
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


def _made(
    program: Program, c: Conventions, way: str, few: dict[Expr, int]
) -> Iterator[tuple[Tensor, Tally]]:
    """Yield what the step makes, at each moment that may be the largest."""
    update = updates.UPDATES.get(c.optimizer)
    if update is None or way != "single":
        copies = updates.together(update.foreach) if update and way == "foreach" else 0
        each = Integer(copies * c.value_bytes)
        tally = trained_states(program, c.frozen, lambda _, weight: weight.size * each)
        yield program.outputs[0], tally if copies else Tally(program.scope, ())
        return
    loop = update.early if c.first and update.early is not None else update.single
    for before, weight in dict.fromkeys(_pairs(program, c.frozen, few)):
        moments = updates.one_by_one(loop, before is None) or ((0, 0),)
        for of_before, own in moments:
            held = [(weight, own), *([(before, of_before)] if before is not None else [])]
            items = tuple(
                Amount(t.scope, n * c.value_bytes * t.size, _name(t), t.shape) for t, n in held if n
            )
            yield weight, Tally(program.scope, items)


def _name(weight: Tensor) -> str:
    return getattr(weight.op, "name", "")


def _pairs(
    program: Program, frozen: tuple[str, ...], few: dict[Expr, int]
) -> list[Pair]:  # fmt: skip
    """The weights that are updated in the order of their first use, each with the one before."""
    found: list[Pair] = []
    _walk(program, frozen, few, None, found)
    return found


def _walk(
    program: Program, frozen: tuple[str, ...], few: dict[Expr, int], before: Tensor | None,
    found: list[Pair],
) -> Tensor | None:  # fmt: skip
    """Go through the weights of a program behind another one; return the last."""
    seen: set[Tensor] = set()
    for t in program.tensors:
        for x in t.args:
            if x not in seen and is_trained(program, x, frozen) and x not in program.unused:
                seen.add(x)
                found.append((before, x))
                before = x
        if isinstance(t.op, Call):
            once = t.op.shared or t.op.times == 1 or few.get(t.op.times) == 1
            for _ in range(1 if once else 2):
                before = _walk(t.op.body, frozen, few, before, found)
    return before
