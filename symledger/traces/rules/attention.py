"""Scaled dot-product attention, kept whole: the kernel that keeps no score."""

from __future__ import annotations

from typing import Any

from sympy import Piecewise, oo, sqrt

from symledger.ir.scalars import Scalar, X
from symledger.ir.shapes import ONE, Shape, product
from symledger.ir.tensor import Tensor, pointwise
from symledger.notation.verbs import expand
from symledger.traces.kernels.attention import FusedAttention
from symledger.traces.rules.table import At, Made, number, rule
from symledger.traces.rules.views import reshaped


@rule("attention")
def attention(
    at: At, query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None, dropout_p: Any,
    is_causal: Any, scale: Any, enable_gqa: Any,
) -> Made:  # fmt: skip
    """Mix values by softmax of the scaled products of queries and keys."""
    lead = query.shape[:-3]
    q, k, v = (fourth(at, x, lead) for x in (query, key, value))
    (_, h, T, d), (_, h_kv, S, _) = q.shape, k.shape
    if not at.divides(h_kv, h) or v.shape[1] != h_kv:
        raise at.refused(f"{h} heads of queries cannot share {h_kv} of keys and values.")
    if number(dropout_p) == ONE:
        raise at.refused("dropout of everything is not understood: give p below 1.")
    mask = None if attn_mask is None else grouped(at, attn_mask, q.shape, h_kv, lead)
    kernel = FusedAttention(
        h, h_kv, 1 / sqrt(d) if scale is None else number(scale), bool(is_causal),
        at.is_least(T, S), mask is not None, number(dropout_p),
    )  # fmt: skip
    entering = (q, k, v) if mask is None else (q, k, v, mask)
    return reshaped(at, kernel(*entering, name="attention"), at.shape)


SEEN = Scalar((X,), Piecewise((0, X > 0), (-oo, True)))
"""A truth as what is added to a score: PyTorch turns masks of truths into masks of numbers."""


def fourth(at: At, x: Tensor, lead: Shape) -> Tensor:
    """Return a tensor with four axes: what leads is one axis, as long for all."""
    if x.rank < 3:
        return reshaped(at, x, (*(ONE,) * (4 - x.rank), *x.shape))
    x = expand(x, (*lead, *x.shape[-3:])) if x.shape[:-3] != lead else x
    return reshaped(at, x, (product(lead), *x.shape[-3:]))


def grouped(at: At, mask: Tensor, queries: Shape, h_kv: Any, lead: Shape) -> Tensor:
    """Return a mask with five axes: examples, groups of heads, heads of a group, T, S."""
    h = queries[1]
    shape = (*(ONE,) * (4 - mask.rank), *mask.shape)
    if len(shape) > 4:
        first = mask.shape[:-3]
        if first != lead and product(first) != ONE:
            raise at.refused("a mask that is the same along some leading axes is not understood.")
        shape = (product(first), *mask.shape[-3:])
    heads = (ONE, ONE) if shape[1] == ONE else (h_kv, h / h_kv)
    mask = reshaped(at, mask, (shape[0], *heads, *shape[2:]))
    return pointwise(SEEN, mask) if mask.storage == "mask" else mask
