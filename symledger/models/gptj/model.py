"""GPT-J: attention and feed-forward side by side behind one norm, partly rotary positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import Norm, ParallelBlock
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.models.shared.decoder import Decoder
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class GPTJ(Decoder):
    """The decoder-only transformer of GPT-J: its attention has no biases, all else has.

    Only d_rot elements of each head are turned by the position, or all if not ``partly``; the head
    has a table and a bias of its own.
    Source: Wang, Komatsuzaki, *GPT-J-6B* (2021).
    """

    d_rot: Expr = sizes.d_rot
    partly: bool = True
    activation: Activation = "gelu_tanh"
    tied: bool = False

    final_norm: ClassVar[Norm] = "layer"
    head_bias: ClassVar[bool] = True
    title: ClassVar[str] = "decoder-only transformer, parallel blocks, partly rotary positions"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "Wang, Komatsuzaki, GPT-J-6B: A 6 Billion Parameter Autoregressive Language Model (2021)",
    )

    def block(self) -> Component:
        attention = Attention(
            self.d, self.h, self.h, self.d_h, self.d_h, causal=True, rotary=True,
            cached=self.seen,
            d_rot=self.d_rot if self.partly else None,
        )  # fmt: skip
        network = FeedForward(self.d, self.d_ff, self.activation)
        return ParallelBlock(self.d, norm="layer", attention=attention, network=network)
