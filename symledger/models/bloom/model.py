"""BLOOM: pre-LN blocks with ALiBi in place of positions, and a norm behind the embedding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.relative import ALiBiAttention
from symledger.components.blocks.blocks import Norm, PreLNBlock, norm
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import Decoder
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class Bloom(Decoder):
    """The decoder-only transformer of BLOOM: scores fall with the distance, nothing is placed.

    Source: BigScience Workshop, *BLOOM* (2022), section 3.2.
    """

    final_norm: ClassVar[Norm] = "layer"
    title: ClassVar[str] = "decoder-only transformer, pre-LN LayerNorm, ALiBi"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "BigScience Workshop, BLOOM: A 176B-Parameter Open-Access Multilingual Language Model "
        "(2022), section 3.2",
    )

    def embed(self, tokens: Tensor, E: Tensor) -> Tensor:
        return norm("layer", self.d)(super().embed(tokens, E), name="embedding_norm")

    def block(self) -> Component:
        widths = (self.h, self.h, self.d_h, self.d_h)
        attention = Attention(
            self.d, *widths, bias=True, causal=True, mixing=ALiBiAttention(*widths),
            cached=self.seen,
        )  # fmt: skip
        network = FeedForward(self.d, self.d_ff, "gelu_tanh")
        return PreLNBlock(self.d, norm="layer", attention=attention, network=network)
