"""FLOPs, counted: the program is run on numbers that notice everything that is done to them.

A contraction's multiplications and additions are counted apart from all other work. What finds the
place of a maximum is left out: it repeats the comparisons that found the maximum itself.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import repeat
from operator import length_hint
from typing import Any, Union

import numpy as np

from symledger.checks.trial import Array, Recorder, Trial
from symledger.ir.ops import Contract, MaxIndex, Scatter
from symledger.ir.tensor import Tensor
from symledger.readings.numpy.arithmetic import Arithmetic
from symledger.readings.numpy.products import contracted


@dataclass
class Meter:
    """How many elementary operations were done, and how many of them in each kind of work."""

    done: int = 0
    kinds: dict[str, int] = field(
        default_factory=lambda: {"contraction": 0, "pointwise": 0, "place": 0}
    )


Number = Union["Counted", float]
"""What is computed with: a counting number or a constant."""


class Counted:
    """A real number that adds one to its meter whenever something is computed from it."""

    __slots__ = ("meter", "value")

    def __init__(self, value: float, meter: Meter) -> None:
        self.value = value
        self.meter = meter

    def __add__(self, other: Number) -> Counted:
        meter = self.meter
        meter.done += 1
        n = other.value if isinstance(other, Counted) else other
        return Counted(self.value + n, meter)

    __radd__ = __add__

    def __sub__(self, other: Number) -> Counted:
        self.meter.done += 1
        n = other.value if isinstance(other, Counted) else other
        return Counted(self.value - n, self.meter)

    def __mul__(self, other: Number) -> Counted:
        self.meter.done += 1
        n = other.value if isinstance(other, Counted) else other
        return Counted(self.value * n, self.meter)

    __rmul__ = __mul__

    def __ge__(self, other: Number) -> bool:
        self.meter.done += 1
        return self.value >= plain(other)

    def __gt__(self, other: Number) -> bool:
        self.meter.done += 1
        return self.value > plain(other)

    def __float__(self) -> float:
        return float(self.value)


def plain(x: Number) -> float:
    """Return a number without its meter."""
    return x.value if isinstance(x, Counted) else x


LARGEST = 700
"""What no exponent of a float may be much above."""


def _exp(x: float) -> float:
    """The exponential as NumPy has it, which knows no number that is too large."""
    return math.exp(x) if x < LARGEST else math.inf


ELEMENTARY: Mapping[str, tuple[int, Callable[..., float]]] = {
    "+": (2, operator.add), "-": (2, operator.sub), "*": (2, operator.mul),
    "/": (2, operator.truediv), "neg": (1, operator.neg), "power": (2, operator.pow),
    "sqrt": (1, math.sqrt), "rsqrt": (1, lambda x: 1 / math.sqrt(x)), "exp": (1, _exp),
    "log": (1, math.log), "tanh": (1, math.tanh), "sin": (1, math.sin), "cos": (1, math.cos),
    "floor": (1, math.floor), "mod": (2, operator.mod), "erf": (1, math.erf),
    "<": (2, operator.lt), "<=": (2, operator.le), ">": (2, operator.gt), ">=": (2, operator.ge),
    "select": (3, lambda chosen, a, b: a if chosen else b),
}  # fmt: skip
"""Each line of scalar code: how many operands it has, and what it does. Each counts one."""


@cache
def work(pattern: str, *shapes: tuple[int, ...]) -> int:
    """Return how many elementary operations NumPy's sum of products does, by doing it.

    It runs on an object of which only that something is computed from it is noticed: every sum and
    every product takes one from a store of that object itself, and is made by no code of Python.
    Pattern and shapes are all that it is told, so what is asked again is not done again.
    """

    class Unknown:
        """A number without a value."""

    unknown = Unknown()
    store = repeat(unknown, MANY)
    for operation in ("__add__", "__radd__", "__mul__", "__rmul__"):
        setattr(Unknown, operation, staticmethod(partial(next, store)))
    np.einsum(pattern, *(np.full(shape, unknown) for shape in shapes))
    return MANY - length_hint(store)


MANY = 2**60
"""More than is ever done."""


def contracting(meter: Meter, lift: Callable[[Array], Array]) -> Callable[..., Array]:
    """Return a contraction that reports its multiplications and additions to a meter.

    The same pattern runs twice: by NumPy's sum of products on a number that notices it, and on
    floats, for the values.
    """

    def contract(pattern: str, *factors: Array) -> Array:
        meter.done += work(pattern, *(x.shape for x in factors))
        return lift(contracted(pattern, *(x.astype(float) for x in factors)))

    return contract


def counting(meter: Meter, skip_masked: bool) -> Arithmetic:
    """Return an arithmetic whose numbers report to a meter.

    Where masked pairs are skipped contractions alone do: all else is then done on floats.
    """
    if skip_masked:
        return Arithmetic(contract=contracting(meter, np.asarray), skip_masked=True)

    def one(number: int, compute: Callable[..., float]) -> Callable[..., Array]:
        def once(x: Number) -> Counted:
            meter.done += 1
            return Counted(compute(x.value if isinstance(x, Counted) else x), meter)

        def of_two(x: Number, y: Number) -> Counted:
            meter.done += 1
            a = x.value if isinstance(x, Counted) else x
            return Counted(compute(a, y.value if isinstance(y, Counted) else y), meter)

        def of_several(*args: Number) -> Counted:
            meter.done += 1
            return Counted(compute(*map(plain, args)), meter)

        by_operands: dict[int, Callable[..., Counted]] = {1: once, 2: of_two}  # most work by far
        made: Callable[..., Array] = np.frompyfunc(by_operands.get(number, of_several), number, 1)
        return made

    def lift(x: Array) -> Array:
        out = np.empty(np.shape(x), dtype=object)
        out.ravel()[:] = list(map(Counted, np.ravel(x).astype(float).tolist(), repeat(meter)))
        return out

    functions = {name: one(*line) for name, line in ELEMENTARY.items()}
    functions["copy"] = np.array  # moves a value, computes nothing
    return Arithmetic(functions, lift, contracting(meter, lift))


class CountingMachine(Recorder):
    """A machine on counting numbers that tells contractions from other work."""

    def __init__(self, sizes: Mapping[Any, int], skip_masked: bool) -> None:
        self.meter = Meter()
        super().__init__(sizes, counting(self.meter, skip_masked))

    def execute(self, t: Tensor, args: list[Array]) -> Array:
        """Execute one operation, and note what kind of work it was."""
        before = self.meter.done
        result = super().execute(t, args)
        self.meter.kinds[_kind(t)] += self.meter.done - before
        return np.asarray(result)

    def take(self) -> dict[str, int]:
        """Return what was counted since the last time; what no operation did is pointwise."""
        counts, done = self.meter.kinds, self.meter.done
        counts["pointwise"] += done - sum(counts.values())
        self.meter.done, self.meter.kinds = 0, dict.fromkeys(counts, 0)
        return counts


@dataclass(frozen=True)
class Count:
    """The operations of one run by kind of work, and how far it was from the run on floats."""

    forward: dict[str, int]
    backward: dict[str, int]
    deviation: float


def forward(trial: Trial) -> Count:
    """Run a trial again on counting numbers, forward alone."""
    machine = CountingMachine(trial.sizes, skip_masked=False)
    values = machine.run(trial.program, _lifted(machine, trial.leaves))
    apart = (_apart(values[t], trial.values[t]) for t in trial.program.outputs)
    return Count(machine.take(), {}, max(apart, default=0.0))


def _lifted(machine: CountingMachine, arrays: Mapping[Tensor, Array]) -> dict[Tensor, Array]:
    lift = machine.arithmetic.lift
    return {t: a if a.dtype.kind == "i" else lift(a) for t, a in arrays.items()}


def count(trial: Trial, skip_masked: bool = False) -> Count:
    """Run a trial again on counting numbers, forward and backward.

    With ``skip_masked`` the pairs that a mask hides are left out of the contractions, which alone
    are counted then; the results must be the same.
    """
    machine = CountingMachine(trial.sizes, skip_masked)
    values = machine.run(trial.program, _lifted(machine, trial.leaves))
    done = machine.take()
    gradients = machine.back(trial.pull, values, _lifted(machine, trial.seeds))
    backward = machine.take()
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
