"""Phi-1, 1.5 and 2: parallel blocks with one norm, partly rotary positions, biases everywhere."""

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
class Phi(Decoder):
    """The decoder-only transformer of Phi-1, Phi-1.5 and Phi-2; its head has a bias too.

    Only d_rot elements of each head are turned by the position, or all if not ``partly``; with
    ``qk_norm`` queries and keys are normalized first, by one layer norm for all query heads and
    one for all key heads.
    Source: Gunasekar et al., *Textbooks Are All You Need* (2023), section 2.3; Li et al.,
    *Textbooks Are All You Need II* (2023), section 2.1.
    """

    h_kv: Expr = sizes.h_kv
    d_rot: Expr = sizes.d_rot
    partly: bool = True
    qk_norm: bool = False
    activation: Activation = "gelu_tanh"
    tied: bool = False

    final_norm: ClassVar[Norm] = "layer"
    head_bias: ClassVar[bool] = True
    title: ClassVar[str] = "decoder-only transformer, parallel blocks with one norm, all biases"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.h_kv: sizes.h, sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "Gunasekar et al., Textbooks Are All You Need (2023), section 2.3",
        "Li et al., Textbooks Are All You Need II: phi-1.5 technical report (2023), section 2.1",
    )

    def block(self) -> Component:
        attention = Attention(
            self.d, self.h, self.h_kv, self.d_h, self.d_h, bias=True, causal=True, rotary=True,
            qk_norm="layer" if self.qk_norm else None, cached=self.seen,
            d_rot=self.d_rot if self.partly else None,
        )  # fmt: skip
        network = FeedForward(self.d, self.d_ff, self.activation)
        return ParallelBlock(self.d, norm="layer", attention=attention, network=network)
