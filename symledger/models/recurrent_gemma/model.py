"""RecurrentGemma: a gated linear recurrence in most layers, attention to a window in some."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from sympy import Expr, sqrt

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Plain, Seldom
from symledger.components.state_spaces.gated_linear import DE, RealGatedMixer
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.gemma.model import CAP
from symledger.models.shared.hybrid import HybridDecoder
from symledger.models.shared.windows import WindowedDecoder
from symledger.notation.component import Component
from symledger.notation.verbs import apply
from symledger.sizes import Size


@dataclass(frozen=True)
class RecurrentGemma(HybridDecoder, WindowedDecoder):
    """The decoder of RecurrentGemma: L_a of its L layers attend to a window, the others recur.

    A token's vector is multiplied by √d at the start, and logits are capped. All maps have biases
    but those to queries, keys and values, which may have.
    Source: De et al., *Griffin* (2024); transformers 5.23, ``RecurrentGemmaForCausalLM``.
    """

    d_i: Expr = sizes.d_i
    K: Expr = sizes.K
    d_rot: Expr = sizes.d_rot
    L_w: Expr = ONE
    tied: bool = True
    windows: Literal["all"] = "all"
    attention_bias: bool = False
    activation: Plain = "gelu_tanh"
    partly: Annotated[bool, Seldom()] = True

    title: ClassVar[str] = "hybrid decoder, gated linear recurrence and attention to a window"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **HybridDecoder.assumptions, **RealGatedMixer.assumptions,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (DE,)

    def embed(self, tokens: Tensor, E: Tensor) -> Tensor:
        scaled: Tensor = super().embed(tokens, E) * sqrt(self.d)
        return scaled

    def attention(self) -> Attention:
        return replace(
            super().attention(), bias=True, d_rot=self.d_rot if self.partly else None,
            unbiased=() if self.attention_bias else ("Q", "K", "V"),
        )  # fmt: skip

    def network(self) -> Component:
        return GatedFeedForward(self.d, self.d_ff, self.activation, bias=True)

    def mixer(self) -> RealGatedMixer:
        return RealGatedMixer(self.d, self.d_i, self.h, self.K, self.cached, self.activation)

    def arranged(self, mixer: Component | None, network: Component) -> Component:
        block = super().arranged(mixer, network)
        return block if mixer else self.windowed(block)

    def score(self, x: Tensor, E: Tensor) -> Tensor:
        y = super().score(x, E)
        return apply("tanh", y * (1 / CAP)) * CAP if self.head == "lm" else y
