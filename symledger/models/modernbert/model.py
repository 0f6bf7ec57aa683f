"""ModernBERT: an encoder of gated, rotary pre-LN blocks, most of which see a window only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, Min

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.relative import BELTAGY, NearAttention
from symledger.components.blocks.blocks import PreLNBlock, norm
from symledger.components.embeddings.embedding import LMHead
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Activation, act
from symledger.components.heads_and_losses.dropout import Dropout
from symledger.components.maps.linear import Linear
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.encoder import Encoder
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import mean, narrow, param, repeat, view
from symledger.sizes import Size

WARNER = "Warner et al., ModernBERT (2024)"


@dataclass(frozen=True)
class EnteringBlock(PreLNBlock):
    """A pre-LN block whose attention reads what enters as it is: it was normalized before."""

    def forward(self, x: Tensor) -> Steps:
        middle = x + self.attend(x)
        return steps(middle=middle, y=middle + self.feed(self.normalize(middle, 2)))


@dataclass(frozen=True)
class ModernBert(Encoder):
    """An encoder for long texts: rotary positions, gated networks, windows, hardly a bias.

    Of every three layers the first sees everything, and L_w layers in all see w positions in
    either direction. The first layer has no norm before its attention: the entrance has one. Heads
    read each token, the first one, or the ``mean`` of all, mapped and normalized.
    Source: Warner et al., *Smarter, Better, Faster, Longer* (2024), section 2 and appendix D.
    """

    head: Literal["masked", "bare", "sequences", "mean", "tokens"] = "masked"
    L_w: Expr = sizes.L_w
    w: Expr = sizes.w
    w_max: Expr = sizes.w_max
    windows: Literal["none", "some"] = "some"
    tied: bool = True
    attention_bias: bool = False
    mlp_bias: bool = False
    norm_bias: bool = False
    map_bias: bool = False
    scores_bias: bool = True
    head_activation: Activation = "gelu"

    pools: ClassVar[bool] = False
    title: ClassVar[str] = "encoder-only transformer, pre-LN, GeGLU, rotary positions, windows"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_h: sizes.d / sizes.h}
    references: ClassVar[tuple[str, ...]] = (f"{WARNER}, section 2 and appendix D", BELTAGY)

    def defined(self) -> dict[Size, Expr]:
        """Return how far a query sees."""
        return {sizes.w: Min(self.w_max, sizes.T)}

    def forward(self, tokens: Tensor) -> Steps:
        """Look up the tokens, apply L blocks and a norm, and answer."""
        E = param("E", self.V, self.d)
        return self.ended(self.look_up(tokens, E), E)

    def enter(self, x: Tensor) -> Tensor:
        x = self.normalize(x, "embedding_norm")
        return Dropout()(x, name="embedding_dropout") if self.dropout else x

    def normalize(self, x: Tensor, name: str) -> Tensor:
        """Apply a norm."""
        return norm("layer", self.d, self.norm_bias)(x, name=name)

    def block(self, kind: type[PreLNBlock] = PreLNBlock, near: bool = False) -> Component:
        """Return a block, which may see what is near only."""
        heads = (self.h, self.h, self.d_h, self.d_h)
        attention = Attention(
            self.d, *heads, bias=self.attention_bias, rotary=True,
            dropout=self.dropout and not near,
            mixing=NearAttention(*heads, self.w, self.dropout) if near else None,
        )  # fmt: skip
        network = GatedFeedForward(
            self.d, self.d_ff, self.activation, self.mlp_bias, self.dropout
        )
        return kind(
            self.d, norm="layer", norm_bias=self.norm_bias, dropout=self.dropout,
            attention=attention, network=network,
        )  # fmt: skip

    def through(self, x: Tensor) -> Tensor:
        """Apply the first block, those that see a window, those that see everything, and a norm."""
        x = self.block(EnteringBlock)(x, name="first_block", recompute=self.recompute)
        others = self.L - 1
        if self.windows == "some":
            near = self.block(near=True)
            x = repeat(near, self.L_w, x, name="windowed_block", recompute=self.recompute)
            others = others - self.L_w
        x = repeat(self.block(), others, x, name="block", recompute=self.recompute)
        return self.normalize(x, "final_norm")

    def prepare(self, x: Tensor) -> Tensor:
        """Map and normalize vectors for a head."""
        mapped = Linear(self.d, self.d, self.map_bias)(x, name="head_map")
        return self.normalize(act(self.head_activation, mapped), "head_norm")

    def pool(self, hidden: Tensor) -> Tensor:
        if self.head == "mean":
            swapped = view("B T d -> B d T", hidden)
            return view("B d one -> B (d one)", mean(swapped))
        return view("B one d -> B (one d)", narrow(hidden, 1, 0, ONE))

    def unmask(self, hidden: Tensor, E: Tensor) -> Tensor:
        scores = LMHead(self.V, self.d)
        logits = scores(self.prepare(hidden), E if self.tied else None, name="masked_head")
        return logits + param("b", self.V) if self.scores_bias else logits

    def classify(self, x: Tensor) -> Tensor:
        return super().classify(self.prepare(x))
