"""Decoders of gated delta rules and attention."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.state_spaces.delta import GatedDeltaMixer, GatedDeltaRule
from symledger.models.shared.hybrid import HybridDecoder
from symledger.sizes import Size


@dataclass(frozen=True)
class DeltaHybrid(HybridDecoder):
    """A hybrid decoder whose other layers correct a memory, in chunks of Q tokens.

    Counted as the reference computes it where it has no kernels.
    Source: Yang, Kautz, Hatamizadeh, *Gated Delta Networks* (2024); transformers 5.23,
    ``Qwen3NextGatedDeltaNet``.
    """

    h_q: Expr = sizes.h_q
    h_v: Expr = sizes.h_v
    d_k: Expr = sizes.d_k
    d_v: Expr = sizes.d_v
    K: Expr = sizes.K
    Q: Expr = sizes.Q
    n_c: Expr = sizes.n_c
    attention_bias: bool = False
    activation: Literal["silu"] = "silu"

    definitions: ClassVar[dict[Size, Expr]] = GatedDeltaRule.definitions
    assumptions: ClassVar[dict[Size, Expr]] = {
        **HybridDecoder.assumptions, **GatedDeltaRule.assumptions,
    }  # fmt: skip

    def mixer(self) -> GatedDeltaMixer:
        return GatedDeltaMixer(
            self.d, self.h_q, self.h_v, self.d_k, self.d_v, self.K, self.Q, self.n_c, self.cached
        )
