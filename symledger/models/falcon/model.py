"""Falcon: parallel blocks without biases, many queries for one key, or for a few."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.relative import ALiBiAttention
from symledger.components.blocks.blocks import Norm, ParallelBlock, PreLNBlock
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.models.shared.decoder import Decoder
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class Falcon(Decoder):
    """The decoder-only transformer of Falcon: 7B with one key/value head, larger ones with groups.

    Attention and network read the same norm, or with ``two_norms`` each its own; without
    ``parallel`` one comes after the other, with ``alibi`` scores fall with the distance and nothing
    is turned (the RefinedWeb models). What is remembered are the h_kv heads, though one
    implementation repeats them for all queries first.
    Source: Almazrouei et al., *The Falcon Series of Open Language Models* (2023), section 4.
    """

    h_kv: Expr = sizes.h_kv
    parallel: bool = True
    two_norms: bool = False
    alibi: bool = False
    bias: bool = False
    activation: Activation = "gelu"

    final_norm: ClassVar[Norm] = "layer"
    title: ClassVar[str] = "decoder-only transformer, parallel blocks, multi-query attention"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
    }  # fmt: skip
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        "multi-query": {sizes.h_kv: 1, **assumptions},
        "multi-head": {sizes.h_kv: sizes.h, **assumptions},
    }
    references: ClassVar[tuple[str, ...]] = (
        "Almazrouei et al., The Falcon Series of Open Language Models (2023), section 4",
    )

    def block(self) -> Component:
        widths = (self.h, self.h_kv, self.d_h, self.d_h)
        attention = Attention(
            self.d, *widths, self.bias, causal=True, rotary=not self.alibi,
            mixing=ALiBiAttention(*widths) if self.alibi else None, cached=self.seen,
        )  # fmt: skip
        network = FeedForward(self.d, self.d_ff, self.activation, self.bias)
        if self.parallel:
            return ParallelBlock(
                self.d, norm="layer", attention=attention, network=network,
                two_norms=self.two_norms,
            )  # fmt: skip
        return PreLNBlock(self.d, norm="layer", attention=attention, network=network)
