"""StarCoder2: pre-LN blocks with layer norms, grouped heads, rotary positions, and a window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import Norm, PreLNBlock
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.models.shared.windows import WindowedDecoder, Windows
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class StarCoder2(WindowedDecoder):
    """The decoder-only transformer of StarCoder2, plain feed-forward networks and biases in it.

    Source: Lozhkov et al., *StarCoder 2 and The Stack v2* (2024), section 6.
    """

    h_kv: Expr = sizes.h_kv
    bias: bool = True
    activation: Activation = "gelu_tanh"
    windows: Windows = "all"

    final_norm: ClassVar[Norm] = "layer"
    title: ClassVar[str] = "decoder-only transformer, grouped heads, rotary positions, biases"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.h_kv: sizes.h, sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "Lozhkov et al., StarCoder 2 and The Stack v2 (2024), section 6",
    )

    def block(self) -> Component:
        attention = Attention(
            self.d, self.h, self.h_kv, self.d_h, self.d_h, self.bias, causal=True, rotary=True,
            cached=self.seen,
        )  # fmt: skip
        network = FeedForward(self.d, self.d_ff, self.activation, self.bias)
        return PreLNBlock(self.d, norm="layer", attention=attention, network=network)
