"""Scaled dot-product attention where a fused kernel takes it: that keeps no score."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Piecewise, oo, sqrt

from symledger.ir.scalars import Scalar, X
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor, pointwise
from symledger.traces.kernels.attention import FusedAttention
from symledger.traces.rules.table import At, Made, number, rule
from symledger.traces.rules.views import reshaped


@rule("attention")
def attention(
    at: At, query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None, dropout_p: Any,
    is_causal: Any, scale: Any, enable_gqa: Any,
) -> Made:  # fmt: skip
    """Mix values by softmax of the scaled products of queries and keys."""
    if any(x.rank != 4 for x in (query, key, value)):
        raise at.refused("queries, keys and values of four axes are expected.")
    (_, h, T, d), (_, h_kv, S, _) = query.shape, key.shape
    if not at.divides(h_kv, h) or value.shape[1] != h_kv:
        raise at.refused(f"{h} heads of queries cannot share {h_kv} of keys and values.")
    if number(dropout_p) == ONE:
        raise at.refused("dropout of everything is not understood: give p below 1.")
    mask = None if attn_mask is None else grouped(at, attn_mask, h, h_kv)
    kernel = FusedAttention(
        h, h_kv, 1 / sqrt(d) if scale is None else number(scale), bool(is_causal),
        at.is_least(T, S), mask is not None, number(dropout_p),
    )  # fmt: skip
    entering = (query, key, value) if mask is None else (query, key, value, mask)
    return kernel(*entering, name="attention")


SEEN = Scalar((X,), Piecewise((0, X > 0), (-oo, True)))
"""A truth as what is added to a score: PyTorch turns masks of truths into masks of numbers."""


def grouped(at: At, mask: Tensor, h: Expr, h_kv: Expr) -> Tensor:
    """Return a mask with five axes: examples, groups of heads, heads of a group, T, S."""
    shape = (*(ONE,) * (4 - mask.rank), *mask.shape)
    heads = (ONE, ONE) if shape[1] == ONE else (h_kv, h / h_kv)
    mask = reshaped(at, mask, (shape[0], *heads, *shape[2:]))
    return pointwise(SEEN, mask) if mask.storage == "mask" else mask
