"""Parameters, shapes and decoding state against the arrays that a NumPy run really allocates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from sympy import Expr

from symledger.checks.exact import value, whole
from symledger.checks.trial import Array, Trial, every
from symledger.errors import DefinitionError
from symledger.evidence.claims import Claim
from symledger.evidence.comparison import Evidence, worst_of
from symledger.ir.ops import Param, Storage
from symledger.ir.shapes import ONE, show
from symledger.ir.tensor import Tensor

Bytes = Mapping[Storage, int]
"""How many bytes an element of each storage class takes."""


def parameters(trials: Sequence[Trial], formula: Expr) -> Evidence:
    """Compare a number of parameters with the elements of all weight arrays."""
    return against_arrays(
        trials, formula, [_weights(trial) for trial in trials], "params",
        "weights",
    )  # fmt: skip


def active(trials: Sequence[Trial], formula: Expr) -> Evidence:
    """Compare a number of active parameters with the weight arrays, k of E slices where routed."""
    return against_arrays(
        trials, formula, [_active(trial) for trial in trials], "params.active",
        "active weights",
    )  # fmt: skip


def state(trials: Sequence[Trial], formula: Expr, bytes_of: Bytes) -> Evidence:
    """Compare the bytes kept between decoding steps with the arrays marked as state."""
    return against_arrays(
        trials, formula, [_state(trial, bytes_of) for trial in trials], "memory.kv_cache",
        "state",
    )  # fmt: skip


def against_arrays(
    trials: Sequence[Trial], formula: Expr, measured: Sequence[int | Fraction], quantity: str,
    claim: str,
) -> Evidence:  # fmt: skip
    """Compare a formula with a number measured at each trial."""
    expected = [value(formula, trial.sizes) for trial in trials]
    apart = [abs(a - b) for a, b in zip(expected, measured, strict=True)]
    wrong = [
        f"the formula gives {a}, the arrays {b}"
        for a, b in zip(expected, measured, strict=True)
        if a != b
    ]
    return Evidence(
        quantity, Claim(claim), tuple(trial.point for trial in trials), trials[0].seed,
        worst_of(map(float, apart)), not wrong, "; ".join(wrong),
    )  # fmt: skip


def _weights(trial: Trial) -> int:
    return sum(a.size for leaf, a in trial.leaves.items() if isinstance(leaf.op, Param))


def _active(trial: Trial) -> Fraction:
    total = Fraction(0)
    for leaf, array in trial.leaves.items():
        if isinstance(leaf.op, Param):
            k, E = (whole(n, trial.sizes) for n in leaf.op.used or (ONE, ONE))
            total += Fraction(array.size * k, E)
    return total


def _state(trial: Trial, bytes_of: Bytes) -> int:
    return sum(
        a[:, a.shape[1] - whole(t.state, trial.sizes) :].size * bytes_of[t.storage]
        for values in every(trial.values)
        for t, a in values.arrays.items()
        if t.state is not None
    )


def shapes(trials: Sequence[Trial]) -> Evidence:
    """Compare the shape of every array, forward and backward, with its tensor's symbolic shape.

    The gradient of a leaf has the leaf's shape. A run that stops is a contradiction too.
    """
    wrong = [line for trial in trials for line in _misshapen(trial)]
    number = len(trials[0].machine.made)
    return Evidence(
        "shapes", Claim("shapes", (number,)),
        tuple(trial.point for trial in trials), trials[0].seed,
        str(len(wrong)), not wrong, "; ".join(wrong[:3]),
    )  # fmt: skip


def _misshapen(trial: Trial) -> list[str]:
    lines: list[str] = []
    gradients: dict[Tensor, Array] = {}
    try:
        gradients = trial.gradients
    except (ValueError, IndexError, DefinitionError) as stopped:
        lines.append(f"the run stopped: {stopped}")
    lines += [
        f"{t} came out as {shape}" for t, shape in trial.machine.made if shape != trial.shape(t)
    ]
    return lines + [
        f"the gradient of {trial.program.path(leaf)} = {show(leaf.shape)} came out as {g.shape}"
        for leaf, g in gradients.items()
        if g.shape != trial.shapes[leaf]
    ]
