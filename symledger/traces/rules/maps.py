"""Products of matrices: linear maps, and contractions of two tensors."""

from __future__ import annotations

from typing import Any

from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.verbs import einsum
from symledger.traces.kernels.bilinear import BilinearGiven
from symledger.traces.kernels.vectors import OfVectors, RowsByVector
from symledger.traces.rules.table import At, Made, number, rule
from symledger.traces.rules.views import permuted, reshaped


@rule("linear")
def linear(at: At, input: Tensor, weight: Tensor, bias: Tensor | None) -> Made:  # noqa: A002  # PyTorch's names
    """Multiply by a matrix, and add a bias."""
    if weight.rank == 1:
        raise at.refused("a weight that is a vector is not understood.")
    y = einsum("... i, o i -> ... o", input, weight)
    return y if bias is None else y + bias


@rule("matmul")
def matmul(at: At, input: Tensor, other: Tensor) -> Made:  # noqa: A002
    """Multiply matrices, along leading axes that they share."""
    left, right = input, other
    if right.rank == 1:
        return by_vector(left, right)
    if left.rank == 1 and right.rank > 2:
        rows = permuted(right, [*range(right.rank - 2), right.rank - 1, right.rank - 2])
        return by_vector(rows, left)
    if left.rank == 1:
        left = reshaped(at, left, (ONE, *left.shape))
    return reshaped(at, product(at, left, right), at.shape)


@rule("aten.mm", "aten.bmm")
def mm(at: At, self: Tensor, mat2: Tensor) -> Made:
    """Multiply matrices."""
    return product(at, self, mat2)


@rule("aten.dot", "aten.vdot", "aten.mv")
def mv(at: At, self: Tensor, tensor: Any = None, other: Any = None, vec: Any = None) -> Made:
    """Multiply a vector, or the rows of a matrix, by a vector."""
    by = next(x for x in (tensor, other, vec) if x is not None)
    return by_vector(self, by)


def by_vector(x: Tensor, v: Tensor) -> Tensor:
    """Multiply a vector, or all rows of a tensor, by a vector."""
    if x.rank == 1:
        return OfVectors()(x, v, name="product")
    return RowsByVector(x.rank - 1)(x, v, name="product")


@rule("aten.addmm")
def addmm(at: At, self: Tensor, mat1: Tensor, mat2: Tensor, beta: Any, alpha: Any) -> Made:
    """Multiply matrices, and add a tensor."""
    y = product(at, mat1, mat2)
    y = y if number(alpha) == ONE else y * number(alpha)
    return y + (self if number(beta) == ONE else self * number(beta))


@rule("aten.baddbmm")
def baddbmm(at: At, self: Tensor, batch1: Tensor, batch2: Tensor, beta: Any, alpha: Any) -> Made:
    """Multiply matrices one by one, and add a tensor."""
    y = product(at, batch1, batch2)
    y = y if number(alpha) == ONE else y * number(alpha)
    scale = number(beta)
    return y if scale == 0 else y + (self if scale == ONE else self * scale)


def product(at: At, left: Tensor, right: Tensor) -> Tensor:
    """Contract the last axis of one with the last but one of the other.

    Leading axes are shared where they are as long; one of length 1 stands above any.
    """
    lead = max(left.rank, right.rank) - 2
    names, mine, its = [], [], []
    kept: dict[bool, list[int]] = {True: [], False: []}
    for place in range(lead):
        i, j = place - lead + left.rank - 2, place - lead + right.rank - 2
        a = left.shape[i] if i >= 0 else None
        b = right.shape[j] if j >= 0 else None
        name = f"b{place}"
        names.append(name)
        if a is not None and not (a == ONE and b is not None):
            mine.append(name)
            kept[True].append(i)
        if b is not None and not (b == ONE and a is not None and a != ONE) and not (
            a == ONE and b == ONE and name in mine
        ):
            its.append(name)
            kept[False].append(j)
    left, right = squeezed(at, left, kept[True]), squeezed(at, right, kept[False])
    pattern = f"{' '.join(mine)} i k, {' '.join(its)} k j -> {' '.join(names)} i j"
    return einsum(pattern, left, right)


def squeezed(at: At, x: Tensor, places: list[int]) -> Tensor:
    """Leave out leading axes of length 1 that are not among some places."""
    shape = (*(x.shape[i] for i in places), *x.shape[-2:])
    return reshaped(at, x, shape)


@rule("bilinear")
def bilinear(
    at: At, input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None
) -> Made:
    """Contract two inputs with a tensor of three axes."""
    y = BilinearGiven(*weight.shape)(input1, weight, input2, name="bilinear")
    return y if bias is None else y + bias
