"""StableLM 2: LLaMA's blocks with layer norms, partly rotary positions, parallel in the largest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import Norm, ParallelBlock, PreLNBlock
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.models.shared.decoder import Decoder
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class StableLM(Decoder):
    """The decoder-only transformer of StableLM-3B-4E1T and StableLM 2.

    Queries, keys and values may have biases, nothing else but the norms has. Only d_rot elements
    of each head are turned by the position, or all if not ``partly``; ``parallel`` parts share a
    norm. With ``qk_norm`` every head normalizes its queries and keys, with gains of its own.
    Source: Bellagente et al., *Stable LM 2 1.6B* (2024), section 2.4.
    """

    h_kv: Expr = sizes.h_kv
    d_rot: Expr = sizes.d_rot
    partly: bool = True
    parallel: bool = False
    bias: bool = False
    qk_norm: bool = False
    activation: Activation = "silu"
    tied: bool = False

    final_norm: ClassVar[Norm] = "layer"
    title: ClassVar[str] = "decoder-only transformer, LayerNorm, SwiGLU, partly rotary positions"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.h_kv: sizes.h, sizes.d_h: sizes.d / sizes.h,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "Bellagente et al., Stable LM 2 1.6B Technical Report (2024), section 2.4",
    )

    def block(self) -> Component:
        attention = Attention(
            self.d, self.h, self.h_kv, self.d_h, self.d_h, self.bias, unbiased=("O",),
            causal=True, rotary=True, d_rot=self.d_rot if self.partly else None, cached=self.seen,
            qk_norm="layer of each head" if self.qk_norm else None,
        )  # fmt: skip
        network = GatedFeedForward(self.d, self.d_ff, self.activation)
        kind = ParallelBlock if self.parallel else PreLNBlock
        return kind(self.d, norm="layer", attention=attention, network=network)
