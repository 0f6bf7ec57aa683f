"""The inputs and weights of a program: their shapes, and arrays drawn at random."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from sympy import Expr

from symledger.ir.ops import Input, Param
from symledger.ir.shapes import Shape
from symledger.ir.tensor import Call, Program, Tensor
from symledger.readings.numpy.arithmetic import Array


def own_leaves(program: Program) -> Iterator[tuple[Tensor, Shape]]:
    """Yield inputs and weights with their full shapes, bodies' stacked by application."""
    for t in program.tensors:
        if isinstance(t.op, Input | Param):
            yield t, t.shape
        if isinstance(t.op, Call):
            for leaf, shape in own_leaves(t.op.body):
                if leaf not in t.op.body.inputs:
                    yield leaf, shape if is_shared(leaf, t.op) else (t.op.times, *shape)


def is_shared(leaf: Tensor, call: Call) -> bool:
    """Whether all applications of a body have a leaf in common: weights, where they are shared."""
    return call.shared and isinstance(leaf.op, Param)


def random_leaves(
    program: Program, length: Callable[[Expr], int], rng: np.random.Generator
) -> dict[Tensor, Array]:
    """Draw inputs and weights: normal values, whole numbers below their bound, masks, chances.

    ``length`` says what a size is as a number.
    """
    drawn: dict[Tensor, Array] = {}
    for leaf, symbolic in own_leaves(program):
        shape = tuple(map(length, symbolic))
        op = leaf.op
        if isinstance(op, Input) and op.below is not None:
            drawn[leaf] = whole_numbers(rng, length(op.below), shape)
        elif isinstance(op, Input) and op.keep is not None:
            drawn[leaf] = (rng.random(shape) < float(op.keep)).astype(float)
        elif isinstance(op, Input) and (op.chance or op.drawn):
            drawn[leaf] = rng.uniform(0.1, 0.9, shape)
        else:
            drawn[leaf] = rng.standard_normal(shape)
    return drawn


def whole_numbers(rng: np.random.Generator, below: int, shape: tuple[int, ...]) -> Array:
    """Draw whole numbers; where there are but two, both occur."""
    if below == 2:
        return rng.permutation(math.prod(shape)).reshape(shape) % 2
    return rng.integers(0, below, shape)
