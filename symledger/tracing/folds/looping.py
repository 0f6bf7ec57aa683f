"""Rounds of loops put together: a recording in which one step says how many there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from symledger.traces.graph import EACH, TABLE, Ref
from symledger.tracing.folds.iterations import (
    Element,
    Loop,
    Own,
    Rounds,
    at_round,
    kind_of,
    refs_in,
    replaced,
)
from symledger.tracing.modules.lists import up_to
from symledger.tracing.runs.recording import Recording, Step


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
