"""Ovis2: an encoder that gives chances of visual words, and Qwen2 with a table of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.embeddings.positions import LearnedPositions
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom
from symledger.components.heads_and_losses.softmax import Softmax
from symledger.components.image_blocks.patches import PatchEmbedding
from symledger.components.image_blocks.projectors import PatchMerging
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm, RMSNorm
from symledger.ir.tensor import Tensor
from symledger.models.qwen2.model import Qwen2
from symledger.models.shared.seeing import Answer, Seeing, grid
from symledger.models.shared.windows import Windows
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import pad, repeat
from symledger.sizes import Size

LU = "Lu et al., Ovis (2024)"
FINI = "Fini et al., Multimodal Autoregressive Pre-training of Large Vision Encoders (2024)"
GRID = grid(sizes.P * sizes.g, sizes.H_g, sizes.W_g)


@dataclass(frozen=True)
class OvisVision(Component):
    """Blocks over patches as a decoder has them, and for groups of g × g chances of visual words.

    There are V_img visual words, N_ind of which stand for no part of an image and have no chance.
    Source: Fini et al. (2024); Lu et al., *Ovis* (2024).
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    g: Expr = sizes.g
    H_g: Expr = sizes.H_g
    W_g: Expr = sizes.W_g
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_ff: Expr = sizes.d_ff
    V_img: Expr = sizes.V_img
    N_ind: Expr = sizes.N_ind
    activation: Plain = "silu"
    qkv_bias: Annotated[bool, Seldom()] = False
    mlp_bias: Annotated[bool, Seldom()] = False

    signature: ClassVar[str] = "B C_in H W -> B T_tok likely"
    title: ClassVar[str] = "encoder over patches with RMSNorm, chances of visual words"
    definitions: ClassVar[dict[Size, Expr]] = GRID
    references: ClassVar[tuple[str, ...]] = (FINI, LU)

    @property
    def likely(self) -> Expr:
        """How many visual words may be part of an image."""
        return self.V_img - self.N_ind

    def block(self) -> PreLNBlock:
        """Return the block that is repeated."""
        width = self.d / self.h
        return PreLNBlock(
            self.d,
            norm="rms",
            attention=Attention(self.d, self.h, self.h, width, width, self.qkv_bias),
            network=GatedFeedForward(self.d, self.d_ff, self.activation, self.mlp_bias),
        )

    def forward(self, x: Tensor) -> Steps:
        down, across = self.g * self.H_g, self.g * self.W_g
        cut = PatchEmbedding(self.C_in, self.P, self.d, down, across)(x, name="patches")
        entered = RMSNorm(self.d)(cut, name="first_norm")
        placed = LearnedPositions(down * across, self.d)(entered, name="positions")
        hidden = RMSNorm(self.d)(repeat(self.block(), self.L, placed, name="block"), name="norm")
        merged = PatchMerging(self.d, self.g, self.H_g, self.W_g)(hidden, name="merging")
        scores = Linear(self.g**2 * self.d, self.likely, bias=False)(merged, name="head")
        normed = LayerNorm(self.likely)(scores, name="head_norm")
        return steps(hidden=hidden, y=Softmax()(normed, name="softmax"))


@dataclass(frozen=True)
class Ovis2(Qwen2, Seeing):
    """Qwen2 with images: each group of patches is a mean of visual words, weighted by chances.

    Visual words that stand for the ends of images are looked up as words are, and counted so.
    Source: Lu et al., *Ovis* (2024).
    """

    head: Answer = "lm"
    activation: Gating = "silu"
    flash: Annotated[bool, Seldom()] = False
    windows: Annotated[Windows, Seldom()] = "none"
    g: Expr = sizes.g
    H_g: Expr = sizes.H_g
    W_g: Expr = sizes.W_g
    V_img: Expr = sizes.V_img
    N_ind: Expr = sizes.N_ind
    image_activation: Plain = "silu"
    image_qkv_bias: Annotated[bool, Seldom()] = False
    image_mlp_bias: Annotated[bool, Seldom()] = False

    title: ClassVar[str] = "Qwen2 with images, each part a mean of visual words"
    assumptions: ClassVar[dict[Size, Expr]] = Qwen2.assumptions
    definitions: ClassVar[dict[Size, Expr]] = GRID
    references: ClassVar[tuple[str, ...]] = (LU, FINI)

    def tower(self) -> OvisVision:
        return OvisVision(
            self.C_in, self.P, self.g, self.H_g, self.W_g, self.d_img, self.L_img, self.h_img,
            self.f_img, self.V_img, self.N_ind, self.image_activation, self.image_qkv_bias,
            self.image_mlp_bias,
        )  # fmt: skip

    def project(self, seen: Tensor) -> Tensor:
        every = pad(seen, 2, 0, self.V_img)
        return Linear(self.V_img, self.d, bias=False)(every, name="visual_table")
