"""DeepSeek-V2 and V3, Kimi-K2 and MiniCPM3: latent attention, and experts but in first layers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.attention.latent import LatentAttention
from symledger.components.blocks.blocks import Norm, PreLNBlock
from symledger.components.feed_forward.experts import MixtureOfExperts
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Gating
from symledger.ir.tensor import Tensor
from symledger.models.granite.model import EMBEDDING, LOGITS, ScaledBlock
from symledger.models.shared.decoder import Decoder, Layers
from symledger.notation.component import Component
from symledger.sizes import Size

Experts = Literal["none", "some", "all"]
"""Which layers have experts in place of one network."""


@dataclass(frozen=True)
class DeepSeek(Decoder):
    """The decoder-only transformer of DeepSeek-V2 and V3.

    Every layer attends by latent vectors; of these, queries have one of their own where they are
    ``low_rank``. Of L layers the first L_d have one gated network, the others a mixture of experts
    with E_s shared ones. That experts are chosen within groups changes no count, nor how the
    router's scores become weights; the numbers that V3 adds to them to balance the experts are no
    parameters. The module that V3 was trained with to predict a second token is not built, as in
    the implementation: it adds a layer, a norm for each of its inputs and a map. With
    ``experts_norm``, as in A.X K1, what experts give is normalized, all of it together.
    Source: DeepSeek-AI, *DeepSeek-V2* (2024), section 2; *DeepSeek-V3* (2024), section 2; Kimi
    Team, *Kimi K2* (2025), section 2.
    """

    d_v: Expr = sizes.d_v
    d_c: Expr = sizes.d_c
    d_rot: Expr = sizes.d_rot
    d_q: Expr = sizes.d_q
    E: Expr = sizes.E
    k: Expr = sizes.k
    E_s: Expr = sizes.E_s
    d_exp: Expr = sizes.d_exp
    L_d: Expr = sizes.L_d

    tied: bool = False
    experts: Experts = "some"
    low_rank: bool = True
    attention_bias: bool = False
    absorbed: bool = False
    mlp_bias: bool = False
    activation: Gating = "silu"
    experts_norm: bool = False

    final_norm: ClassVar[Norm] = "rms"
    title: ClassVar[str] = "decoder-only transformer, latent attention, routed and shared experts"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_v: sizes.d_h}
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = MixtureOfExperts.corollaries
    references: ClassVar[tuple[str, ...]] = (
        "DeepSeek-AI, DeepSeek-V2 (2024), section 2", "DeepSeek-AI, DeepSeek-V3 (2024), section 2",
    )  # fmt: skip

    def attention(self) -> Component:
        """Return the attention of a block."""
        return LatentAttention(
            self.d, self.h, self.d_h, self.d_v, self.d_c, self.d_rot, self.d_q,
            self.low_rank, self.attention_bias, self.absorbed, self.seen,
        )  # fmt: skip

    def block(self, network: Component | None = None) -> Component:
        network = network or MixtureOfExperts(
            self.E, self.k, self.d, self.d_exp, self.E_s, self.activation,
            beside=self.network(self.E_s * self.d_exp), last_norm=self.experts_norm,
        )
        return PreLNBlock(self.d, norm="rms", attention=self.attention(), network=network)

    def network(self, width: Expr) -> Component:
        """Return the network that every token goes through: of a dense layer, or beside experts."""
        return GatedFeedForward(self.d, width, self.activation, self.mlp_bias)

    def layers(self) -> Layers:
        dense = self.block(self.network(self.d_ff))
        if self.experts == "none":
            return {"dense_block": (dense, self.L)}
        if self.experts == "all":
            return {"block": (self.block(), self.L)}
        return {"dense_block": (dense, self.L_d), "block": (self.block(), self.L - self.L_d)}


@dataclass(frozen=True)
class MiniCPM3(DeepSeek):
    """The decoder-only transformer of MiniCPM3: latent attention, one network in every layer.

    Embeddings, what parts add and what the head reads are multiplied by constants.
    Source: Hu et al., *MiniCPM* (2024), section 3.1 and table 7, for the constants.
    """

    tied: bool = True
    experts: Literal["none"] = "none"
    experts_norm: Literal[False] = False

    title: ClassVar[str] = "decoder-only transformer, latent attention, scaled by constants"
    references: ClassVar[tuple[str, ...]] = ("Hu et al., MiniCPM (2024), section 3.1",)

    def embed(self, tokens: Tensor, E: Tensor) -> Tensor:
        scaled: Tensor = super().embed(tokens, E) * EMBEDDING
        return scaled

    def block(self, network: Component | None = None) -> Component:
        network = network or self.network(self.d_ff)
        return ScaledBlock(self.d, norm="rms", attention=self.attention(), network=network)

    def score(self, x: Tensor, E: Tensor) -> Tensor:
        return super().score(x * (1 / LOGITS) if self.head == "lm" else x, E)
