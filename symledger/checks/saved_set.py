"""The saved set: enough for the backward pass, nothing more, and as many bytes as stated.

A fresh executor holds the saved arrays, the weights and the incoming gradient, and nothing else.
It must reproduce every gradient bit for bit. Then each saved array in turn is given other values;
some gradient must change. This is stricter than filling it with NaN, which would also pass through
a product with zero. Last, the bytes of the arrays held are compared with the formula.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from sympy import Expr

from symledger.checks.evidence import Evidence, at_points
from symledger.checks.exact import value
from symledger.checks.substitution import Bytes
from symledger.checks.trial import Array, Trial
from symledger.core.ops import Pad, Param, Rearrange, Slice
from symledger.core.tensor import Tensor
from symledger.errors import DefinitionError
from symledger.readings.numeric import Machine, Values
from symledger.readings.saved import Kept, KeptBody, kept, root

Place = tuple[int, ...]
"""Where a saved array stands: the calls and applications on the way to it, then its tensor."""


@dataclass
class Holder:
    """Holds saved arrays, each under the place where it was made; one of them may be altered."""

    machine: Machine
    altered: Place | None = None
    held: dict[Place, tuple[Tensor, Array]] = field(default_factory=dict)

    def hold(self, place: Place, t: Tensor, array: Array) -> Array:
        """Keep an array, or, in its place, its values in reverse order of size."""
        if place == self.altered:
            array = np.max(array, initial=0) - array
        self.held[place] = (t, array)
        return array

    def restrict(self, k: Kept, full: Values, given: dict[Tensor, Array], at: Place = ()) -> Values:
        """Return what is left of an execution: the saved arrays, weights, and what is ``given``."""
        arrays = {t: a for t, a in full.arrays.items() if isinstance(t.op, Param)}
        arrays.update(given)
        for t in k.roots:
            arrays[t] = self.hold((*at, t.order), t, full[t])
        left = Values(arrays)
        for body in sorted(k.bodies, key=lambda b: b.call.order):
            self._repeated(body, full, left, at)
        return left

    def _repeated(self, k: KeptBody, full: Values, left: Values, at: Place) -> None:
        body, number = k.op.body, len(full.inner[k.call])
        result = body.outputs[0]
        sequence: list[Array | None] = [self._seen(k.call.args[0], left)]
        roots: list[Array | None] = [None]
        for i, inner in enumerate(full.inner[k.call], start=1):
            stored = k.last if i == number else k.enters or k.leaves
            place = (*at, k.call.order, i)
            found = self.hold(place, root(result), inner[root(result)]) if stored else None
            roots.append(found)
            sequence.append(None if found is None else self._again(result, root(result), found))
        constants = {x: self._seen(y, left) for x, y in zip(body.inputs, k.call.args, strict=True)}
        left.inner[k.call] = []
        for i, inner in enumerate(full.inner[k.call]):
            entering = {**constants, body.inputs[0]: sequence[i], root(result): roots[i + 1]}
            given = {t: a for t, a in entering.items() if a is not None}
            own = k.first if k.first and i == 0 else k.each
            left.inner[k.call].append(self.restrict(own, inner, given, (*at, k.call.order, -i)))
        last = sequence[number]
        if last is not None:
            left.arrays[k.call] = last

    def _seen(self, t: Tensor, values: Values) -> Array | None:
        """An array that can be read off what is held, through views."""
        below = root(t)
        return self._again(t, below, values[below]) if below in values.arrays else None

    def _again(self, t: Tensor, below: Tensor, array: Array) -> Array:
        if t is below:
            return array
        assert isinstance(t.op, Rearrange | Slice | Pad)
        return self.machine.execute(t, [self._again(t.args[0], below, array)])


def saved_set(trial: Trial, formula: Expr, bytes_of: Bytes, k: Kept | None = None) -> Evidence:
    """Check what is kept for the backward pass.

    Args:
        trial: the run that shows what the gradients are.
        formula: the bytes of the saved set.
        bytes_of: the bytes of an element of each storage class, as in the formula.
        k: what is kept; what the reading lists, if nothing else is given.
    """
    kept_ = k or kept(trial.pull)
    holder = Holder(Machine(trial.sizes))
    left = holder.restrict(kept_, trial.values, {})
    wrong = _not_reproduced(trial, left)
    if not wrong:
        wrong = [line for place in holder.held for line in _without_effect(trial, kept_, place)]
    stated, stored = value(formula, trial.sizes), _bytes(holder, bytes_of)
    if stated != stored:
        wrong.append(f"the formula gives {stated} bytes, the arrays held take {stored}")
    return Evidence(
        "saved set", "memory.saved",
        f"the saved arrays alone ({len(holder.held)}) reproduce every gradient bit for bit, each "
        f"is needed, and their bytes are those of the formula, {at_points(1)}",
        (trial.point,), trial.seed, str(abs(stated - stored)), not wrong, "; ".join(wrong[:3]),
    )  # fmt: skip


def _not_reproduced(trial: Trial, left: Values) -> list[str]:
    try:
        found = Machine(trial.sizes).back(trial.pull, left, trial.seeds)
    except DefinitionError as missing:
        return [str(missing)]
    path = trial.program.path
    return [
        f"the gradient of {path(leaf)} differs"
        for leaf, gradient in trial.gradients.items()
        if not np.array_equal(gradient, found[leaf])
    ]


def _without_effect(trial: Trial, k: Kept, place: Place) -> list[str]:
    machine = Machine(trial.sizes)
    holder = Holder(machine, place)
    left = holder.restrict(k, trial.values, {})
    with np.errstate(all="ignore"):
        found = machine.back(trial.pull, left, trial.seeds)
    if any(not np.array_equal(g, found[leaf]) for leaf, g in trial.gradients.items()):
        return []
    return [f"{holder.held[place][0]} is kept, but no gradient depends on it"]


def _bytes(holder: Holder, bytes_of: Bytes) -> int:
    """The bytes of the distinct arrays held: of two that share their memory, the larger one."""
    distinct: list[Array] = []
    total = 0
    for t, array in sorted(holder.held.values(), key=lambda held: -held[1].size):
        if not any(np.shares_memory(array, other) for other in distinct):
            distinct.append(array)
            total += array.size * bytes_of[t.storage]
    return total
