"""Rounds of a loop: equal steps, one round after the other, told from the tensors that they take.

A round takes what the round before it made (that is carried), what every round takes, and of a
sequence the element that is its own. What later steps take of it is the last one that was carried,
or an element of the sequence that all rounds make.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from symledger.traces.graph import LEAVES, ROUND, TABLE, Ref
from symledger.tracing.folds.regions import Extents, Regions
from symledger.tracing.modules.lists import Lists, Moved
from symledger.tracing.runs.recording import Recording, Step

INDEXED: Mapping[str, tuple[str, ...]] = {
    "aten.select": ("index",), "aten.slice": ("start", "end"),
    "aten.select_scatter": ("index",), "aten.slice_scatter": ("start",),
    **{f"aten.{name}": ("other",) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
}  # fmt: skip
"""Arguments that may be another number in every round: positions, and what is compared."""


@dataclass(frozen=True)
class Element:
    """What one round of a loop made: of the step of the loop, a result that is a sequence."""

    node: int
    result: int
    index: int


@dataclass
class Loop(Step):
    """Rounds in place of which one stands, and how many there are.

    Its arguments are tuples: ``states``, which are carried, ``each``, of which every round takes
    its element, and ``same``, which every round takes. Its results are the last states, then
    elements of the sequences that its rounds make. The body's first steps are what enters it.
    ``beside`` are the lists that it goes along: modules and weights in them are those of a round.
    """

    body: Recording = field(default_factory=Recording)
    times: int = 0
    twins: dict[int, int] = field(default_factory=dict)
    """Which sequences are those of a state: results, by results."""
    beside: tuple[str, ...] = ()


@dataclass(frozen=True)
class Own:
    """A tensor of the loop's own, in place of a reference: see ``Rounds``."""

    kind: str
    place: int
    result: int = 0


def position_free(step: Step) -> bool:
    """Whether it does not matter when a step runs: what comes from outside, and fixed tables."""
    return step.operation in LEAVES or step.operation == TABLE


class Failed(Exception):  # no error: the answer to a question
    """What is looked at are no rounds of a loop."""


class Rounds:
    """Steps from one on, taken as rounds of so many steps.

    Args:
        steps: all steps.
        order: the numbers of those whose place matters, in order.
        users: which steps take what a step makes; a step after the last one stands for outputs.
        first: where among ``order`` the first round begins.
        period: how many steps a round has.
        lists: those of modules that rounds may go along.
        blocks: where what is run again going back begins and ends.
    """

    def __init__(
        self, steps: Sequence[Step], order: Sequence[int], place: Mapping[int, int],
        users: Sequence[set[int]], first: int, period: int, lists: Lists,
        blocks: Extents,
    ) -> None:  # fmt: skip
        self.steps, self.order, self.place, self.users = steps, order, place, users
        self.moved, self.regions = Moved(lists), Regions(blocks, first, period)
        self.first, self.period, self.times = first, period, 1
        self.carried: dict[tuple[int, int], Any] = {}
        self.entering: dict[Any, None] = {}
        self.sequences: dict[tuple[int, int, int, int], None] = {}
        self.numbers: dict[tuple[int, str], tuple[int, int]] = {}
        self.zeroth = [self.form(0, q) for q in range(period)]

    def step(self, i: int, q: int) -> Step:
        """Return step q of round i."""
        return self.steps[self.order[self.first + i * self.period + q]]

    def form(self, i: int, q: int) -> dict[str, Any]:
        """Return the arguments of step q of round i, with tensors said from where the round is."""
        base = self.first + i * self.period
        return {n: self._argument(a, base, i) for n, a in self.step(i, q).arguments.items()}

    def _argument(self, a: Any, base: int, i: int) -> Any:
        if isinstance(a, tuple):
            return tuple(self._argument(x, base, i) for x in a)
        if not isinstance(a, Ref):
            return a
        k = self.place.get(a.node)
        if k is None or k < self.first:
            return a
        if k >= base:
            return Own("in", k - base, a.result)
        if k >= base - self.period:
            return Own("before", k - base + self.period, a.result)
        raise Failed

    def grow(self, most: int) -> int:
        """Take as many rounds as there are; return how many."""
        while self.times < most and self.first + (self.times + 1) * self.period <= len(self.order):
            saved = dict(self.carried), dict(self.sequences), dict(self.numbers)
            moved = self.moved.saved
            try:
                self._follow(self.times)
            except Failed:
                self.carried, self.sequences, self.numbers = saved
                self.moved.moving, self.moved.staying = moved
                break
            self.times += 1
        while self.times > 1 and not self._ends():
            self.times -= 1
        if self.times > 1 and self._leaves_off():
            self.times -= 1
        return self.times

    def _leaves_off(self) -> bool:
        """Whether the last round makes something in vain that every other one makes for the next.

        No gradient goes back through that: the round stands alone then.
        """
        last = self.times - 1
        shown = {q for i, q, _ in self.shown() if i == last}
        handed = {q for q, _ in self.carried}
        return self._needed(shown | handed) != self._needed(shown)

    def _needed(self, ends: set[int]) -> set[int]:
        """Return the steps of a round that some of its steps are made of, those among them."""
        found: set[int] = set()
        waiting = list(ends)
        while waiting:
            q = waiting.pop()
            if q not in found:
                found.add(q)
                waiting += [x.place for a in self.zeroth[q].values() for x in own_in(a)]
        return found

    def _follow(self, i: int) -> None:
        """Have round i be the zeroth one again.

        Raises:
            Failed: it is not.
        """
        for q in range(self.period):
            mine, its = self.zeroth[q], self.form(i, q)
            first, step = self.step(0, q), self.step(i, q)
            operation = step.operation
            if not (self.moved.follows(first.path, step.path, i)
                    and self.regions.follows(first, step, i)):  # fmt: skip
                raise Failed
            for name, a in mine.items():
                if name in INDEXED.get(operation, ()) and type(a) is int and type(its[name]) is int:
                    self._number(q, name, a, its[name], i)
                else:
                    self._same(a, its[name], i)

    def _number(self, q: int, name: str, a: int, b: int, i: int) -> None:
        start, step = self.numbers.setdefault((q, name), (a, b - a))
        if b != start + step * i or step not in (-1, 0, 1):
            raise Failed

    def _same(self, a: Any, b: Any, i: int) -> None:
        """Compare an argument of the zeroth round with that of round i."""
        if isinstance(a, tuple):
            if not isinstance(b, tuple) or len(a) != len(b):
                raise Failed
            for x, y in zip(a, b, strict=True):
                self._same(x, y, i)
        elif isinstance(b, Own) and b.kind == "before":
            known = self.carried.setdefault((b.place, b.result), a)
            if known != a or not isinstance(a, Ref | Element) or not self._alike(a, b):
                raise Failed
        elif isinstance(a, Element) and isinstance(b, Element):
            self._element(a, b, i)
        elif a == b:
            return
        elif not (isinstance(a, Ref) and isinstance(b, Ref) and self._own(a, b, i)):
            raise Failed

    def _element(self, a: Element, b: Element, i: int) -> None:
        step = (b.index - a.index) // i
        if (a.node, a.result) != (b.node, b.result) or b.index != a.index + step * i:
            raise Failed
        if i == 1:
            self.sequences[a.node, a.result, a.index, step] = None
        elif (a.node, a.result, a.index, step) not in self.sequences:
            raise Failed

    def _own(self, a: Ref, b: Ref, i: int) -> bool:
        """Whether each round makes a table of its own, or has a weight that nothing else takes."""
        one, other = self.steps[a.node], self.steps[b.node]
        if one.operation != other.operation or one.results != other.results:
            return False
        if one.operation == TABLE:
            return one.arguments == other.arguments and self.moved.follows(one.path, other.path, i)
        alone = self._alone(a, 0) and self._alone(b, i)
        return alone and self.moved.has_weight(one.arguments, other.arguments, i)

    def _alone(self, r: Ref, i: int) -> bool:
        """Whether one round alone takes a tensor."""
        places = (self.place.get(user, -1) for user in self.users[r.node])
        return all((k - self.first) // self.period == i for k in places)

    def _alike(self, a: Ref | Element, b: Own) -> bool:
        """Whether what is carried first is as what a round makes."""
        return kind_of(self.steps, a) == self.step(0, b.place).results[b.result]

    def inside(self) -> range:
        """The places of all rounds."""
        return range(self.first, self.first + self.times * self.period)

    def _ends(self) -> bool:
        """Whether later steps take nothing but what is carried last, and whole sequences.

        What only the last round shows, and does not carry on, is no sequence: others would be made
        for nothing.
        """
        made: dict[tuple[int, int], set[int]] = {}
        for i, q, r in self.shown():
            made.setdefault((q, r), set()).add(i)
        last = self.times - 1
        return all(
            rounds == set(range(self.times)) or (rounds == {last} and key in self.carried)
            for key, rounds in made.items()
        )  # fmt: skip

    def shown(self) -> Iterator[tuple[int, int, int]]:
        """Yield what steps outside take: of which round, which step, and which of its results."""
        inside = self.inside()
        for k in inside:
            i, q = divmod(k - self.first, self.period)
            number = self.order[k]
            found = set()
            for user in self.users[number]:
                if self.place.get(user, -1) not in inside:
                    found |= results_taken(self.steps, user, number, self.outputs)
            for r in sorted(found):
                yield i, q, r

    outputs: tuple[Ref, ...] = ()


def results_taken(
    steps: Sequence[Step], user: int, number: int, outputs: tuple[Ref, ...]
) -> set[int]:
    """Return which results of a step another one takes."""
    taken = refs_in(tuple(steps[user].arguments.values()) if user < len(steps) else outputs)
    return {r.result for r in taken if isinstance(r, Ref) and r.node == number}


def refs_in(x: Any) -> Iterator[Ref | Element]:
    """Yield the tensors in an argument, elements of sequences among them."""
    if isinstance(x, Ref | Element):
        yield x
    elif isinstance(x, tuple):
        for each in x:
            yield from refs_in(each)


def own_in(x: Any) -> Iterator[Own]:
    """Yield what is made in the same round in an argument of the zeroth one."""
    if isinstance(x, Own):
        yield x
    elif isinstance(x, tuple):
        for each in x:
            yield from own_in(each)


def kind_of(steps: Sequence[Step], x: Ref | Element) -> tuple[tuple[int, ...], str]:
    """Return the shape and the elements of a tensor."""
    return steps[x.node].results[x.result]


def replaced(x: Any, to: Callable[[Any], Any]) -> Any:
    """Return an argument with other tensors."""
    if isinstance(x, tuple):
        return tuple(replaced(each, to) for each in x)
    return to(x) if isinstance(x, Ref | Element | Own) else x


def at_round(start: int, step: int) -> tuple[Any, ...]:
    """Write a number that is another one in every round."""
    return (ROUND, start, step)
