"""gpt-oss: experts and biases everywhere, learned sinks, and a window in every second layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.dot_product import OPENAI, ScaledDotProduct
from symledger.components.blocks.blocks import Norm, PreLNBlock
from symledger.components.feed_forward.experts import MixtureOfExperts
from symledger.models.shared.gated import GatedDecoder
from symledger.models.shared.windows import WindowedDecoder, Windows
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class GptOss(WindowedDecoder):
    """The decoder-only transformer of gpt-oss.

    Every head has a learned sink: a score that takes its share of attention away, and has no
    value. Every second layer sees w_max positions at most. Router and experts have biases, and
    the experts' gated values are clamped; that the router's softmax runs over the chosen scores
    alone changes neither parameters nor contractions.
    Source: OpenAI, *gpt-oss-120b & gpt-oss-20b Model Card* (2025), section 2; transformers,
    ``GptOssForCausalLM``.
    """

    h_kv: Expr = sizes.h_kv
    E: Expr = sizes.E
    k: Expr = sizes.k

    tied: bool = False
    attention_bias: bool = True
    windows: Windows = "some"

    final_norm: ClassVar[Norm] = "rms"
    title: ClassVar[str] = "decoder-only transformer, attention sinks, windows, clamped experts"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.h_kv: sizes.h, sizes.d_h: sizes.d / sizes.h}
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        **GatedDecoder.corollaries, **MixtureOfExperts.corollaries,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (OPENAI,)

    def block(self) -> Component:
        heads = (self.h, self.h_kv, self.d_h, self.d_h)
        attention = Attention(
            self.d, *heads, self.attention_bias, causal=True, rotary=True, cached=self.seen,
            mixing=ScaledDotProduct(*heads, causal=True, sinks=True),
        )  # fmt: skip
        experts = MixtureOfExperts(self.E, self.k, self.d, self.d_ff, bias=True, clamped=True)
        return PreLNBlock(self.d, norm="rms", attention=attention, network=experts)
