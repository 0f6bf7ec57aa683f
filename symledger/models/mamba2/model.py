"""Mamba-2: blocks of scans in chunks, without attention and without feed-forward networks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.blocks.blocks import Norm
from symledger.components.feed_forward.nonlinearities import Plain
from symledger.components.state_spaces.dual import DAO, Mamba2Mixer
from symledger.components.state_spaces.selective import MixerBlock
from symledger.ir.shapes import ONE
from symledger.models.shared.decoder import LanguageModel
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class Mamba2(LanguageModel):
    """The language model of Mamba-2: L normalized, residual mixers between a table and a head.

    Counted as the reference implementation computes it where it has no kernels: in chunks of Q
    tokens, the last one filled up.
    How many tokens came before (S) is in no formula: what is remembered of them does not grow.
    Source: Dao, Gu (2024), section 7; transformers 5.23, ``Mamba2ForCausalLM``.
    """

    S: Expr = ONE
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_s: Expr = sizes.d_s
    G: Expr = sizes.G
    K: Expr = sizes.K
    Q: Expr = sizes.Q
    n_c: Expr = sizes.n_c
    bias: bool = False
    convolution_bias: bool = True
    activation: Plain = "silu"

    final_norm: ClassVar[Norm] = "rms"
    title: ClassVar[str] = "recurrent language model of state spaces in their dual form"
    definitions: ClassVar[dict[Size, Expr]] = Mamba2Mixer.definitions
    assumptions: ClassVar[dict[Size, Expr]] = Mamba2Mixer.assumptions
    references: ClassVar[tuple[str, ...]] = (f"{DAO}, section 7",)

    def block(self) -> Component:
        mixer = Mamba2Mixer(
            self.d, self.h, self.d_h, self.d_s, self.G, self.K, self.Q, self.n_c, self.bias,
            self.convolution_bias, self.cached, self.activation,
        )  # fmt: skip
        return MixerBlock(mixer, self.d)
