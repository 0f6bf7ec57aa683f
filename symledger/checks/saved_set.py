"""The saved set: enough for the backward pass, nothing more, and as many bytes as stated.

A fresh executor holds the saved arrays, the weights and the incoming gradient, and nothing else.
It must reproduce every gradient bit for bit. Then each saved array in turn is given other values;
some gradient must change, in one of several draws: few numbers may all be rectified to zero, and
hide what is behind them. This is stricter than filling it with NaN, which would also pass through a
product with zero. What is read but cancels, as does what exponents are lessened by, or meets the
zeros that the gradient of a slice is filled up with, has to change one where those, and all else
that is saved, have other values: automatic differentiation knows nothing of such identities, and
keeps it. Last, the bytes of the arrays held are compared with the formula, and each is looked at
whether it can be stored as is stated.

Bytes are those of a run that remembers nothing: what applications of a repeated body make of the
same arrays is equal, and yet each keeps one of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from sympy import Expr

from symledger.checks.exact import value
from symledger.checks.revealed import Comparing, Differs, Filled, Revealed, Revealing
from symledger.checks.storage import unfit
from symledger.checks.substitution import Bytes
from symledger.checks.trial import Again, Array, Trial
from symledger.errors import DefinitionError
from symledger.evidence.claims import Claim
from symledger.evidence.comparison import Evidence
from symledger.ir.ops import Const, Param, Repeat, View
from symledger.ir.tensor import Result, Tensor
from symledger.readings.numpy.interpreter import Machine
from symledger.readings.numpy.values import Values
from symledger.readings.saved import Kept, KeptBody, KeptState, is_result, kept, root

Place = tuple[int, ...]
"""Where a saved array stands: the calls and applications on the way to it, then its tensor."""

Given = dict[Tensor, Array | None]
"""What is known of the tensors that enter an application; None where nothing is held."""


STRETCHED = 8
"""How much larger an altered number is than it would be: more than any bound is away."""


STIRRED = 0.25
"""By what share numbers differ, at most, where all of them are others."""


DRAWS = 4
"""In how many further draws an array is looked at that no gradient depends on in those before."""


@dataclass
class Holder:
    """Holds saved arrays, each under the place where it was made; one of them may be altered.

    All others are ``stirred`` where they are to be no longer what one forward pass gives.
    """

    machine: Machine
    altered: Place | None = None
    stirred: bool = False
    stretched: int = STRETCHED
    held: dict[Place, tuple[Tensor, Array]] = field(default_factory=dict)

    def hold(self, place: Place, t: Tensor, array: Array) -> Array:
        """Keep an array, or, in its place, its values in reverse order of size.

        Numbers are stretched too, beyond where functions are cut off. Copies along an axis are
        stored where nothing is altered: NumPy shows one element several times instead.
        """
        if isinstance(t.op, Repeat) and self.altered is None:
            array = np.array(array)
        if place == self.altered:
            array = np.max(array, initial=0) - array
            array = array * self.stretched if array.dtype.kind == "f" else array
        elif self.stirred and array.dtype.kind == "f":
            array = array * (1 + STIRRED * np.cos(np.arange(array.size)).reshape(array.shape))
        self.held[place] = (t, array)
        return array

    def restrict(
        self, k: Kept, full: Values, given: dict[Tensor, Array], place: Place = ()
    ) -> Values:  # fmt: skip
        """Return what is left of an execution: the saved arrays, weights, and what is ``given``.

        What a recomputed block draws at random is at hand again, and so is what repeated bodies
        in it draw.
        """
        arrays = {t: a for t, a in full.arrays.items() if isinstance(t.op, Param)}
        arrays |= {t: full[t] for t in k.redrawn} | given
        for t in k.roots:
            arrays[t] = self.hold((*place, t.order), t, full[t])
        inner = {t: a for t, a in full.leaves.items() if t not in full.arrays}
        left = Values(arrays, leaves=inner)
        for body in sorted(k.bodies, key=lambda b: b.call.order):
            self._repeated(body, full, left, place)
        return left

    def _repeated(self, k: KeptBody, full: Values, left: Values, place: Place) -> None:
        """Leave of every application what is kept; then of its results what those give."""
        number = len(full.inner[k.call])
        entering = dict(zip(k.op.body.inputs, k.call.args, strict=True))
        seen = {x: self._seen(y, left) for x, y in entering.items()}
        given = [self._given(k, seen, i, number) for i in range(number)]
        for s in k.states:
            self._sequence(k, s, full, left, given, (*place, k.call.order))
        left.inner[k.call] = []
        for i, inner in enumerate(full.inner[k.call]):
            own = k.at(i, number)
            known = {t: a for t, a in given[i].items() if a is not None}
            left.inner[k.call].append(self.restrict(own, inner, known, (*place, k.call.order, -i)))
        for t in (t for t in full.arrays if is_result(t, k.call)):
            self._given_back(k, t, left)

    def _given(self, k: KeptBody, seen: Given, i: int, number: int) -> Given:
        """What is known to application i of what enters it: of states, only what enters first."""
        known = {x: a for x, a in seen.items() if i == 0 or x not in k.op.carried}
        slices = {x: seen[x] for x in k.op.sliced}
        return known | {
            x: None if a is None else self.machine.at(a, k.op, i, number) for x, a in slices.items()
        }

    def _sequence(
        self, k: KeptBody, s: KeptState, full: Values, left: Values, given: list[Given],
        place: Place,
    ) -> None:  # fmt: skip
        """Put a carried state where it is kept: as a result, and as what enters next."""
        result = k.op.body.outputs[k.op.carried.index(s.formal)]
        whole = left.arrays.get(s.stack) if s.stack else None
        number = len(given)
        for i, inner in enumerate(full.inner[k.call]):
            between = (s.enters or s.leaves) and (s.arrives or i < number - 2)
            stored = s.last if i == number - 1 else between
            if whole is not None:
                found = self.machine.at(whole, k.op, i, number)
            elif stored and not s.stack:
                found = self.hold((*place, s.formal.order, i), s.result, inner[s.result])
            else:
                continue
            given[i][s.result] = found
            if i + 1 < number:
                given[i + 1][s.formal] = self._again(result, s.result, found)

    def _given_back(self, k: KeptBody, t: Tensor, left: Values) -> None:
        """Make a result of a Call from what its applications hold, where they hold it."""
        op = t.op if isinstance(t.op, Result) else Result(k.op.body.outputs[0])
        each = [self._seen(op.leaf, inner) for inner in left.inner[k.call]]
        if each[-1] is not None and (op.axis is None or all(a is not None for a in each)):
            held = [Values({op.leaf: a}) for a in each if a is not None]
            left.arrays.setdefault(t, self.machine.result(k.op, op, held))

    def _seen(self, t: Tensor, values: Values) -> Array | None:
        """An array that can be read off what is held, through views; a table is made again."""
        below = root(t)
        if isinstance(below.op, Const):
            return self._again(t, below, self.machine.execute(below, []))
        return self._again(t, below, values[below]) if below in values.arrays else None

    def _again(self, t: Tensor, below: Tensor, array: Array) -> Array:
        if t is below:
            return array
        assert isinstance(t.op, View)
        return self.machine.execute(t, [self._again(t.args[0], below, array)])


def saved_set(trial: Trial, formula: Expr, bytes_of: Bytes, k: Kept | None = None) -> Evidence:
    """Check what is kept for the backward pass.

    Args:
        trial: the run that shows what the gradients are.
        formula: the bytes of the saved set.
        bytes_of: the bytes of an element of each storage class, as in the formula.
        k: what is kept; what the reading lists, if nothing else is given.
    """
    shown = Revealed(trial.program, trial.pull, trial.sizes, trial.seed)
    kept_ = k or kept(shown.pull)
    holder = Holder(shown.machine)
    left = holder.restrict(kept_, shown.values, {})
    wrong = _not_reproduced(shown, left)
    if not wrong:
        needless = _needless(shown, kept_, list(holder.held))
        wrong = [f"{holder.held[p][0]} is kept, but no gradient depends on it" for p in needless]
    stated, stored = value(formula, trial.sizes), bytes_held(trial, kept_, bytes_of)
    if stated != stored:
        wrong.append(f"the formula gives {stated} bytes, the arrays held take {stored}")
    wrong += filter(None, (unfit(t, array) for t, array in holder.held.values()))
    return Evidence(
        "memory.saved", Claim("saved", (len(holder.held),)),
        (trial.point,), trial.seed, str(abs(stated - stored)), not wrong, "; ".join(wrong[:3]),
    )  # fmt: skip


def _not_reproduced(trial: Revealed, left: Values) -> list[str]:
    try:
        found = Revealing(trial.sizes).back(trial.pull, left, trial.seeds)
    except DefinitionError as missing:
        return [str(missing)]
    path = trial.program.path
    return [
        f"the gradient of {path(leaf)} differs"
        for leaf, gradient in trial.gradients.items()
        if not np.array_equal(gradient, found[leaf])
    ]


def _needless(trial: Revealed, k: Kept, places: list[Place]) -> list[Place]:
    """Return the places of arrays that no gradient depends on in any draw."""
    for draw in range(1 + DRAWS):
        other = replace(trial, seed=trial.seed + draw) if draw else trial
        if places and other.gradients:  # made before they are compared with
            places = [place for place in places if not _has_effect(other, k, place)]
    return places


def _has_effect(trial: Revealed, k: Kept, place: Place) -> bool:
    """Whether a gradient is another one where a saved array is."""
    holder = Holder(Again(trial.machine), place)
    left = holder.restrict(k, trial.values, {})
    try:
        with np.errstate(all="ignore"):
            found = Comparing(trial).back(trial.pull, left, trial.seeds)
    except Differs:
        return True
    if any(not np.array_equal(g, found[leaf]) for leaf, g in trial.gradients.items()):
        return True
    return _reads(trial, k, place)


def _reads(trial: Revealed, k: Kept, place: Place) -> bool:
    """Whether a gradient depends on an array where all that is saved beside it has other values.

    It is made larger than any of these, and then less. Of results that are sliced, what is left out
    gets a gradient as well: an implementation multiplies by those zeros.
    """
    found = []
    for altered, stretched in ((None, 1), (place, STRETCHED), (place, -STRETCHED)):
        holder = Holder(Again(trial.machine), altered, stirred=True, stretched=stretched)
        left = holder.restrict(k, trial.values, {})
        with np.errstate(all="ignore"):
            found.append(Filled(trial.sizes).back(trial.pull, left, trial.seeds))
    plain, *others = found
    return any(
        not np.allclose(plain[leaf], other[leaf], equal_nan=True)
        for leaf in trial.gradients for other in others
    )  # fmt: skip


def bytes_held(trial: Trial, k: Kept, bytes_of: Bytes) -> int:
    """Return the bytes of the distinct arrays held: of two that share memory, the larger one."""
    holder = Holder(Machine(trial.sizes))
    holder.restrict(k, trial.values, {})
    distinct: list[Array] = []
    total = 0
    for t, array in sorted(holder.held.values(), key=lambda held: -held[1].size):
        if not any(np.shares_memory(array, other) for other in distinct):
            distinct.append(array)
            total += array.size * bytes_of[t.storage]
    return total
