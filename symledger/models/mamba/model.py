"""Mamba: blocks of selective scans, without attention and without feed-forward networks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.blocks.blocks import Norm
from symledger.components.feed_forward.nonlinearities import Plain
from symledger.components.state_spaces.selective import GU, MambaMixer, MixerBlock
from symledger.ir.shapes import ONE
from symledger.models.shared.decoder import LanguageModel
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class Mamba(LanguageModel):
    """The language model of Mamba: L normalized, residual mixers between a table and its transpose.

    Counted as the reference implementation computes it where it has no kernels: token after token.
    In Falcon Mamba what a token's parameters are made of is ``normed``.
    How many tokens came before (S) is in no formula: what is remembered of them does not grow.
    Source: Gu, Dao (2023), section 3.4; transformers 5.23, ``MambaForCausalLM``.
    """

    S: Expr = ONE
    d_i: Expr = sizes.d_i
    d_s: Expr = sizes.d_s
    d_r: Expr = sizes.d_r
    K: Expr = sizes.K
    bias: bool = False
    convolution_bias: bool = True
    normed: bool = False
    activation: Plain = "silu"

    final_norm: ClassVar[Norm] = "rms"
    title: ClassVar[str] = "recurrent language model of selective state spaces"
    assumptions: ClassVar[dict[Size, Expr]] = MambaMixer.assumptions
    references: ClassVar[tuple[str, ...]] = (f"{GU}, section 3.4",)

    def block(self) -> Component:
        mixer = MambaMixer(
            self.d, self.d_i, self.d_s, self.d_r, self.K, self.bias, self.convolution_bias,
            self.cached, self.normed, self.activation,
        )  # fmt: skip
        return MixerBlock(mixer, self.d)
