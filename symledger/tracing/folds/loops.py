"""Loops in Python, over time or so many times over one module: equal rounds folded into one.

What a loop runs is one sequence of steps again and again. Here, in the run at one point, its rounds
become one step that says how many there are: then runs at other lengths have the same steps, and
the number of rounds is fitted as every length is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symledger.traces.graph import EACH, Graph, Node, Ref
from symledger.tracing.folds.graphs import lasting
from symledger.tracing.folds.iterations import (
    INDEXED,
    Element,
    Loop,
    Rounds,
    position_free,
    refs_in,
    replaced,
)
from symledger.tracing.folds.looping import Applied, users_of
from symledger.tracing.folds.regions import Extents, extents
from symledger.tracing.modules.lists import Lists
from symledger.tracing.runs.recording import Recording, Step

LEAST = 2
"""How many rounds make a loop."""
MOST_PERIODS = 300
"""How many lengths of a round are tried."""
MOST_TRIED = 64
"""How many places a loop may begin at."""


def looped(recording: Recording, lists: Lists) -> Recording:
    """Return a recording in which rounds of loops are one step each.

    They may go along ``lists`` of modules. A loop of which something takes single rounds, and not
    all in order, is left as it is.
    """
    pruned = without_idle(recording)
    barred: set[Place] = set()
    while True:
        found = _folded(pruned, barred, lists)
        wrong = {place_of(found.steps[e.node]) for e in left_over(found)}
        if not wrong:
            return found
        barred |= wrong


Place = tuple[int, str]
"""Where a loop stands: how many steps a round has, and the line of the first."""


def place_of(loop: Step) -> Place:
    """Return where a loop stands."""
    assert isinstance(loop, Loop)
    body = [s for s in loop.body.steps if not position_free(s)]
    return len(body), loop.line


def without_idle(recording: Recording) -> Recording:
    """Leave out what only passes a tensor on and is not used, as a graph is looked at too."""
    plain = Graph(
        tuple(Node(s.operation, s.arguments, ()) for s in recording.steps), recording.outputs
    )
    kept = lasting(plain)
    place = {old: new for new, old in enumerate(kept)}

    def moved(r: Any) -> Any:
        return replace(r, node=place[r.node])

    steps = [
        replace(s, arguments={n: replaced(a, moved) for n, a in s.arguments.items()})
        for s in (recording.steps[i] for i in kept)
    ]
    outputs = tuple(moved(r) for r in recording.outputs)
    kept_of = recording.kept or range(len(recording.steps))
    return replace(recording, steps=steps, outputs=outputs, kept=tuple(kept_of[i] for i in kept))


def _folded(recording: Recording, barred: set[Place], lists: Lists) -> Recording:
    signs = Signs(lists)
    while True:
        order = [i for i, s in enumerate(recording.steps) if not position_free(s)]
        place = {number: k for k, number in enumerate(order)}
        words = [signs.of(recording.steps[i]) for i in order]
        users, blocks = users_of(recording), extents(recording.steps, order)
        for period in periods(words):
            looking = Looking(recording, order, place, users, period, barred, lists, blocks)
            regions = list(_regions(looking, words))
            if regions:
                recording = Applied(recording, regions).result()
                break
        else:
            return with_sequences(recording)


class Signs:
    """Numbers for what steps are but for the tensors that they take: the same for equal steps."""

    def __init__(self, lists: Lists) -> None:
        self.lists = lists
        self.known: dict[Any, int] = {}
        self.steps: dict[int, tuple[Step, int]] = {}

    def of(self, step: Step) -> int:
        """Return the number of a step."""
        found = self.steps.get(id(step.results))
        if found is None or found[0].operation != step.operation:
            word = sign(step, self.lists)
            number = self.known.setdefault(word, len(self.known))
            self.steps[id(step.results)] = found = step, number
        return found[1]


def sign(step: Step, lists: Lists) -> Any:
    """Return what a step is, tensors and numbers of rounds left out."""
    free = INDEXED.get(step.operation, ())
    arguments = tuple(
        (n, 0 if n in free and type(a) is int else replaced(a, lambda r: None))
        for n, a in step.arguments.items()
    )
    inner = (step.times, written_out(step.body)) if isinstance(step, Loop) else None
    blocks = tuple(b.early for b in step.within)
    path = lists.alike(step.path)
    return step.operation, path, _hashable(arguments), step.results, inner, blocks


def written_out(body: Recording) -> Any:
    """Return what a body is, tensors included."""
    return body.outputs, tuple(
        (s.operation, s.path, _hashable(tuple(s.arguments.items())), s.results,
         (s.times, written_out(s.body)) if isinstance(s, Loop) else None)
        for s in body.steps
    )  # fmt: skip


def _hashable(x: Any) -> Any:
    if isinstance(x, tuple):
        return tuple(map(_hashable, x))
    return type(x).__name__, x


def periods(words: Sequence[int]) -> list[int]:
    """Return after how many steps the same comes again, short ones first."""
    last: dict[int, int] = {}
    gaps = set()
    for k, word in enumerate(words):
        if word in last:
            gaps.add(k - last[word])
        last[word] = k
    return sorted(gaps)[:MOST_PERIODS]


@dataclass(frozen=True)
class Looking:
    """Where rounds of so many steps are looked for, and what is known of the steps there."""

    recording: Recording
    order: Sequence[int]
    place: dict[int, int]
    users: Sequence[set[int]]
    period: int
    barred: set[Place]
    lists: Lists
    blocks: Extents

    def rounds(self, first: int) -> Rounds:
        """Return rounds that begin at a place: one, until they grow."""
        made = Rounds(self.recording.steps, self.order, self.place, self.users, first, self.period,
                      self.lists, self.blocks)  # fmt: skip
        made.outputs = self.recording.outputs
        return made

    def is_barred(self, first: int) -> bool:
        """Whether what begins at a place is to be left as it is."""
        line = self.recording.steps[self.order[first]].line
        return bool(self.barred) and (self.period, line) in self.barred


def _regions(looking: Looking, words: Sequence[int]) -> Iterator[Rounds]:
    """Yield rounds of a length, one region after the other."""
    period = looking.period
    k, end = 0, len(words) - period
    while k < end:
        if words[k] != words[k + period]:
            k += 1
            continue
        stop = k
        while stop < end and words[stop] == words[stop + period]:
            stop += 1
        found = None
        if stop - k >= period:
            found = _best(looking, k, stop + period)
        if found is not None:
            yield found
            k = found.inside().stop
        else:
            k = stop
    return


def _best(looking: Looking, start: int, stop: int) -> Rounds | None:
    """Return the most rounds among equal steps, from the first place on where there are any."""
    best: Rounds | None = None
    period = looking.period
    for first in range(start, min(start + MOST_TRIED, stop - LEAST * period + 1)):
        if looking.is_barred(first):
            continue
        rounds = looking.rounds(first)
        if rounds.grow((stop - first) // period) >= LEAST and whole(rounds):
            if best is None or rounds.times > best.times:
                best = rounds
            if best.times >= (stop - start) // period:
                break
    return best


def whole(rounds: Rounds) -> bool:
    """Whether the elements that rounds take are all elements there are, in order or turned.

    Blocks around them are around all steps.
    """
    around = {rounds.regions.around(rounds.step(0, q), 0) for q in range(rounds.period)}
    if len(around) > 1:
        return False
    for node, _, start, step in rounds.sequences:
        made = rounds.steps[node]
        ordered = (start, step) in ((0, 1), (rounds.times - 1, -1))
        if not ordered or not isinstance(made, Loop) or made.times != rounds.times:
            return False
    return True


def with_sequences(recording: Recording) -> Recording:
    """Write elements that stand together, all in order, as the whole sequence."""
    steps = recording.steps

    def alone(x: Any) -> Any:
        loop = steps[x.node] if isinstance(x, Element) else None
        if isinstance(loop, Loop) and x.index == loop.times - 1 and x.result in loop.twins:
            return Ref(x.node, loop.twins[x.result])
        return x

    def joined(a: Any) -> Any:
        if not isinstance(a, tuple):
            return alone(a)
        found: list[Any] = []
        k = 0
        while k < len(a):
            x = a[k]
            loop = steps[x.node] if isinstance(x, Element) else None
            times = loop.times if isinstance(loop, Loop) else 0
            run = a[k : k + times]
            for turned in (False, True):
                order = range(times)[:: -1 if turned else 1]
                if times and run == tuple(Element(x.node, x.result, i) for i in order):
                    found.append((EACH, Ref(x.node, x.result), turned))
                    k += times
                    break
            else:
                found.append(joined(x))
                k += 1
        return tuple(found)

    return replace(recording, outputs=tuple(map(alone, recording.outputs)), steps=[
        replace(s, arguments={n: joined(a) for n, a in s.arguments.items()}) for s in steps
    ])  # fmt: skip


def left_over(recording: Recording) -> Iterator[Element]:
    """Yield elements of sequences that something takes alone."""
    for step in recording.steps:
        for x in refs_in(tuple(step.arguments.values())):
            if isinstance(x, Element):
                yield x
    yield from (x for x in recording.outputs if isinstance(x, Element))
