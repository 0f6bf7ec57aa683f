"""MiniMax-M3 with images: an encoder that turns patches, and maps before and after merging them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Plain, Seldom
from symledger.components.image_blocks.projectors import PatchMerging, Projector
from symledger.components.norms.norms import LayerNorm
from symledger.ir.tensor import Tensor
from symledger.models.minimax_m3.model import MiniMaxM3
from symledger.models.qwen_vision.model import GRID, framed
from symledger.models.shared.hybrid import Which
from symledger.models.shared.seeing import Answer, Seeing
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import repeat
from symledger.sizes import Size

SOURCE = "transformers 5.23, MiniMaxM3SparseForConditionalGeneration"


@dataclass(frozen=True)
class MiniMaxM3Vision(Component):
    """Blocks over all patches of an image of any size, a norm before the first and none at the end.

    An image is seen as two frames alike. As much as d_rot of each head is turned by where a patch
    stands, a third of it by its frame, its row and its column each, or all of it if not ``partly``.
    Source: transformers 5.23, ``MiniMaxM3VLVisionModel``.
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
    d_rot: Expr = sizes.d_rot
    activation: Plain = "gelu"
    partly: Annotated[bool, Seldom()] = True

    signature: ClassVar[str] = "B C_in H W -> B T_img d"
    title: ClassVar[str] = "encoder over patches, turned by frame, row and column"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_ff: 4 * sizes.d}
    definitions: ClassVar[dict[Size, Expr]] = GRID
    references: ClassVar[tuple[str, ...]] = (SOURCE,)

    def forward(self, x: Tensor) -> Steps:
        width, down, across = self.d / self.h, self.g * self.H_g, self.g * self.W_g
        attention = Attention(
            self.d, self.h, self.h, width, width, bias=True, rotary=True,
            d_rot=self.d_rot if self.partly else None,
        )  # fmt: skip
        network = FeedForward(self.d, self.d_ff, self.activation)
        block = PreLNBlock(self.d, attention=attention, network=network)
        y = framed(x, self.C_in, self.P, self.d, down, across, bias=False)
        y = LayerNorm(self.d)(y, name="first_norm")
        return steps(y=repeat(block, self.L, y, name="block"))


@dataclass(frozen=True)
class MiniMaxM3VL(MiniMaxM3, Seeing):
    """MiniMax-M3 with images of any size: two maps for each patch, then two for g × g of them.

    Source: transformers 5.23, ``MiniMaxM3SparseForConditionalGeneration``.
    """

    head: Answer = "lm"
    g: Expr = sizes.g
    H_g: Expr = sizes.H_g
    W_g: Expr = sizes.W_g
    d_ri: Expr = sizes.d_ri
    d_proj: Expr = sizes.d_proj
    attending: Annotated[Which, Seldom()] = "some"
    dense: Annotated[Which, Seldom()] = "some"
    partly: Annotated[bool, Seldom()] = True
    image_partly: Annotated[bool, Seldom()] = True
    image_activation: Plain = "gelu"

    title: ClassVar[str] = "MiniMax-M3 with images of any size, patches mapped and merged"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **MiniMaxM3.assumptions, sizes.f_img: 4 * sizes.d_img,
    }  # fmt: skip
    definitions: ClassVar[dict[Size, Expr]] = {**MiniMaxM3.definitions, **GRID}
    references: ClassVar[tuple[str, ...]] = (SOURCE,)

    def tower(self) -> Component:
        return MiniMaxM3Vision(
            self.C_in, self.P, self.g, self.H_g, self.W_g, self.d_img, self.L_img, self.h_img,
            self.f_img, self.d_ri, self.image_activation, self.image_partly,
        )  # fmt: skip

    def project(self, seen: Tensor) -> Tensor:
        mapped = Projector(self.d_img, self.d_proj, self.d)(seen, name="projector")
        merged = PatchMerging(self.d, self.g, self.H_g, self.W_g)(mapped, name="merging")
        fused = Projector(self.g**2 * self.d, self.d_proj, self.d)
        return fused(merged, name="merged_projector")
