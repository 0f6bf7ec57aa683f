"""XGLM and CTRL: decoders whose positions are sines and cosines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, Integer, sqrt

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import Norm, PreLNBlock
from symledger.components.embeddings.positions import SinusoidalPositions
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import Decoder
from symledger.notation.component import Component
from symledger.sizes import Size

AHEAD = Integer(2)
"""Positions are counted from here: two were meant for padding."""


@dataclass(frozen=True)
class XGLM(Decoder):
    """The decoder-only transformer of XGLM: pre-LN, biases in every map, sinusoidal positions.

    Rows of the table of tokens are multiplied by the root of the model's width.
    Source: Lin et al., *Few-shot Learning with Multilingual Language Models* (2022), section 2.2.
    """

    activation: Activation = "gelu"

    ahead: ClassVar[Expr] = AHEAD
    final_norm: ClassVar[Norm] = "layer"
    title: ClassVar[str] = "decoder-only transformer, pre-LN LayerNorm, sinusoidal positions"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "Lin et al., Few-shot Learning with Multilingual Language Models (2022), section 2.2",
    )

    def place(self, x: Tensor) -> Tensor:
        places = SinusoidalPositions(self.d, self.first(x) + self.ahead)
        return places(x * sqrt(self.d), name="positions")

    def block(self) -> Component:
        attention = Attention(
            self.d, self.h, self.h, self.d_h, self.d_h, bias=True, causal=True, cached=self.seen
        )
        network = FeedForward(self.d, self.d_ff, self.activation)
        return PreLNBlock(self.d, norm="layer", attention=attention, network=network)


@dataclass(frozen=True)
class CTRL(XGLM):
    """The decoder-only transformer of CTRL: XGLM's, with ReLU and a bias of the scores.

    Source: Keskar et al., *CTRL: A Conditional Transformer Language Model* (2019), section 3.
    """

    activation: Literal["relu"] = "relu"

    ahead: ClassVar[Expr] = Integer(0)
    head_bias: ClassVar[bool] = True
    title: ClassVar[str] = "decoder-only transformer, pre-LN, ReLU, sinusoidal positions"
    references: ClassVar[tuple[str, ...]] = (
        "Keskar et al., CTRL: A Conditional Transformer Language Model (2019), section 3",
    )
