"""The arrays of an execution, and those of every application of the bodies that it repeats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from symledger.ir.tensor import Call, Tensor
from symledger.readings.numpy.arithmetic import Array


@dataclass
class Values:
    """The arrays of one execution, and those of each application of each repeated body.

    ``leaves`` is what it was given; from there a body that is run again takes its weights.
    """

    arrays: dict[Tensor, Array]
    inner: dict[Tensor, list[Values]] = field(default_factory=dict)
    leaves: Mapping[Tensor, Array] = field(default_factory=dict)

    def __getitem__(self, t: Tensor) -> Array:
        return self.arrays[t]


def stacked(each: list[Array], call: Call) -> Array:
    """Stack what each application gives, in the order of the axis that it goes along."""
    return np.stack(each[::-1] if call.reverse else each, axis=call.axis)


def gathered(leaf: Tensor, each: list[Array], call: Call) -> Array:
    """The gradient of a slice, a weight or a constant input, from those of all applications."""
    if leaf in call.sliced:
        return stacked(each, call)
    if leaf not in call.body.inputs and not call.shared:
        return np.stack(each)
    total = each[-1]
    for g in each[-2::-1]:
        total = total + g
    return total


def solved(triangle: Array, x: Array, back: bool) -> Array:
    """What is left of each row when the rows before it were taken off, or those after it."""
    number = x.shape[-2]
    done: dict[int, Array] = {}
    for i in reversed(range(number)) if back else range(number):
        row = x[..., i, :]
        for k, known in done.items():
            weight = triangle[..., k, i] if back else triangle[..., i, k]
            row = row - weight[..., None] * known
        done[i] = row
    return np.stack([done[i] for i in range(number)], axis=-2)
