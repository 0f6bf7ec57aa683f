"""Command R and later: parallel blocks, one norm that shifts nothing, gates, a tied head."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import ParallelBlock, norm
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import Decoder
from symledger.models.shared.windows import WindowedDecoder, Windows
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class Cohere(Decoder):
    """The decoder-only transformer of Command R; ``bias`` gives the maps of attention biases.

    With ``qk_norm``, as in Command R+, every head normalizes its queries and keys, with gains of
    its own.
    Source: Cohere For AI, *Model Card for C4AI Command-R* (2024).
    """

    h_kv: Expr = sizes.h_kv
    bias: bool = False
    qk_norm: bool = False
    activation: Activation = "silu"

    title: ClassVar[str] = "decoder-only transformer, parallel blocks, SwiGLU, rotary positions"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.h_kv: sizes.h, sizes.d_h: sizes.d / sizes.h,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "Cohere For AI, Model Card for C4AI Command-R (2024)",
    )

    def attention(self) -> Attention:
        """Return the attention of a block."""
        return Attention(
            self.d, self.h, self.h_kv, self.d_h, self.d_h, self.bias, causal=True, rotary=True,
            cached=self.seen,
            qk_norm="layer of each head" if self.qk_norm else None,
        )  # fmt: skip

    def block(self) -> Component:
        network = GatedFeedForward(self.d, self.d_ff, self.activation)
        return ParallelBlock(
            self.d, norm="layer", norm_bias=False, attention=self.attention(), network=network
        )

    def normalize(self, x: Tensor) -> Tensor:
        return norm("layer", self.d, bias=False)(x, name="final_norm")


@dataclass(frozen=True)
class Cohere2(Cohere, WindowedDecoder):
    """The decoder-only transformer of Command R7B and Command A: most layers have a window.

    Those turn queries and keys by their position; the others are told none.
    Source: Cohere, *Command A* (2025).
    """

    windows: Windows = "some"

    title: ClassVar[str] = "decoder-only transformer, parallel blocks, SwiGLU, windows, NoPE"
    references: ClassVar[tuple[str, ...]] = ("Cohere, Command A (2025)",)

    def attention(self) -> Attention:
        return replace(super().attention(), rotary=False)

    def near(self, attention: Attention) -> Attention:
        return replace(attention, rotary=True)
