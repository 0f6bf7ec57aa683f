"""MPT: pre-LN blocks with ALiBi, and no bias anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.relative import ALiBiAttention
from symledger.components.blocks.blocks import PreLNBlock, norm
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import Decoder
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class MPT(Decoder):
    """The decoder-only transformer of MPT: its norms scale, and shift nothing.

    With ``bias`` all maps and norms but the head have one, as the authors' own program builds it
    where ``no_bias`` is false; the implementation in transformers never does.
    Source: MosaicML NLP Team, *Introducing MPT-7B* (2023).
    """

    bias: bool = False

    title: ClassVar[str] = "decoder-only transformer, ALiBi, no biases"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = ("MosaicML NLP Team, Introducing MPT-7B (2023)",)

    def block(self) -> Component:
        widths = (self.h, self.h, self.d_h, self.d_h)
        attention = Attention(
            self.d, *widths, self.bias, causal=True, mixing=ALiBiAttention(*widths),
            cached=self.seen,
        )  # fmt: skip
        network = FeedForward(self.d, self.d_ff, bias=self.bias)
        return PreLNBlock(
            self.d, norm="layer", norm_bias=self.bias, attention=attention, network=network
        )

    def normalize(self, x: Tensor) -> Tensor:
        return norm("layer", self.d, bias=self.bias)(x, name="final_norm")
