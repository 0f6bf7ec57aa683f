"""ModernBERT as a decoder: its blocks, which look back alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import PreLNBlock, norm
from symledger.components.embeddings.embedding import LMHead
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Activation, Plain, Seldom, act
from symledger.components.maps.linear import Linear
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.modernbert.model import EnteringBlock
from symledger.models.shared.decoder import Layers
from symledger.models.shared.windows import WindowedDecoder
from symledger.notation.component import Component
from symledger.notation.verbs import param
from symledger.sizes import Size

WELLER = "Weller et al., Seq vs Seq (2025), section 2"


@dataclass(frozen=True)
class ModernBertDecoder(WindowedDecoder):
    """The decoder of Ettin: ModernBERT's blocks, which see what came before, and most a window.

    The first layer has no norm before its attention, for the entrance has one, and sees all that
    came before. The head maps and normalizes each vector, and scores have a bias.
    Source: Weller et al., *Seq vs Seq* (2025), section 2; transformers,
    ``ModernBertDecoderForCausalLM``.
    """

    head: Literal["lm", "bare"] = "lm"
    windows: Literal["none", "some"] = "some"
    activation: Activation = "gelu"
    attention_bias: Annotated[bool, Seldom()] = False
    mlp_bias: Annotated[bool, Seldom()] = False
    norm_bias: Annotated[bool, Seldom()] = False
    map_bias: Annotated[bool, Seldom()] = False
    scores_bias: bool = True
    head_activation: Plain = "gelu"

    title: ClassVar[str] = "decoder-only transformer, pre-LN, GeGLU, rotary positions, windows"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_h: sizes.d / sizes.h}
    references: ClassVar[tuple[str, ...]] = (WELLER,)

    def named_norm(self, x: Tensor, name: str) -> Tensor:
        """Apply a norm."""
        return norm("layer", self.d, self.norm_bias)(x, name=name)

    def place(self, x: Tensor) -> Tensor:
        return self.named_norm(x, "embedding_norm")

    def normalize(self, x: Tensor) -> Tensor:
        return self.named_norm(x, "final_norm")

    def block(self, kind: type[PreLNBlock] = PreLNBlock) -> Component:
        attention = Attention(
            self.d, self.h, self.h, self.d_h, self.d_h, self.attention_bias, causal=True,
            rotary=True, cached=self.seen,
        )  # fmt: skip
        network = GatedFeedForward(self.d, self.d_ff, self.activation, self.mlp_bias)
        return kind(
            self.d, norm="layer", norm_bias=self.norm_bias, attention=attention, network=network
        )

    def layers(self) -> Layers:
        first: Layers = {"first_block": (self.block(EnteringBlock), ONE)}
        others: Layers = {"block": (self.block(), self.L - ONE)}
        near = {} if self.windows == "none" else self.split("block", others, "some", self.L_w)
        return {**first, **(near or others)}

    def score(self, x: Tensor, E: Tensor) -> Tensor:
        if self.head == "bare":
            return x
        mapped = act(self.head_activation, Linear(self.d, self.d, self.map_bias)(x, name="map"))
        table = E if self.tied else None
        logits = LMHead(self.V, self.d)(self.named_norm(mapped, "head_norm"), table, name="head")
        return logits + param("b", self.V) if self.scores_bias else logits
