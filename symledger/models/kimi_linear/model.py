"""Kimi Linear and Ling 3: Kimi delta attention in most layers, latent attention in some."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.feed_forward.experts import MixtureOfExperts
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Seldom
from symledger.components.state_spaces.kimi import KimiDeltaMixer, KimiDeltaRule
from symledger.models.shared.hybrid import SparseHybridDecoder
from symledger.models.shared.latent import UnturnedLatentAttention
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class KimiLinear(SparseHybridDecoder):
    """The decoder of Kimi Linear: L_a of its L layers attend, the others have a corrected memory.

    Attention is latent and told no positions, unless it is ``rotary``; it may be ``gated``, head by
    head, as in Ling 3, where decays are ``bounded`` and mapped at once, not by way of few numbers
    (``narrow``). E_s shared experts stand beside the others.
    Source: Kimi Team, *Kimi Linear* (2025), section 4; transformers 5.23,
    ``KimiLinearForCausalLM`` and ``BailingHybridForCausalLM``.
    """

    d_v: Expr = sizes.d_v
    d_c: Expr = sizes.d_c
    d_rot: Expr = sizes.d_rot
    d_q: Expr = sizes.d_q
    E_s: Expr = sizes.E_s
    h_v: Expr = sizes.h_v
    d_k: Expr = sizes.d_k
    K: Expr = sizes.K
    Q: Expr = sizes.Q
    n_c: Expr = sizes.n_c
    low_rank: Annotated[bool, Seldom()] = False
    attention_bias: Annotated[bool, Seldom()] = False
    rotary: Annotated[bool, Seldom()] = False
    gated: Annotated[bool, Seldom()] = False
    narrow: Annotated[bool, Seldom()] = True
    bounded: Annotated[bool, Seldom()] = False
    activation: Literal["silu"] = "silu"

    title: ClassVar[str] = "hybrid decoder, Kimi delta attention and latent attention, experts"
    definitions: ClassVar[dict[Size, Expr]] = KimiDeltaRule.definitions
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_v: sizes.d_h, sizes.d_k: sizes.d_h}
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = MixtureOfExperts.corollaries
    references: ClassVar[tuple[str, ...]] = (
        "Kimi Team, Kimi Linear (2025), section 4", "transformers 5.23, KimiLinearForCausalLM",
    )  # fmt: skip

    def attention(self) -> UnturnedLatentAttention:  # type: ignore[override]  # no heads shared
        """Return the attention of layers that attend."""
        return UnturnedLatentAttention(
            self.d, self.h, self.d_h, self.d_v, self.d_c, self.d_rot, self.d_q, self.low_rank,
            self.attention_bias, False, self.seen, self.rotary, self.gated,
        )  # fmt: skip

    def mixer(self) -> KimiDeltaMixer:
        return KimiDeltaMixer(
            self.d, self.h_v, self.d_k, self.d_k, self.K, self.Q, self.n_c, self.cached,
            self.narrow, self.bounded,
        )  # fmt: skip

    def mixture(self) -> Component:
        shared = GatedFeedForward(self.d, self.E_s * self.d_exp, self.activation)
        return MixtureOfExperts(
            self.E, self.k, self.d, self.d_exp, self.E_s, self.activation, beside=shared
        )
