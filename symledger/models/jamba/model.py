"""Jamba: Mamba's mixers in most layers, attention in some, experts in others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.feed_forward.nonlinearities import Seldom
from symledger.components.state_spaces.selective import MambaMixer
from symledger.models.shared.hybrid import SparseHybridDecoder, Which
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class Jamba(SparseHybridDecoder):
    """The decoder of Jamba: L_a of its L layers attend, without being told positions.

    The others scan, and what a token's parameters are made of is normalized and scaled. Experts are
    as wide as the networks of layers that have none. Counted as the reference implementation
    computes scans where it has no kernels: token after token.
    Source: Lieber et al., *Jamba* (2024); transformers 5.23, ``JambaForCausalLM``.
    """

    d_exp: Expr = sizes.d_ff
    d_i: Expr = sizes.d_i
    d_s: Expr = sizes.d_s
    d_r: Expr = sizes.d_r
    K: Expr = sizes.K
    projection_bias: Annotated[bool, Seldom()] = False
    convolution_bias: Annotated[bool, Seldom()] = True
    activation: Literal["silu"] = "silu"
    attending: Annotated[Which, Seldom()] = "some"
    dense: Annotated[Which, Seldom(but=("none",))] = "some"

    title: ClassVar[str] = "hybrid decoder, Mamba and attention, mixture of experts"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **SparseHybridDecoder.assumptions, **MambaMixer.assumptions,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = ("Lieber et al., Jamba (2024)",)

    def attention(self) -> Attention:
        return replace(super().attention(), rotary=False)

    def mixer(self) -> Component:
        return MambaMixer(
            self.d, self.d_i, self.d_s, self.d_r, self.K, self.projection_bias,
            self.convolution_bias, self.cached, normed=True, gains=True,
        )  # fmt: skip
