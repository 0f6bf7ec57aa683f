"""Runs in which no array that matters is hidden by zeros, and those that are compared with one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

import numpy as np
from sympy import Symbol

from symledger.checks.trial import Again, Array, Remembering, Trial
from symledger.ir.ops import Const, Pad
from symledger.ir.tensor import Call, CallBack, Pullback, Tensor
from symledger.readings.numpy.values import Values


class Revealing(Remembering):
    """A machine whose tables are not all zeros, which would hide what they are multiplied with.

    It also keeps the gradients that decide of every backward pass, its own and those of bodies, in
    the order in which the passes begin.
    """

    def __init__(self, sizes: Mapping[Symbol, int]) -> None:
        super().__init__(sizes)
        self.passes: list[dict[Tensor, Array]] = []

    def back(
        self, pull: Pullback, values: Values, seeds: Mapping[Tensor, Array]
    ) -> dict[Tensor, Array]:
        """Execute a backward program, and keep what it gives."""
        kept: dict[Tensor, Array] = {}
        self.passes.append(kept)
        found = super().back(pull, values, seeds)
        kept.update((t, found[leaf]) for leaf, t in pull.gradients.items())
        return found

    def make(self, t: Tensor, args: list[Array]) -> Array:
        """Execute one operation; start a recurrence from a half where it starts from zeros."""
        made = super().make(t, args)
        hiding = isinstance(t.op, Const) and t.rank > 0 and not made.any()
        return made + 0.5 if hiding else made


class Revealed(Trial):
    """A trial on such a machine."""

    @cached_property
    def machine(self) -> Revealing:
        """The machine that made ``values`` and ``gradients``."""
        return Revealing(self.sizes)


class Differs(Exception):
    """A gradient is another one than it was."""


class Comparing(Again):
    """Executes what an altered array changes, up to the first gradient that is another one.

    In a body that is the gradient of a weight that each application has one of its own: the sum of
    those of several may be what it was.
    """

    def __init__(self, trial: Revealed) -> None:
        super().__init__(trial.machine)
        self.passes = iter(trial.machine.passes)
        self.deciding = {*_deciding(trial.pull)}
        self.expected: Mapping[Tensor, Array] = {}

    def back(
        self, pull: Pullback, values: Values, seeds: Mapping[Tensor, Array]
    ) -> dict[Tensor, Array]:
        """Execute a backward program beside what it gave before."""
        outer, self.expected = self.expected, next(self.passes)
        found = super().back(pull, values, seeds)
        self.expected = outer
        return found

    def execute(self, t: Tensor, args: list[Array]) -> Array:
        """Execute one operation.

        Raises:
            Differs: it is a gradient that decides, and another one than before.
        """
        made = super().execute(t, args)
        known = self.expected.get(t) if t in self.deciding else None
        if known is not None and not np.array_equal(made, known):
            raise Differs
        return made


def _deciding(pull: Pullback) -> Iterator[Tensor]:
    """Yield gradients that differ only where one of the whole backward program does."""
    yield from pull.gradients.values()
    yield from _in_bodies(pull, pull.gradients)


def _in_bodies(pull: Pullback, leaves: Collection[Tensor]) -> Iterator[Tensor]:
    for back in (t.op for t in pull.tensors if isinstance(t.op, CallBack)):
        assert isinstance(back.call.op, Call)
        if not back.call.op.shared:
            for body in back.bodies:
                yield from (g for leaf, g in body.gradients.items() if leaf in leaves)
                yield from _in_bodies(body, leaves)


class Filled(Revealing):
    """One that fills gradients of slices up with other numbers than zeros."""

    def make(self, t: Tensor, args: list[Array]) -> Array:
        """Execute one operation; what a Pad puts around a tensor is a half."""
        made = super().make(t, args)
        if not isinstance(t.op, Pad):
            return made
        start, number = self.length(t.op.start), args[0].shape[t.op.axis]
        filled = np.full_like(made, 0.5)
        place = (slice(None),) * t.op.axis + (slice(start, start + number),)
        filled[place] = args[0]
        return filled
