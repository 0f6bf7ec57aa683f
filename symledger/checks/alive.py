"""What is alive in memory, step by step: a run in NumPy against the reading of the program.

The run is written down, and of every array is found which operation reads it last; what is in
between is alive. At every step of every application of every body the bytes of those arrays are
compared with what is said of that step. So the reading is tried at all depths that are run, while
it looks at the ends of a run of equal bodies alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from sympy import Expr, Integer, Symbol

from symledger import algebra
from symledger.checks.exact import whole
from symledger.checks.logged import Buffer, Event, Logging, Path
from symledger.checks.substitution import Bytes
from symledger.checks.trial import Array, Trial, every
from symledger.ir.ops import Input, Map, Param, View
from symledger.ir.scalars import CACHED
from symledger.ir.tensor import Call, Program, Pullback, Tensor
from symledger.notation.recompute import block_of
from symledger.readings.live.held import (
    FIRST,
    GRADIENT,
    LAST,
    LAST_BUT_ONE,
    MANY,
    NAMES,
    SECOND,
    Step,
)
from symledger.readings.live.moments import alive
from symledger.readings.live.timeline import Timeline
from symledger.readings.numpy.values import Values

NEVER = 1 << 40
Span = list[int]
"""The first and the last step at which something is in memory."""


@dataclass(frozen=True)
class Measured:
    """What is in memory at a step: what that makes last, in which applications, and the bytes."""

    made: Tensor
    path: Path
    bytes: int


def measured(
    trial: Trial, bytes_of: Bytes, backward: bool = True, adding: bool = False,
    remembering: bool = False,
) -> list[Measured]:  # fmt: skip
    """Run a program, and return the bytes alive at every step, in order.

    With ``adding`` gradients of weights are added at once to others, which are not counted;
    ``remembering``, what decoding keeps is held to the end. Values do not matter, and may overflow.
    """
    with np.errstate(all="ignore"):
        return _measured(trial, bytes_of, backward, adding, remembering)


def _measured(
    trial: Trial, bytes_of: Bytes, backward: bool, adding: bool, remembering: bool
) -> list[Measured]:
    machine = Logging(trial.sizes, adding)
    values = machine.run(trial.program, trial.leaves)
    outputs = [machine.of(values[y]) for y in trial.program.outputs]
    if remembering:
        machine.lasting += filter(None, map(machine.of, _remembered(values)))
    turn = len(machine.events)
    if backward:
        given = machine.back(trial.pull, values, trial.seeds)
        stay = (g for leaf, g in given.items() if not (adding and isinstance(leaf.op, Param)))
        machine.lasting += filter(None, map(machine.of, stay))
    steps = list(_steps(machine))
    number = {event: i for i, step in enumerate(steps) for event in step}
    spans = _spans(machine, steps, number, trial.pull)
    for buffer in filter(None, outputs):
        last = spans[buffer.whole, False]
        last[1] = max(last[1], number[machine.events[turn - 1]] if turn else 0)
    for (buffer, _), span in spans.items():  # which autocast lets go when the forward pass ends
        if isinstance(buffer.tensor.op, Map) and buffer.tensor.op.code == CACHED and (
            (buffer.born or 0) < turn
        ):  # fmt: skip
            span[1] = max(span[1], number[machine.events[turn - 1]])
    stored = [
        (buffer.elements * bytes_of[buffer.tensor.storage], *span)
        for (buffer, _), span in spans.items()
        if span[1] > span[0] or not _is_within(buffer.tensor)
    ]
    return [
        Measured(step[-1].made, step[-1].path, sum(n for n, a, b in stored if a <= i <= b))
        for i, step in enumerate(steps)
    ]


def _remembered(values: Values) -> Iterator[Array]:
    """Yield the arrays that decoding keeps, of all applications of bodies."""
    for each in every(values):
        yield from (a for t, a in each.arrays.items() if t.state is not None)


def _steps(machine: Logging) -> Iterator[list[Event]]:
    """Yield the events of each step: a fused body is one, an addition in place another."""
    added: dict[Event, list[tuple[Buffer, Buffer]]] = {}
    for total, part, event in machine.added:
        added.setdefault(event, []).append((total, part))
    for _, together in groupby(machine.events, lambda e: (e.made.region or e, e.path)):
        step = list(together)
        yield step
        for event in step:
            for pair in added.get(event, ()):
                yield [Event(event.made, event.path, True, list(pair))]


def _spans(
    machine: Logging, steps: list[list[Event]], number: dict[Event, int], pull: Pullback
) -> dict[tuple[Buffer, bool], Span]:
    """From which step to which each buffer is in memory; what is drawn again, twice."""
    again = set(_drawn_again(pull))
    spans: dict[tuple[Buffer, bool], Span] = {}
    for i, step in enumerate(steps):
        for event in step:
            for buffer in (*event.reads, *event.writes):
                key = buffer.whole, event.backward and buffer.tensor in again
                spans.setdefault(key, [i, i])[1] = i
    for (buffer, _), span in spans.items():
        if buffer.born is not None:
            span[0] = _first(machine, number, buffer.born)
    for buffer in machine.lasting:
        born = _first(machine, number, buffer.born or 0)
        spans.setdefault((buffer.whole, False), [born, NEVER])[1] = NEVER
    return spans


def _first(machine: Logging, number: dict[Event, int], event: int) -> int:
    """The step of an event that may be the one behind all."""
    return number[machine.events[event]] if event < len(machine.events) else len(number)


def _drawn_again(pull: Pullback) -> Iterator[Tensor]:
    """Yield what is drawn in blocks that are run again."""
    program = pull.program
    for body in program.bodies:
        for t in body.tensors:
            if not isinstance(t.op, Input) or t.op.remembered or t in body.inputs:
                continue
            if block_of(t, body.scope):
                yield t


def _is_within(t: Tensor) -> bool:
    """Whether something arises on the way through a fused body, and is none of its results."""
    return t.region is not None and t not in map(_stored_as, t.region.outputs)


def _stored_as(t: Tensor) -> Tensor:
    while isinstance(t.op, View):
        t = t.args[0]
    return t


def said(
    program: Program, pull: Pullback | None, bytes_of: Bytes, few: Mapping[Expr, int],
    remembering: bool = False,
) -> list[tuple[Step, algebra.Terms]]:
    """Return what the reading says of every step that it looks at."""
    timeline = Timeline(program, remembering, few)
    if pull:
        timeline.back(pull)
    prices = {str(storage): Integer(n) for storage, n in bytes_of.items()}
    prices[GRADIENT] = prices["value"]
    each = zip(timeline.steps, alive(timeline, prices), strict=True)
    return [(step, terms) for step, terms in each if step.measured]


def differing(
    trial: Trial, bytes_of: Bytes, backward: bool = True, remembering: bool = False
) -> list[str]:
    """Compare what is said of every step with what a run has alive there; say where they differ."""
    return compared(trial, bytes_of, backward, remembering)[1]


def compared(
    trial: Trial, bytes_of: Bytes, backward: bool = True, remembering: bool = False
) -> tuple[int, list[str]]:
    """Compare what is said of every step with a run; return how many there are, and differences."""
    found = measured(trial, bytes_of, backward, remembering=remembering)
    pull = trial.pull if backward else None
    stated = said(trial.program, pull, bytes_of, few(trial), remembering)
    known: dict[object, list[tuple[Step, algebra.Terms]]] = {}
    for step, terms in stated:
        names = tuple((p.call, p.name) for p in step.places)
        known.setdefault((step.made, names), []).append((step, terms))
    wrong, counted = [], dict[object, int]()
    for m in found:
        names = tuple((call, _named(i, n)) for call, i, n in m.path)
        place = counted[m.made, m.path] = counted.get((m.made, m.path), -1) + 1
        each = known.get((m.made, names), [])
        if place >= len(each):
            wrong.append(f"{m.made} of {'.'.join(m.made.scope.path)} is not looked at")
            continue
        step, terms = each[place]
        at = dict(trial.sizes) | _indices(step, m.path)
        expected = algebra.value(terms, at)
        if expected != m.bytes:
            wrong.append(
                f"at {m.made} of {'.'.join(m.made.scope.path)} {m.bytes} bytes are alive, "
                f"not {expected}: {algebra.text(terms)}"
            )
    return len(found), wrong


def few(trial: Trial) -> dict[Expr, int]:
    """How often bodies are repeated, where that is less than four times."""
    calls = (c.op for body in trial.program.bodies for c in body.calls)
    found = {op.times: whole(op.times, trial.sizes) for op in calls if isinstance(op, Call)}
    return {times: n for times, n in found.items() if n < MANY}


def _named(i: int, times: int) -> str:
    if times < MANY:
        return NAMES[times][i]
    return {0: FIRST, 1: SECOND, times - 2: LAST_BUT_ONE, times - 1: LAST}.get(i, "")


def _indices(step: Step, path: Path) -> dict[Symbol, int]:
    return {
        place.index: i + 1
        for place, (_, i, _) in zip(step.places, path, strict=True) if place.index is not None
    }  # fmt: skip
