"""Gradients against differences: nothing here knows a derivative.

Along a random direction of each leaf, the change of a random weighted sum of the outputs is
compared with what the backward program says. A leaf without a gradient is one whose gradient is
zero, and that is checked too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

import numpy as np

from symledger.checks.trial import Again, Array, Remembering, Trial
from symledger.evidence.claims import Claim
from symledger.evidence.comparison import Evidence, worst_of
from symledger.ir.ops import Map
from symledger.ir.tensor import Tensor
from symledger.readings.numpy.values import Values

STEPS = (1e-5, 1e-6, 1e-7, 1e-8)
"""The step, and shorter ones, where slopes change too fast for it (norms of two numbers, one after
another). The error of a right gradient falls with the square of the step; a wrong one stays."""

CLOSE = 1e-8
"""Tolerance of central differences in float64, relative to the scale of what is summed."""

SHORT_STEPS = (1e-7, 1e-6, 1e-5)
"""The step where slopes jump (relu): so short that it hardly ever meets a jump. Longer ones decide
where so short a one drowns in the rounding of many layers; a wrong gradient is wrong at each."""

LONG_STEPS = (1e-4, 1e-5, 1e-6)
"""Steps of which half is tried as well, where each alone errs by its curve or drowns in rounding:
the two together err by the fourth power of the step (Richardson, 1911); a wrong gradient stays."""

COMPLEX_STEP = 1e-30
EXACT = 1e-12
"""Tolerance of the complex step: rounding alone, which grows with the number of operations."""

Slope = Callable[["Moving", Tensor, Array], tuple[float, float]]


def finite_differences(trial: Trial) -> Evidence:
    """Compare every gradient with central differences in float64, with other steps if need be."""
    steps = SHORT_STEPS if "select" in _functions(trial) else STEPS
    slopes = [partial(_central, step=step) for step in steps]
    slopes += [partial(_extrapolated, step=step) for step in LONG_STEPS]
    return _compared(trial, slopes, CLOSE, "differences")


def complex_step(trial: Trial) -> Evidence | None:
    """Compare every gradient with the imaginary part after an imaginary step.

    None where the program is not analytic: erf is not extended to complex numbers here.
    """
    if "erf" in _functions(trial):
        return None
    return _compared(trial, [_imaginary], EXACT, "complex step")


def _functions(trial: Trial) -> set[str]:
    """What the scalar code of a program does."""
    tensors = (t for body in trial.program.bodies for t in body.tensors)
    return {line.op for t in tensors if isinstance(t.op, Map) for line in t.op.code.lines}


def _compared(trial: Trial, slopes: Sequence[Slope], tolerance: float, claim: str) -> Evidence:
    rng, moving = np.random.default_rng(trial.seed + 2), Moving(trial)
    apart: list[tuple[str, float]] = []
    for leaf in trial.varied:
        direction = rng.standard_normal(trial.leaves[leaf].shape)
        direction /= np.linalg.norm(direction)
        stated = float(np.sum(trial.gradients.get(leaf, np.zeros(())) * direction))
        nearest = math.inf
        for slope in slopes:
            measured, scale = slope(moving, leaf, direction)
            far = abs(measured - stated) / (1 + abs(measured) + scale)
            nearest = far if math.isnan(far) else min(nearest, far)
            if not nearest > tolerance:
                break
        apart.append((trial.program.path(leaf), nearest))
    wrong = [f"{name} is {far:.1e} away" for name, far in apart if not far <= tolerance]
    name = f"{claim} of one" if len(apart) == 1 else claim
    return Evidence(
        "gradients", Claim(name, (len(apart), f"{tolerance:.0e}")),
        (trial.point,), trial.seed, worst_of(far for _, far in apart), not wrong,
        "; ".join(wrong[:3]),
    )  # fmt: skip


def errors_by_step(trial: Trial, steps: Iterable[float]) -> list[float]:
    """Return the relative error of central differences, step by step.

    They go along one random direction of all inputs and weights at once.
    """
    moves, stated = _everywhere(trial)
    errors, moving = [], Moving(trial)
    for step in steps:
        above, below = (moving.along(moves, sign * step)[0] for sign in (1, -1))
        errors.append(_relative((above.real - below.real) / (2 * step), stated))
    return errors


def error_of_complex_step(trial: Trial) -> float | None:
    """Return the relative error of a complex step along that direction; None without one."""
    if "erf" in _functions(trial):
        return None
    moves, stated = _everywhere(trial)
    moved, _ = Moving(trial).along(moves, 1j * COMPLEX_STEP)
    return _relative(moved.imag / COMPLEX_STEP, stated)


def _everywhere(trial: Trial) -> tuple[dict[Tensor, Array], float]:
    """A random direction of all leaves, and what the backward pass says of the slope along it."""
    rng = np.random.default_rng(trial.seed + 3)
    moves = {leaf: rng.standard_normal(trial.leaves[leaf].shape) for leaf in trial.varied}
    length = float(np.sqrt(sum(np.sum(move**2) for move in moves.values())))
    moves = {leaf: move / length for leaf, move in moves.items()}
    found = trial.gradients
    slopes = (np.sum(found[leaf] * move) for leaf, move in moves.items() if leaf in found)
    return moves, float(sum(slopes))


def _relative(measured: float, stated: float) -> float:
    return abs(measured - stated) / max(abs(measured), abs(stated))


def _central(moving: Moving, leaf: Tensor, direction: Array, step: float) -> tuple[float, float]:
    above, scale = moving.weighted(leaf, step * direction)
    below, _ = moving.weighted(leaf, -step * direction)
    return (above.real - below.real) / (2 * step), scale


def _extrapolated(
    moving: Moving, leaf: Tensor, direction: Array, step: float
) -> tuple[float, float]:
    whole, _ = _central(moving, leaf, direction, step)
    half, scale = _central(moving, leaf, direction, step / 2)
    return (4 * half - whole) / 3, scale


def _imaginary(moving: Moving, leaf: Tensor, direction: Array) -> tuple[float, float]:
    moved, scale = moving.weighted(leaf, 1j * COMPLEX_STEP * direction)
    return moved.imag / COMPLEX_STEP, scale


class Moving:
    """A trial of which leaves are moved; what does not depend on them is run once."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        before = Remembering(trial.sizes)
        before.run(trial.program, trial.leaves)
        self.machine = Again(before)

    def weighted(self, leaf: Tensor, step: Array) -> tuple[complex, float]:
        """The outputs weighted with the incoming gradients and summed; the sum of their sizes."""
        return self.along({leaf: step}, 1)

    def along(self, moves: Mapping[Tensor, Array], step: complex) -> tuple[complex, float]:
        """The same where several leaves are moved at once."""
        moved = {leaf: self.trial.leaves[leaf] + step * move for leaf, move in moves.items()}
        leaves = {**self.trial.leaves, **moved}
        return _total(self.trial, self.machine.run(self.trial.program, leaves))


def _total(trial: Trial, values: Values) -> tuple[complex, float]:
    weighted = [
        values[output] * trial.seeds[seed]
        for output, seed in zip(trial.program.outputs, trial.pull.seeds, strict=True)
    ]
    total = complex(sum(np.sum(part) for part in weighted))
    return total, float(sum(np.sum(np.abs(part)) for part in weighted))
