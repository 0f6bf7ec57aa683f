"""GPT-Neo: GPT-2's blocks, of which every other one looks back at a window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import Norm, PreLNBlock
from symledger.components.embeddings.positions import LearnedPositions
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.ir.tensor import Tensor
from symledger.models.shared.windows import WindowedDecoder, Windows
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class GPTNeo(WindowedDecoder):
    """The decoder-only transformer of GPT-Neo: queries, keys and values have no biases.

    Its scores are not divided by √d_h, which changes no count: here they are.
    Source: Black et al., *GPT-Neo* (2021), software.
    """

    T_max: Expr = sizes.T_max
    activation: Activation = "gelu_tanh"
    windows: Windows = "some"

    final_norm: ClassVar[Norm] = "layer"
    title: ClassVar[str] = "decoder-only transformer, learned positions, windows in some layers"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "Black et al., GPT-Neo: Large Scale Autoregressive Language Modeling (2021), software",
    )

    def place(self, x: Tensor) -> Tensor:
        return LearnedPositions(self.T_max, self.d, self.first(x))(x, name="positions")

    def block(self) -> Component:
        attention = Attention(
            self.d, self.h, self.h, self.d_h, self.d_h, bias=True, unbiased=("Q", "K", "V"),
            causal=True, cached=self.seen,
        )  # fmt: skip
        network = FeedForward(self.d, self.d_ff, self.activation)
        return PreLNBlock(self.d, norm="layer", attention=attention, network=network)
