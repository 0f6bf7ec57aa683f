"""Scaled dot-product attention, kept whole: the kernel that keeps no score."""

from __future__ import annotations

from typing import Any

from sympy import sqrt

from symledger.components.attention.flash import FlashAttention
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.traces.rules.table import At, Made, number, rule
from symledger.traces.rules.views import permuted, reshaped

SWAPPED = [0, 2, 1, 3]
"""Heads before positions, and back."""


@rule("attention")
def attention(
    at: At, query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None, dropout_p: Any,
    is_causal: Any, scale: Any, enable_gqa: Any,
) -> Made:  # fmt: skip
    """Mix values by softmax of the scaled products of queries and keys."""
    if number(dropout_p) != 0:
        raise at.refused("dropout inside of attention is hidden in the kernel: use p = 0 there.")
    if attn_mask is not None:
        raise at.refused("a mask given to attention is not understood yet.")
    if scale is not None and number(scale) != 1 / sqrt(query.shape[-1]):
        raise at.refused("a scale of its own is not understood yet.")
    q, k, v = (permuted(fourth(at, x), SWAPPED) for x in (query, key, value))
    heads = FlashAttention(
        q.shape[2], k.shape[2], q.shape[3], v.shape[3], causal=bool(is_causal)
    )
    return reshaped(at, permuted(heads(q, k, v, name="attention"), SWAPPED), at.shape)


def fourth(at: At, x: Tensor) -> Tensor:
    """Return a tensor with four axes."""
    return x if x.rank == 4 else reshaped(at, x, (*(ONE,) * (4 - x.rank), *x.shape))
