"""Contraction by a pattern: ``einsum``, the one operation that multiplies and sums."""

from __future__ import annotations

from functools import cache

from sympy import Expr

from symledger.errors import PatternError, ShapeError, quoted
from symledger.ir.ops import Contract, Pairs
from symledger.ir.patterns import parse
from symledger.ir.shapes import Shape, show
from symledger.ir.tensor import Tensor
from symledger.notation.adapting import adapted
from symledger.notation.products import operands


def einsum(pattern: str, left: Tensor, right: Tensor, pairs: Pairs | None = None,
           mask: Tensor | None = None) -> Tensor:  # fmt: skip
    """Contract two tensors: multiply along shared indices, sum those that the result lacks.

    At least one index is summed, and every index stands in at least two of the three tensors.

    Raises:
        PatternError: the pattern breaks one of these rules.
        ShapeError: an operand has other axes than its pattern, or a shared index two lengths.

    >>> from symledger.notation.leaves import param
    >>> from symledger.sizes import B, d_in, d_out
    >>> einsum("... i, i o -> ... o", param("x", B, d_in), param("W", d_in, d_out))
    Contract[B d_out]
    """
    op, shape = _contracted(pattern, left.shape, right.shape, pairs)
    left, right = operands(op, left, right)
    made = Tensor(op, (left, right, mask) if mask is not None else (left, right), shape)
    return adapted(made)


@cache
def _contracted(
    pattern: str, left: Shape, right: Shape, pairs: Pairs | None
) -> tuple[Contract, Shape]:
    """The operation and the shape of its result; most contractions occur many times."""
    parsed = parse(pattern)
    if len(parsed.inputs) != 2 or len(parsed.outputs) != 1:
        raise PatternError(f'{quoted(pattern)} must contract two tensors into one.')
    lead = max(o.lead(len(shape)) for o, shape in zip(parsed.inputs, (left, right), strict=True))
    operands = [o.opened(lead).names for o in (*parsed.inputs, *parsed.outputs)]
    sizes: dict[str, Expr] = {}
    for indices, shape in zip(operands, (left, right), strict=False):
        if len(indices) != len(shape):
            raise ShapeError(
                f"{quoted(pattern)} names {len(indices)} axes, but {show(shape)} arrived."
            )
        for index, length in zip(indices, shape, strict=True):
            if sizes.setdefault(index, length) != length:
                raise ShapeError(
                    f'{quoted(pattern)} was given {show(left)} and {show(right)}: '
                    f"index {index} is {sizes[index]} in one and {length} in the other."
                )
    _check(pattern, *operands)
    if pairs and not {pairs.query, pairs.key} <= sizes.keys():
        raise PatternError(f'{quoted(pattern)} has no index {pairs.query} or {pairs.key} to mask.')
    first, second, out = operands
    return Contract(first, second, out, pairs), tuple(sizes[index] for index in out)


def _check(pattern: str, left: tuple[str, ...], right: tuple[str, ...],
                    out: tuple[str, ...]) -> None:  # fmt: skip
    for operand in (left, right, out):
        if len(set(operand)) != len(operand):
            raise PatternError(f'{quoted(pattern)} repeats an index in one tensor.')
    for index in dict.fromkeys((*left, *right, *out)):
        if (index in left) + (index in right) + (index in out) < 2:
            raise PatternError(
                f'{quoted(pattern)}: index {index} stands in only one tensor. Sum a lone '
                'axis first.'
            )
    if not set(left) & set(right) - set(out):
        raise PatternError(f'{quoted(pattern)} sums nothing: write a pointwise product instead.')
