"""One run of a module, taken apart: its structure, and the whole numbers in it, in order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from symledger.tracing.recording import Recording

NUMBERED = re.compile(r"(?:^|\.)\d+(?=\.|$)")
NUMBER, REAL = "#", "~"
"""What stands in a structure where a whole number or a float stood."""


@dataclass
class Observed:
    """A recording at a point: the values of all arguments and free lengths."""

    at: dict[str, int]
    recording: Recording

    @cached_property
    def structure(self) -> tuple[Any, ...]:
        """What ran on what, without any number."""
        return tuple(
            (s.operation, s.path, tuple((n, shape_of(a)) for n, a in s.arguments.items()),
             tuple((len(shape), kind) for shape, kind in s.results), s.within)
            for s in self.recording.steps
        )  # fmt: skip

    @cached_property
    def layers(self) -> frozenset[str]:
        """The numbered modules in which something ran."""
        return frozenset(
            s.path[: found.end()] for s in self.recording.steps
            for found in NUMBERED.finditer(s.path)
        )  # fmt: skip

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The whole numbers, of arguments and then of shapes, step by step."""
        return tuple(n for s in self.recording.steps for n in numbers(s))

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """The lengths of all results."""
        return tuple(n for s in self.recording.steps for shape, _ in s.results for n in shape)

    @cached_property
    def reals(self) -> tuple[float, ...]:
        """The floats."""
        found: list[float] = []
        for s in self.recording.steps:
            for a in s.arguments.values():
                found += reals_in(a)
        return tuple(found)


def numbers(step: Any) -> Iterator[int]:
    """Yield the whole numbers of a step: those of its arguments, then its results' lengths."""
    for a in step.arguments.values():
        yield from numbers_in(a)
    for shape, _ in step.results:
        yield from shape


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
