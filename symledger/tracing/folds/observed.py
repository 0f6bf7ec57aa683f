"""One run of a module, taken apart: its structure, and the whole numbers in it, in order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from symledger.tracing.folds.iterations import Loop
from symledger.tracing.folds.loops import looped
from symledger.tracing.modules.lists import NONE, Lists
from symledger.tracing.runs.recording import Recording, Step

NUMBERED = re.compile(r"(?:^|\.)\d+(?=\.|$)")
NUMBER, REAL = "#", "~"
"""What stands in a structure where a whole number or a float stood."""


@dataclass
class Observed:
    """A recording at a point: the values of all arguments and free lengths.

    With ``loops`` it is looked at with the rounds of loops folded, which may go along ``lists`` of
    modules; the recording stays as it ran.
    """

    at: dict[str, int]
    recording: Recording
    loops: bool = False
    told: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Of rows that were told, by name: what they are on average, as a quotient."""
    lists: Lists = NONE

    @cached_property
    def folded(self) -> Recording:
        """The recording as it is looked at."""
        return looped(self.recording, self.lists) if self.loops else self.recording

    @cached_property
    def structure(self) -> tuple[Any, ...]:
        """What ran on what, without any number."""
        return structure_of(self.folded)

    @cached_property
    def layers(self) -> frozenset[str]:
        """The numbered modules in which something ran."""
        return frozenset(
            s.path[: found.end()] for s in self.recording.steps
            for found in NUMBERED.finditer(s.path)
        )  # fmt: skip

    @cached_property
    def weights(self) -> dict[str, tuple[int, ...]]:
        """The shapes of all weights, by name."""
        return {
            str(s.arguments["name"]): s.results[0][0] for s in self.recording.steps
            if s.operation == "weight"
        }

    @cached_property
    def rounds(self) -> tuple[int, ...]:
        """How many rounds each loop has."""
        return tuple(n for s in self.folded.steps for n in rounds_of(s))

    @cached_property
    def flat(self) -> Observed:
        """The same run with every round as it ran."""
        return Observed(self.at, self.recording)

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The whole numbers, of arguments and then of shapes, step by step."""
        return tuple(n for s in self.folded.steps for n in numbers(s))

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """The lengths of all results, and how many rounds loops have."""
        return tuple(n for s in self.folded.steps for n in lengths_of(s))

    @cached_property
    def reals(self) -> tuple[float, ...]:
        """The floats."""
        return tuple(x for s in self.folded.steps for x in reals_of(s))


def structure_of(recording: Recording) -> tuple[Any, ...]:
    """Return what runs on what, without any number."""
    return (*(
        (s.operation, s.path, tuple((n, shape_of(a)) for n, a in s.arguments.items()),
         tuple((len(shape), kind) for shape, kind in s.results), s.within,
         *((structure_of(s.body),) if isinstance(s, Loop) else ()))
        for s in recording.steps
    ), recording.outputs)  # fmt: skip


def numbers(step: Step) -> Iterator[int]:
    """Yield the whole numbers of a step: those of its arguments, then its results' lengths.

    Of a loop, then the number of its rounds, and the numbers of its body.
    """
    for a in step.arguments.values():
        yield from numbers_in(a)
    for shape, _ in step.results:
        yield from shape
    if isinstance(step, Loop):
        yield step.times
        for inner in step.body.steps:
            yield from numbers(inner)


def rounds_of(step: Step) -> Iterator[int]:
    """Yield how many rounds a loop has, and those in it."""
    if isinstance(step, Loop):
        yield step.times
        for inner in step.body.steps:
            yield from rounds_of(inner)


def lengths_of(step: Step) -> Iterator[int]:
    """Yield the lengths of a step's results; of a loop its rounds and what its body makes, too."""
    for shape, _ in step.results:
        yield from shape
    if isinstance(step, Loop):
        yield step.times
        for inner in step.body.steps:
            yield from lengths_of(inner)


def reals_of(step: Step) -> Iterator[float]:
    """Yield the floats among the arguments of a step, and of a body."""
    for a in step.arguments.values():
        yield from reals_in(a)
    if isinstance(step, Loop):
        for inner in step.body.steps:
            yield from reals_of(inner)


def shape_of(argument: Any) -> Any:
    """Return an argument without its numbers."""
    if isinstance(argument, bool):
        return argument
    if isinstance(argument, int):
        return NUMBER
    if isinstance(argument, float):
        return REAL
    if isinstance(argument, tuple):
        return tuple(map(shape_of, argument))
    return argument


def numbers_in(argument: Any) -> Iterator[int]:
    """Yield the whole numbers of an argument."""
    if isinstance(argument, tuple):
        for each in argument:
            yield from numbers_in(each)
    elif isinstance(argument, int) and not isinstance(argument, bool):
        yield argument


def reals_in(argument: Any) -> Iterator[float]:
    """Yield the floats of an argument."""
    if isinstance(argument, tuple):
        for each in argument:
            yield from reals_in(each)
    elif isinstance(argument, float):
        yield argument
