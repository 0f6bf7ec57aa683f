"""Traffic against the arrays that a run hands to each operation and takes from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from sympy import Expr, Symbol

from symledger.checks.substitution import Bytes, against_arrays
from symledger.checks.trial import Array, Trial
from symledger.evidence.comparison import Evidence
from symledger.ir.ops import (
    Const,
    Contract,
    Gather,
    Input,
    Param,
    Repeat,
    Slice,
    View,
    Windows,
)
from symledger.ir.tensor import Call, Tensor
from symledger.readings.numpy.interpreter import Machine
from symledger.readings.numpy.values import Values


class Carrier(Machine):
    """A machine that weighs what every operation reads and writes.

    ``moved`` is the bytes of all arguments and results; ``weights_read`` the bytes of each weight
    that was read, of a looked-up or sliced table only the rows that were picked.
    """

    def __init__(self, sizes: Mapping[Symbol, int], bytes_of: Bytes) -> None:
        super().__init__(sizes)
        self.bytes_of = bytes_of
        self.moved = 0
        self.whole: dict[int, int] = {}
        self.picked: dict[int, int] = {}
        self.seen: dict[Tensor, int] = {}

    def execute(self, t: Tensor, args: list[Array]) -> Array:
        """Execute one operation, and weigh its arrays; what windows show is weighed once."""
        result = super().execute(t, args)
        if isinstance(t.op, Windows):
            self.seen[t] = self.seen.get(t.args[0], args[0].size)
        elif isinstance(t.op, View) and t.args[0] in self.seen:
            self.seen[t] = self.seen[t.args[0]]
        if isinstance(t.op, Gather):
            self._weigh(t, t.args[1], args[1], result)
            self._read(t.args[0], args[0], self.picked, result.size)
        elif not isinstance(t.op, View | Repeat | Const):
            used = list(zip(t.args, args, strict=True))[: 2 if isinstance(t.op, Contract) else None]
            self.moved += sum(
                self.seen.get(arg, x.size) * self.bytes_of[arg.storage] for arg, x in used
            )
            self.moved += result.size * self.bytes_of[t.storage]
        for arg, x in zip(t.args, args, strict=True):
            if isinstance(t.op, Slice):
                self._read(arg, x, self.picked, result.size)
            elif not isinstance(t.op, Gather):
                self._read(arg, x, self.whole, x.size)
        return result

    def _call(self, t: Tensor, call: Call, args: list[Array], values: Values) -> Array:
        """Execute a repetition; what is handed to it is read, whatever it is there."""
        for arg, x in zip(t.args, args, strict=True):
            self._read(arg, x, self.whole, x.size)
        return super()._call(t, call, args, values)

    def _weigh(self, t: Tensor, index: Tensor, places: Array, rows: Array) -> None:
        """A lookup reads its index and the rows that it picks, and writes those rows."""
        self.moved += places.size * self.bytes_of[index.storage]
        self.moved += 2 * rows.size * self.bytes_of[t.storage]

    def _read(self, arg: Tensor, x: Array, into: dict[int, int], elements: int) -> None:
        """Note that a weight was read: its whole once, or rows of it every time."""
        if isinstance(arg.op, Param) or (isinstance(arg.op, Input) and arg.op.remembered):
            place = x.ctypes.data
            seen = into.get(place, 0) if into is self.picked else 0
            into[place] = seen + elements * self.bytes_of["value"]


def moved(
    trials: Sequence[Trial], once: Expr, unfused: Expr, bytes_of: Bytes
) -> tuple[Evidence, Evidence]:
    """Compare both traffic formulas with the bytes that runs at small sizes move."""
    lower: list[int] = []
    total: list[int] = []
    for trial in trials:
        carrier = Carrier(trial.sizes, bytes_of)
        values = carrier.run(trial.program, trial.leaves)
        ends = (*trial.program.inputs, *trial.program.outputs)
        edges = sum(np.size(values[t]) * bytes_of[t.storage] for t in ends)
        picked = sum(n for weight, n in carrier.picked.items() if weight not in carrier.whole)
        lower.append(edges + sum(carrier.whole.values()) + picked)
        total.append(carrier.moved)
    return (
        against_arrays(
            trials, once, lower, "traffic.forward",
            "moved once",
        ),
        against_arrays(
            trials, unfused, total, "traffic.unfused",
            "moved",
        ),
    )  # fmt: skip
