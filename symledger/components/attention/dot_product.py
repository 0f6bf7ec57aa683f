"""Scaled dot-product attention of heads, whose scores are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, sqrt

from symledger import sizes
from symledger.components.attention.masks import EVERYTHING, Masked, causal_mask
from symledger.components.heads_and_losses.dropout import Dropout
from symledger.components.heads_and_losses.softmax import Softmax
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, einsum, expand, join, narrow, param, view
from symledger.sizes import Size

VASWANI = "Vaswani et al., Attention Is All You Need (2017), section 3.2"
AINSLIE = "Ainslie et al., GQA (2023)"
OPENAI = "OpenAI, gpt-oss-120b & gpt-oss-20b Model Card (2025), section 2.2"
CAP = Integer(50)
"""What capped scores stay below; any other number would be counted the same."""
SEEN = "B T h d_k, B S h_kv d_k, B S h_kv d_v -> B T h d_v"
"""The signature of attention of T queries to S keys."""
SCORES = "B T g r k, B S g k -> B g r T S"
MIX = "B g r T S, B S g v -> B T g r v"


@dataclass(frozen=True)
class HeadAttention(Component):
    """What every attention of heads shares: its sizes, and the way from scores to a mixture."""

    h: Expr = sizes.h
    h_kv: Expr = sizes.h_kv
    d_k: Expr = sizes.d_k
    d_v: Expr = sizes.d_v

    @property
    def scale(self) -> Expr:
        """What products of queries and keys are multiplied by."""
        return 1 / sqrt(self.d_k)

    def mixed(
        self, q: Tensor, k: Tensor, v: Tensor, masked: Masked,
        bias: Tensor | None = None, dropout: bool = False, sinks: bool = False,
        capped: bool = False,
    ) -> Steps:  # fmt: skip
        """Mix the values by softmax of the scores, to which a bias and a mask may be added."""
        mask, pairs = masked
        q = view("B T (g r) k -> B T g r k", q, g=self.h_kv)
        scores = einsum(SCORES, q, k, pairs, mask)
        scores = scores if self.scale == ONE else scores * self.scale
        if capped:
            scores = apply("tanh", scores * (1 / CAP)) * CAP
        scores = scores if bias is None else scores + bias
        masked_scores = scores if mask is None else scores + mask
        a = self.beside_sinks(masked_scores) if sinks else Softmax()(masked_scores, name="softmax")
        p = Dropout()(a, name="dropout") if dropout else a
        z = einsum(MIX, p, v, pairs, mask)
        return steps(scores=scores, a=a, z=view("B T g r v -> B T (g r) v", z))

    def beside_sinks(self, scores: Tensor) -> Tensor:
        """Apply softmax to the scores and one learned score a head, which takes its share away."""
        sink = view("(g r) -> () g r () ()", param("sinks", self.h), g=self.h_kv)
        sink = expand(sink, (*scores.shape[:-1], ONE))
        a = Softmax()(join([scores, sink]), name="softmax")
        return narrow(a, -1, 0, scores.shape[-1])


@dataclass(frozen=True)
class ScaledDotProduct(HeadAttention):
    """Each query's mixture of values, weighted by softmax of its products with the keys.

    Query heads share key/value heads in groups of h/h_kv. Run operation by operation: the
    weights on all T·S pairs are kept for the backward pass. With ``sinks`` each head has one
    learned score more, of no value; with ``capped`` the scores go through c·tanh(scores/c).
    Source: Vaswani et al. (2017), section 3.2.1, equation 1; Ainslie et al. (2023) for groups;
    OpenAI (2025), section 2.2, for sinks; Gemma Team, *Gemma 2* (2024), section 2, for the cap.
    """

    causal: bool = False
    dropout: bool = False
    sinks: bool = False
    capped: bool = False

    signature: ClassVar[str] = SEEN
    title: ClassVar[str] = "scaled dot-product attention, operation by operation"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.h_kv: sizes.h, sizes.d_v: sizes.d_k, sizes.S: sizes.T,
    }  # fmt: skip
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        "multi-query": {sizes.h_kv: 1, sizes.d_v: sizes.d_k, sizes.S: sizes.T},
        "decoding one token": {sizes.T: 1, sizes.d_v: sizes.d_k},
    }
    references: ClassVar[tuple[str, ...]] = (
        VASWANI + ".1, equation 1", AINSLIE, OPENAI, "Gemma Team, Gemma 2 (2024), section 2",
    )  # fmt: skip

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Steps:
        masked = causal_mask(q.shape[1], k.shape[1]) if self.causal else EVERYTHING
        return self.mixed(
            q, k, v, masked, dropout=self.dropout, sinks=self.sinks, capped=self.capped
        )
