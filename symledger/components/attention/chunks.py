"""Attention inside chunks: a query sees what came before it in its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, floor

from symledger import sizes
from symledger.components.attention.dot_product import SEEN, HeadAttention
from symledger.components.attention.masks import chunk_mask, recent_mask
from symledger.ir.tensor import Tensor
from symledger.notation.component import Steps
from symledger.sizes import Size

META = "Meta, The Llama 4 herd (2025)"


@dataclass(frozen=True)
class ChunkAttention(HeadAttention):
    """Causal attention inside chunks of Q positions: nothing is seen of the chunks before.

    Run operation by operation on all T² pairs, as a masked product is; under the exact convention
    only the pairs inside chunks are charged. Of what is remembered the last Q positions are kept
    and seen, as of a window: where a chunk begins is not known then.
    Source: Meta, *The Llama 4 herd* (2025); transformers, ``create_chunked_causal_mask``.
    """

    w: Expr = sizes.Q
    n_c: Expr = sizes.n_c

    signature: ClassVar[str] = SEEN
    title: ClassVar[str] = "causal attention inside chunks of a sequence"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.h_kv: sizes.h, sizes.d_v: sizes.d_k}
    definitions: ClassVar[dict[Size, Expr]] = {sizes.n_c: floor((sizes.T + sizes.Q - 1) / sizes.Q)}
    references: ClassVar[tuple[str, ...]] = (META,)

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Steps:
        T, S = q.shape[1], k.shape[1]
        masked = chunk_mask(T, self.w, self.n_c) if S == T else recent_mask(T, S, self.w)
        return self.mixed(q, k, v, masked)
