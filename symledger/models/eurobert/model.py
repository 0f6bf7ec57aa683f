"""EuroBERT: LLaMA's blocks without a mask, and a head for masked tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.embeddings.embedding import LMHead
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Activation, act
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.encoder import Encoder
from symledger.notation.component import Steps
from symledger.notation.verbs import mean, narrow, param, view
from symledger.sizes import Size


@dataclass(frozen=True)
class EuroBert(Encoder):
    """An encoder of gated, rotary pre-LN blocks whose queries may share keys and values.

    Classes are scored of the first token, of the ``mean`` of all, or ``late``: of each token, and
    the scores averaged. ``dropout`` is that of the attention weights alone.
    Source: Boizard et al., *EuroBERT* (2025).
    """

    h_kv: Expr = sizes.h_kv
    head: Literal["masked", "bare", "sequences", "mean", "late", "tokens"] = "masked"
    activation: Activation = "silu"
    tied: bool = False
    attention_bias: bool = False
    mlp_bias: bool = False
    flash: bool = False

    pools: ClassVar[bool] = False
    title: ClassVar[str] = "encoder-only transformer, pre-LN RMSNorm, SwiGLU, rotary positions"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_h: sizes.d / sizes.h, sizes.h_kv: sizes.h}
    references: ClassVar[tuple[str, ...]] = ("Boizard et al., EuroBERT (2025)",)

    def forward(self, tokens: Tensor) -> Steps:
        """Look up the tokens, apply L blocks and a norm, and answer."""
        E = param("E", self.V, self.d)
        return self.ended(self.look_up(tokens, E), E)

    def enter(self, x: Tensor) -> Tensor:
        return x

    def block(self) -> PreLNBlock:
        """Return the block that is repeated."""
        heads = (self.h, self.h_kv, self.d_h, self.d_h)
        return PreLNBlock(
            self.d, norm="rms",
            attention=Attention(
                self.d, *heads, bias=self.attention_bias, rotary=True, dropout=self.dropout,
                flash=self.flash,
            ),
            network=GatedFeedForward(self.d, self.d_ff, self.activation, self.mlp_bias),
        )  # fmt: skip

    def through(self, x: Tensor) -> Tensor:
        """Apply the blocks, and a norm."""
        return RMSNorm(self.d)(super().through(x), name="final_norm")

    def unmask(self, hidden: Tensor, E: Tensor) -> Tensor:
        logits = LMHead(self.V, self.d)(hidden, E if self.tied else None, name="masked_head")
        return logits + param("b", self.V) if self.mlp_bias else logits

    def pool(self, hidden: Tensor) -> Tensor:
        """Make one vector of the sequence, or leave all."""
        if self.head == "late":
            return hidden
        if self.head == "mean":
            return self.average(hidden)
        return view("B one d -> B (one d)", narrow(hidden, 1, 0, ONE))

    def average(self, x: Tensor) -> Tensor:
        """Average over the tokens."""
        return view("B n one -> B (n one)", mean(view("B T n -> B n T", x)))

    def classify(self, x: Tensor) -> Tensor:
        """Score the classes, of a sequence after a map and a GELU."""
        if self.classifies:
            x = act("gelu", Linear(self.d, self.d)(x, name="head_map"))
        logits = Linear(self.d, self.Y)(x, name="classifier")
        return self.average(logits) if self.head == "late" else logits
