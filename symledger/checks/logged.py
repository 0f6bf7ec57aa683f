"""A run that is written down: which operation reads which arrays, and which array it makes.

What is alive when is found of that afterwards, by looking at which array is read last by what.
Nothing is taken from the reading that it is compared with.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sympy import Symbol

from symledger.checks.trial import Array
from symledger.ir.ops import Const, Input, Param, Rearrange, View
from symledger.ir.tensor import Call, CallBack, Program, Pullback, Result, Tensor
from symledger.readings.numpy.interpreter import Machine, Made
from symledger.readings.numpy.values import Values

Path = tuple[tuple[Tensor, int, int], ...]
"""Of the bodies around, the call, which application of it, and of how many."""


@dataclass(eq=False)
class Buffer:
    """Memory: what it holds, how many elements, and the number of the event that made it.

    What is drawn is ``born`` when it is read first. ``part_of`` is the memory that it is a part of,
    where results are stacked.
    """

    tensor: Tensor
    elements: int
    born: int | None
    part_of: Buffer | None = None

    @property
    def whole(self) -> Buffer:
        """The memory that it lies in."""
        return self.part_of.whole if self.part_of else self


@dataclass(eq=False)
class Event:
    """An operation that was executed, what it read and what it made."""

    made: Tensor
    path: Path
    backward: bool
    reads: list[Buffer]
    writes: list[Buffer] = field(default_factory=list)


class Logging(Machine):
    """A machine that writes down what it executes.

    With ``adding`` gradients of weights are added at once to others, and do not stay.
    """

    def __init__(self, sizes: Mapping[Symbol, int], adding: bool = False) -> None:
        super().__init__(sizes)
        self.adding = adding
        self.events: list[Event] = []
        self.added: list[tuple[Buffer, Buffer, Event]] = []
        self.buffers: dict[int, Buffer | None] = {}
        self.lasting: list[Buffer] = []
        self._alive: list[Any] = []
        self._calls: list[tuple[Tensor, Call, list[int]]] = []
        self._paths: dict[int, Path] = {}
        self._path: Path = ()
        self._backward = False
        self._started: dict[int, int] = {}
        self._called_back: list[int] = []
        self._pulls: list[Pullback] = []
        self._by: dict[Buffer, Event] = {}

    def of(self, array: Array) -> Buffer | None:
        """The memory of an array; none of weights and tables."""
        found = self.buffers.get(id(array))
        return found.whole if found else None

    def note(self, array: Array, buffer: Buffer | None) -> Array:
        """Say where an array lies."""
        self._alive.append(array)
        self.buffers[id(array)] = buffer
        return array

    def new(self, t: Tensor, array: Array, born: int | None) -> Buffer:
        """Say that an array lies in memory of its own."""
        buffer = Buffer(t, array.size, born)
        self.note(array, buffer)
        return buffer

    def run(self, program: Program, leaves: Mapping[Tensor, Array]) -> Values:
        """Execute a program forwards."""
        outer = self._path
        if self._calls:
            t, call, counted = self._calls[-1]
            self._path = (*outer, (t, counted[0], self.length(call.times)))
            counted[0] += 1
        for t in program.tensors:
            if isinstance(t.op, Param):
                self.note(leaves[t], None)
            elif isinstance(t.op, Input) and t not in program.inputs:
                self.new(t, leaves[t], 0 if t.op.remembered else None)
            elif isinstance(t.op, Input) and id(leaves[t]) not in self.buffers:
                self.lasting.append(self.new(t, leaves[t], 0))
        calls, self._calls = self._calls, []
        values = super().run(program, leaves)
        self._calls = calls
        self._paths[id(values)], self._path = self._path, outer
        self._alive.append(values)
        return values

    def back(
        self, pull: Pullback, values: Values, seeds: Mapping[Tensor, Array]
    ) -> dict[Tensor, Array]:
        """Execute a backward program."""
        outer, self._path = self._path, self._paths[id(values)]
        was, self._backward = self._backward, True
        if not was:
            for seed, array in seeds.items():
                self.new(seed, array, len(self.events))
        calls, self._calls = self._calls, []
        found = super().back(pull, values, seeds)
        self._path, self._backward, self._calls = outer, was, calls
        return found

    def _call(self, t: Tensor, call: Call, args: list[Array], values: Values) -> Array:
        start = len(self.events)
        self._calls.append((t, call, [0]))
        found = super()._call(t, call, args, values)
        self._calls.pop()
        self._started[id(values.inner[t])] = start
        return found

    def _call_back(
        self, op: Any, values: Values, incoming: list[Array]
    ) -> tuple[Array, dict[Tensor, Array]]:
        self._called_back.append(len(self.events))
        self._pulls.append(op.body)
        found = super()._call_back(op, values, incoming)
        self._called_back.pop()
        self._pulls.pop()
        return found

    def _taken(self, whole: Array, axis: int, place: int) -> Array:
        where = (slice(None),) * axis + (place,)
        return self.note(whole[where], self.of(whole))

    def result(self, call: Call, op: Result, applications: list[Values]) -> Array:
        """Return a result of a Call; what is stacked lies in one memory from the start."""
        found = super().result(call, op, applications)
        if op.axis is not None:
            each = [inner[op.leaf] for inner in applications]
            self._stacked(op.leaf, found, each, self._started[id(applications)])
        return found

    def _stacked(self, leaf: Tensor, whole: Array, each: list[Array], start: int) -> None:
        buffer = self.new(leaf, whole, start)
        while isinstance(leaf.op, Rearrange):
            leaf = leaf.args[0]
        if not isinstance(leaf.op, View | Input | Call | CallBack | Result):  # others are copied
            for part in filter(None, map(self.of, each)):
                part.part_of = buffer

    def once(self, what: Hashable, args: Sequence[Array], make: Callable[[], Made]) -> Made:
        """Make something of arrays; say where gradients of all applications lie."""
        made = make()
        array: Any = made
        if what == "whole numbers":
            self.note(array, self.of(args[0]))
        elif isinstance(what, tuple) and what[0] == "zeros":
            self.note(array, None)
        elif isinstance(what, tuple) and isinstance(what[0], Call):
            call, leaf = what
            if leaf in call.sliced:
                pull = self._pulls[-1]
                self._stacked(pull.gradients[leaf], array, list(args), self._called_back[-1])
            elif leaf not in call.body.inputs and not call.shared:
                self.lasting += () if self.adding else filter(None, map(self.of, args))
                self.note(array, None)
            else:
                self._added_up(array, [self.of(g) for g in args])
        return made

    def _added_up(self, total: Array, each: list[Buffer | None]) -> None:
        """Gradients of all applications are added to that of the last one that has any, at once."""
        there = [b for b in each if b]
        whole = there[-1] if there else None
        self.note(total, whole)
        for part in there[:-1]:
            if whole and part is not whole and part in self._by:
                self.added.append((whole, part, self._by[part]))

    def execute(self, t: Tensor, args: list[Array]) -> Array:
        """Execute one operation, and write it down."""
        made = super().execute(t, args)
        if isinstance(t.op, Const):
            return self.note(made, None)
        if isinstance(t.op, View):
            return self.note(made, self.of(args[0]))
        made = made.copy() if id(made) in self.buffers else made
        reads = [b for b in map(self.of, args) if b]
        event = Event(t, self._path, self._backward, reads)
        event.writes.append(self.new(t, made, len(self.events)))
        self._by[event.writes[0]] = event
        self.events.append(event)
        return made
