"""FLOPs, counted: each operation is done once more by NumPy, on what notices being computed with.

A contraction's multiplications and additions are counted apart from all other work. What finds the
place of a maximum is left out: it repeats the comparisons that found the maximum itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import repeat
from operator import length_hint
from typing import Any

import numpy as np

from symledger.checks.trial import Array, Recorder, Trial
from symledger.ir.ops import Contract, MaxIndex, Scatter
from symledger.ir.tensor import Call, Tensor
from symledger.readings.numpy.arithmetic import Arithmetic
from symledger.readings.numpy.interpreter import Machine
from symledger.readings.numpy.products import contracted
from symledger.readings.numpy.values import gathered


@dataclass
class Meter:
    """How many elementary operations were done, and how many of them in each kind of work."""

    done: int = 0
    kinds: dict[str, int] = field(
        default_factory=lambda: {"contraction": 0, "pointwise": 0, "place": 0}
    )


class Unknown:
    """A number without a value, of which is noticed that something is computed from it."""


UNKNOWN = Unknown()
MANY = 2**60
"""More than is ever done."""
STORE = repeat(UNKNOWN, MANY)
"""Whatever is computed is taken from here, by no code of Python: what is missing was computed."""
for operation in ("__add__", "__radd__", "__sub__", "__mul__", "__rmul__", "__ge__", "__gt__"):
    setattr(Unknown, operation, staticmethod(partial(next, STORE)))

OPERANDS: Mapping[str, int] = {
    "neg": 1, "sqrt": 1, "rsqrt": 1, "exp": 1, "log": 1, "tanh": 1, "sin": 1, "cos": 1, "erf": 1,
    "floor": 1, "mod": 2, "power": 2, "+": 2, "-": 2, "*": 2, "/": 2, "<": 2, "<=": 2, ">": 2,
    ">=": 2, "select": 3,
}  # fmt: skip
"""Each line of scalar code, by its number of operands. Each counts one."""
LINES: Mapping[int, Callable[..., Unknown]] = {
    1: partial(next, STORE), 2: lambda x, y: next(STORE), 3: lambda x, y, z: next(STORE),
}  # fmt: skip


def unknown(like: Array) -> Array:
    """Return an array of numbers without values, of the shape of another one."""
    return np.full(np.shape(like), UNKNOWN)


UNKNOWNS = Arithmetic({
    "copy": np.array,  # moves a value, computes nothing
    **{name: np.frompyfunc(LINES[number], number, 1) for name, number in OPERANDS.items()},
}, unknown, np.einsum)  # fmt: skip
"""How numbers without values are computed with."""


def noticed(compute: Callable[[], Any]) -> int:
    """Return how many elementary operations are done on numbers without values."""
    before = length_hint(STORE)
    compute()
    return before - length_hint(STORE)


@cache
def work(pattern: str, *shapes: tuple[int, ...]) -> int:
    """Return how many elementary operations NumPy's sum of products does, by doing it.

    Pattern and shapes are all that it is told, so what is asked again is not done again.
    """
    return noticed(lambda: np.einsum(pattern, *(np.full(shape, UNKNOWN) for shape in shapes)))


class CountingMachine(Recorder):
    """A machine that counts what it does, contractions apart from other work.

    It runs on floats, for the values. Each operation is done once more by another machine, on
    numbers that notice it; at the same shapes that is as much, and is not done again. Where masked
    pairs are skipped contractions alone are counted.
    """

    def __init__(self, sizes: Mapping[Any, int], skip_masked: bool = False) -> None:
        self.meter = Meter()
        super().__init__(sizes, Arithmetic(contract=self.contract, skip_masked=skip_masked))
        self.noticing = None if skip_masked else Machine(self.sizes, UNKNOWNS)
        self.known: dict[Hashable, int] = {}

    def contract(self, pattern: str, *factors: Array) -> Array:
        """Return a contraction, and count its multiplications and additions."""
        self.meter.done += work(pattern, *(x.shape for x in factors))
        return contracted(pattern, *(x.astype(float) for x in factors))

    def execute(self, t: Tensor, args: list[Array]) -> Array:
        """Execute one operation, and note how much and what kind of work it was."""
        before = self.meter.done
        result = super().execute(t, args)
        if self.noticing and not isinstance(t.op, Contract):
            self.meter.done += self._work(self.noticing, t, args)
        self.meter.kinds[_kind(t)] += self.meter.done - before
        return np.asarray(result)

    def _work(self, noticing: Machine, t: Tensor, args: list[Array]) -> int:
        """How much one operation is that is no contraction; on places alone it is none."""
        key = t.op, self.shape_of(t), *((x.shape, x.dtype.kind) for x in args)
        if key not in self.known or isinstance(t.op, Scatter):  # where rows come to is no shape
            self.known[key] = noticed(lambda: noticing.execute(t, [_noticing(x) for x in args]))
        return self.known[key]

    def whole_numbers(self, made: Array) -> Array:
        """Return places as they were computed: what is made of them is computed, too."""
        return made if self.noticing else super().whole_numbers(made)

    def gathered(self, leaf: Tensor, each: list[Array], call: Call) -> Array:
        """Return the gradient of a leaf of a body, and count what adds it up."""
        if self.noticing:
            self.meter.done += noticed(lambda: gathered(leaf, [_noticing(x) for x in each], call))
        return super().gathered(leaf, each, call)

    def take(self) -> dict[str, int]:
        """Return what was counted since the last time; what no operation did is pointwise."""
        counts, done = self.meter.kinds, self.meter.done
        counts["pointwise"] += done - sum(counts.values())
        self.meter.done, self.meter.kinds = 0, dict.fromkeys(counts, 0)
        return counts


def _noticing(x: Array) -> Array:
    return x if x.dtype.kind == "i" else unknown(x)


@dataclass(frozen=True)
class Count:
    """The operations of one run by kind of work, and how far it was from the run of all pairs."""

    forward: dict[str, int]
    backward: dict[str, int]
    deviation: float = 0.0


def forward(trial: Trial) -> Count:
    """Run a trial again and count, forward alone."""
    machine = CountingMachine(trial.sizes)
    machine.run(trial.program, trial.leaves)
    return Count(machine.take(), {})


def count(trial: Trial, skip_masked: bool = False) -> Count:
    """Run a trial again and count, forward and backward.

    With ``skip_masked`` the pairs that a mask hides are left out of the contractions, which alone
    are counted then; the results must be the same.
    """
    machine = CountingMachine(trial.sizes, skip_masked)
    values = machine.run(trial.program, trial.leaves)
    done = machine.take()
    gradients = machine.back(trial.pull, values, trial.seeds)
    backward = machine.take()
    if not skip_masked:
        return Count(done, backward)
    pairs = [(values[t], trial.values[t]) for t in trial.program.outputs]
    pairs += [(g, trial.gradients[leaf]) for leaf, g in gradients.items()]
    return Count(done, backward, max((_apart(a, b) for a, b in pairs), default=0.0))


def _apart(a: Array, b: Array) -> float:
    size = np.max(np.abs(b), initial=0)
    return float(np.max(np.abs(a.astype(float) - b), initial=0) / (1 + size))


def _kind(t: Tensor) -> str:
    """What kind of work an operation is; where a maximum stands is found together with it."""
    match t.op:
        case Contract():
            return "contraction"
        case MaxIndex() | Scatter(taken="number"):
            return "place"
        case _:
            return "pointwise"
