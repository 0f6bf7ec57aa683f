"""Loops in Python, over time or so many times over one module: equal rounds folded into one.

What a loop runs is one sequence of steps again and again. Here, in the run at one point, its rounds
become one step that says how many there are: then runs at other lengths have the same steps, and
the number of rounds is fitted as every length is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from symledger.traces.graph import EACH, TABLE, Graph, Node, Ref
from symledger.tracing.graphs import lasting
from symledger.tracing.iterations import (
    INDEXED,
    Element,
    Loop,
    Own,
    Rounds,
    at_round,
    kind_of,
    position_free,
    refs_in,
    replaced,
)
from symledger.tracing.lists import Lists, up_to
from symledger.tracing.recording import Recording, Step
from symledger.tracing.regions import Extents, extents

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


def users_of(recording: Recording) -> list[set[int]]:
    """Return which steps take what each step makes; one after the last for what comes out."""
    found: list[set[int]] = [set() for _ in recording.steps]
    for i, step in enumerate(recording.steps):
        for r in refs_in(tuple(step.arguments.values())):
            found[r.node].add(i)
    for r in recording.outputs:
        found[r.node].add(len(recording.steps))
    return found


class Applied:
    """A recording with some regions of rounds put together."""

    def __init__(self, recording: Recording, regions: Sequence[Rounds]) -> None:
        self.recording, self.regions = recording, regions
        self.users = users_of(recording)
        self.moved: dict[Ref, Any] = {}
        self.steps: list[Step] = []
        self.kept: list[int] = []

    def result(self) -> Recording:
        """Return it."""
        gone: set[int] = set()
        at: dict[int, Rounds] = {}
        for rounds in self.regions:
            numbers = [rounds.order[k] for k in rounds.inside()]
            own = self._own(rounds, set(numbers))
            gone |= {*numbers, *own}
            at[max(numbers)] = rounds
        for i, step in enumerate(self.recording.steps):
            if i in at:
                self._loop(at[i], i)
            if i in gone:
                continue
            self._add(i, replace(step, arguments={
                n: replaced(a, self._there) for n, a in step.arguments.items()
            }))  # fmt: skip
        outputs = tuple(self._there(r) for r in self.recording.outputs)
        return replace(
            self.recording, steps=self.steps, outputs=outputs, kept=tuple(self.kept)
        )

    def _add(self, old: int, step: Step) -> None:
        for r in range(len(step.results)):
            self.moved[Ref(old, r)] = Ref(len(self.steps), r)
        self.kept.append(self.recording.kept[old])
        self.steps.append(step)

    def _there(self, x: Any) -> Any:
        if isinstance(x, Element):
            return replace(x, node=self.moved[Ref(x.node, x.result)].node)
        return self.moved[x]

    def _own(self, rounds: Rounds, numbers: set[int]) -> set[int]:
        """The weights that only these rounds use, and the tables that each makes for itself."""
        steps = self.recording.steps
        inside = {
            r.node for n in numbers for r in refs_in(tuple(steps[n].arguments.values()))
        }
        held = {r.node for r in rounds.carried.values() if isinstance(r, Ref)}
        sliced = {
            a.node for (q, _) in rounds.numbers
            for a in refs_in(tuple(rounds.step(0, q).arguments.values()))
        }
        return {
            j for j in inside - held - sliced
            if self.users[j] <= numbers and self._is_own(rounds, j)
        }

    def _is_own(self, rounds: Rounds, j: int) -> bool:
        step = self.recording.steps[j]
        if step.operation == TABLE:
            return len({(rounds.place[u] - rounds.first) // rounds.period
                        for u in self.users[j]}) == 1  # fmt: skip
        if rounds.moved.moving:  # what all rounds take enters
            named = step.operation in ("weight", "buffer")
            return named and rounds.moved.is_own(str(step.arguments["name"]))
        return step.operation == "weight"

    def _loop(self, rounds: Rounds, number: int) -> None:
        """Write a loop down."""
        old = self.recording.steps
        numbers = [rounds.order[k] for k in rounds.inside()]
        own = self._own(rounds, set(numbers))
        states = dict(rounds.carried)
        families = sorted({
            (q, r) for i, q, r in rounds.shown() if (q, r) not in states or i != rounds.times - 1
        })  # fmt: skip
        first = [rounds.step(0, q) for q in range(rounds.period)]
        taken: dict[Any, None] = dict.fromkeys(
            x for q, form in enumerate(rounds.zeroth) for n, a in form.items()
            for x in refs_in(self._plain(rounds, q, n, a))
        )
        each = [x for x in taken if isinstance(x, Element)]
        same = [x for x in taken if isinstance(x, Ref) and x.node not in own]
        outside: list[Any] = [*each, *same]
        body = Body()
        inner: dict[Any, Ref] = {}
        kinds: list[tuple[str, Any, Any]] = [
            *(("state", key, first[key[0]].results[key[1]]) for key in states),
            *(("out", x, kind_of(old, x)) for x in outside),
        ]
        for k, (what, key, kind) in enumerate(kinds):
            inner[what, key] = body.add(Step("input", {"name": f"x{k}"}, (kind,)))
        for j in sorted(own & {x.node for x in taken if isinstance(x, Ref)}):
            inner["own", j] = body.add(old[j])
        offset = len(body.steps)

        def there(x: Any) -> Any:
            if isinstance(x, Own):
                return Ref(offset + x.place, x.result)
            return inner["own", x.node] if x.node in own else inner["out", x]

        for q, step in enumerate(first):
            second = rounds.form(1, q)
            arguments = {}
            for n, a in rounds.zeroth[q].items():
                if (q, n) in rounds.numbers and rounds.numbers[q, n][1]:
                    arguments[n] = at_round(*rounds.numbers[q, n])
                else:
                    arguments[n] = _carried_in(a, second[n], inner, there)
            within = rounds.regions.inside(step, 0)
            body.steps.append(replace(step, arguments=arguments, within=within))
        ends = tuple(Ref(offset + q, r) for q, r in (*states, *families))
        recording = Recording(body.steps, ends)
        moving = tuple(sorted(rounds.moved.moving))
        path = up_to(common([s.path for s in first]), moving)
        each_said = tuple(
            (EACH, self.moved_of(x), bool(x.index)) for x in each
        )
        made = Loop(
            "loop",
            {"states": tuple(self._there(x) for x in states.values()), "each": each_said,
             "same": tuple(self._there(x) for x in same)},
            tuple(first[q].results[r] for q, r in (*states, *families)), path, first[0].line,
            body=recording, times=rounds.times,
            twins={len(states) + f: list(states).index(key)
                   for f, key in enumerate(families) if key in states},
            beside=moving, within=rounds.regions.around(first[0], 0),
        )  # fmt: skip
        place = len(self.steps)
        self.steps.append(made)
        self.kept.append(self.recording.kept[number])
        for i in range(rounds.times):
            for f, (q, r) in enumerate(families):
                at = rounds.order[rounds.first + i * rounds.period + q]
                self.moved[Ref(at, r)] = Element(place, len(states) + f, i)
        last = rounds.first + (rounds.times - 1) * rounds.period
        for s, (q, r) in enumerate(states):
            if (q, r) not in families:
                self.moved[Ref(rounds.order[last + q], r)] = Ref(place, s)

    def moved_of(self, x: Element) -> Ref:
        """Return the whole sequence that an element is of."""
        return Ref(self._there(x).node, x.result)

    def _plain(self, rounds: Rounds, q: int, name: str, a: Any) -> tuple[Any, ...]:
        """Return the arguments that enter from outside and are not carried."""
        second = rounds.form(1, q)[name]
        return tuple(_entering(a, second))


def _entering(a: Any, b: Any) -> Iterator[Any]:
    if isinstance(a, tuple):
        for x, y in zip(a, b, strict=True):
            yield from _entering(x, y)
    elif isinstance(a, Ref | Element) and not isinstance(b, Own):
        yield a


def _carried_in(a: Any, b: Any, inner: dict[Any, Ref], there: Any) -> Any:
    """Return an argument as it is in the body; ``b`` is that of the next round."""
    if isinstance(a, tuple):
        return tuple(_carried_in(x, y, inner, there) for x, y in zip(a, b, strict=True))
    if isinstance(b, Own) and b.kind == "before":
        return inner["state", (b.place, b.result)]
    return there(a) if isinstance(a, Ref | Element | Own) else a


class Body:
    """Steps of a body, one after the other."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def add(self, step: Step) -> Ref:
        """Write a step down."""
        self.steps.append(step)
        return Ref(len(self.steps) - 1)


def common(paths: Sequence[str]) -> str:
    """Return the path of the module in which all of some modules are."""
    found = paths[0].split(".") if paths[0] else []
    for path in paths:
        names = path.split(".")
        same = (a == b for a, b in zip(found, names, strict=False))
        found = found[: sum(1 for _ in takewhile(bool, same))]
    return ".".join(found)


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
