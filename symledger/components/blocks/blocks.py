"""Transformer blocks: attention and a feed-forward network, each beside a residual path.

How the parts and norms are arranged is what the kinds of block differ in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.dot_product import VASWANI
from symledger.components.feed_forward.feed_forward import FeedForward, GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.components.heads_and_losses.dropout import Dropout
from symledger.components.norms.norms import ComposedRMSNorm, LayerNorm, RMSNorm
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.sizes import Size

Norm = Literal["layer", "layer_plain", "rms", "rms_composed"]
"""The norms; ``layer_plain`` has no weights, ``rms_composed`` is operation by operation."""
NORMS = {"rms": RMSNorm, "rms_composed": ComposedRMSNorm}


def norm(kind: Norm, d: Expr, bias: bool = True) -> Component:
    """Return the norm of that kind; a layer norm has a bias unless it is to have none."""
    if kind in NORMS:
        made: Component = NORMS[kind](d)
        return made
    return LayerNorm(d, affine=kind == "layer", bias=bias)


@dataclass(frozen=True)
class Block(Component):
    """What all kinds of block share: their sizes, choices and parts.

    ``dropout`` is that of the attention weights and of what the two parts add; ``hidden_dropout``
    that of the feed-forward network's hidden values. A family may put an ``attention`` and a
    ``network`` of its own in the place of those that the sizes and choices describe.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h
    h_kv: Expr = sizes.h_kv
    d_k: Expr = sizes.d_k
    d_v: Expr = sizes.d_v
    d_ff: Expr = sizes.d_ff
    norm: Norm = "layer"
    activation: Activation = "gelu"
    gated: bool = False
    bias: bool = True
    causal: bool = True
    rotary: bool = False
    dropout: bool = False
    flash: bool = False
    hidden_dropout: bool = False
    norm_bias: bool = True
    attention: Component | None = None
    network: Component | None = None

    signature: ClassVar[str] = "B T d -> B T d"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.h_kv: sizes.h, sizes.d_k: sizes.d / sizes.h, sizes.d_v: sizes.d / sizes.h,
        sizes.d_ff: 4 * sizes.d,
    }  # fmt: skip

    def attend(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        """Apply self-attention, or cross-attention to a memory, and dropout if there is any.

        Positions order x alone: nothing of a memory is hidden from it or turned.
        """
        name, own = ("attention", True) if memory is None else ("cross_attention", False)
        attention = self.attention if own and self.attention else Attention(
            self.d, self.h, self.h_kv, self.d_k, self.d_v, self.bias,
            self.causal and own, self.rotary and own, self.dropout, self.flash,
        )  # fmt: skip
        y = attention(*([x] if memory is None else [x, memory]), name=name)
        return Dropout()(y, name=f"{name}_dropout") if self.dropout else y

    def feed(self, x: Tensor) -> Tensor:
        """Apply the feed-forward network, and dropout to its result if there is any."""
        kind = GatedFeedForward if self.gated else FeedForward
        network = self.network or kind(
            self.d, self.d_ff, self.activation, self.bias, self.hidden_dropout
        )
        y = network(x, name="feed_forward")
        return Dropout()(y, name="feed_forward_dropout") if self.dropout else y

    def normalize(self, x: Tensor, number: int) -> Tensor:
        """Apply one of the norms."""
        return norm(self.norm, self.d, self.norm_bias)(x, name=f"norm_{number}")


@dataclass(frozen=True)
class PreLNBlock(Block):
    """A block that normalizes what enters attention and the feed-forward network.

    Source: Xiong et al., *On Layer Normalization in the Transformer Architecture* (2020).
    """

    title: ClassVar[str] = "transformer block, norms before attention and feed-forward"
    references: ClassVar[tuple[str, ...]] = (
        "Xiong et al., On Layer Normalization in the Transformer Architecture (2020), figure 1b",
    )

    def forward(self, x: Tensor) -> Steps:
        middle = x + self.attend(self.normalize(x, 1))
        return steps(middle=middle, y=middle + self.feed(self.normalize(middle, 2)))


@dataclass(frozen=True)
class PostLNBlock(Block):
    """A block that normalizes after each residual sum, as the first transformer did.

    Source: Vaswani et al., *Attention Is All You Need* (2017), section 3.1.
    """

    causal: bool = False

    title: ClassVar[str] = "transformer block, norms after each residual sum"
    references: ClassVar[tuple[str, ...]] = (VASWANI.replace("3.2", "3.1"),)

    def forward(self, x: Tensor) -> Steps:
        middle = self.normalize(x + self.attend(x), 1)
        return steps(middle=middle, y=self.normalize(middle + self.feed(middle), 2))


@dataclass(frozen=True)
class ParallelBlock(Block):
    """A block whose attention and network read the same input; both results are added to it.

    They share one norm, or with ``two_norms`` each has its own.
    Source: Wang, Komatsuzaki, *GPT-J-6B* (2021); Black et al., *GPT-NeoX-20B* (2022), section
    2.1; Chowdhery et al., *PaLM* (2022), section 2.
    """

    two_norms: bool = False

    title: ClassVar[str] = "transformer block, attention and feed-forward side by side"
    references: ClassVar[tuple[str, ...]] = (
        "Wang, Komatsuzaki, GPT-J-6B (2021)", "Black et al., GPT-NeoX-20B (2022), section 2.1",
        "Chowdhery et al., PaLM (2022), section 2",
    )  # fmt: skip

    def forward(self, x: Tensor) -> Steps:
        n = self.normalize(x, 1)
        attended = self.attend(n)
        fed = self.feed(self.normalize(x, 2) if self.two_norms else n)
        return steps(attended=attended, fed=fed, y=x + attended + fed)


@dataclass(frozen=True)
class SandwichBlock(Block):
    """A block that normalizes what enters each part and what leaves it.

    Source: Ding et al., *CogView* (2021), section 2.4; Gemma Team, *Gemma 2* (2024), section 2.
    """

    title: ClassVar[str] = "transformer block, norms before and after each part"
    references: ClassVar[tuple[str, ...]] = (
        "Ding et al., CogView (2021), section 2.4", "Gemma Team, Gemma 2 (2024), section 2",
    )  # fmt: skip

    def forward(self, x: Tensor) -> Steps:
        middle = x + self.normalize(self.attend(self.normalize(x, 1)), 2)
        fed = self.normalize(self.feed(self.normalize(middle, 3)), 4)
        return steps(middle=middle, y=middle + fed)


@dataclass(frozen=True)
class ReorderedBlock(Block):
    """A block that normalizes only what leaves each part, before it is added.

    Source: Liu et al., *Swin Transformer V2* (2022), section 3.2; OLMo Team, *2 OLMo 2 Furious*
    (2024), section 2.
    """

    title: ClassVar[str] = "transformer block, norms after each part, inside the residual path"
    references: ClassVar[tuple[str, ...]] = (
        "Liu et al., Swin Transformer V2 (2022), section 3.2",
        "OLMo Team, 2 OLMo 2 Furious (2024), section 2",
    )

    def forward(self, x: Tensor) -> Steps:
        middle = x + self.normalize(self.attend(x), 1)
        return steps(middle=middle, y=middle + self.normalize(self.feed(middle), 2))
