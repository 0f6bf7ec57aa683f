"""Llama 4 with images: its encoder, groups of patches laid side by side, and three maps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.chunks import META
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.feed_forward.nonlinearities import Gating, Seldom, act
from symledger.components.image_blocks.patches import ImageEmbedding
from symledger.components.image_blocks.projectors import PatchMerging
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.tensor import Tensor
from symledger.models.llama4.model import Llama4
from symledger.models.qwen_vision.model import GRID
from symledger.models.shared.seeing import Answer, Seeing
from symledger.models.shared.windows import Windows
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import narrow, repeat
from symledger.sizes import Size

CLASS = "transformers 5.23, Llama4VisionModel"


@dataclass(frozen=True)
class Llama4Vision(Component):
    """A vision transformer with norms on either side, whose vectors are merged and mapped.

    The class vector is one of those that attend, and is left out of what is merged. Queries and
    keys are turned by where a patch stands, which counts what turning by one position counts. The
    vectors of g × g patches side by side are as wide as its networks, and go through two maps, each
    followed by GELU.
    Source: transformers 5.23, ``Llama4VisionModel``.
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
    d_out: Expr = sizes.d_out

    signature: ClassVar[str] = "B C_in H W -> B T_tok d_out"
    title: ClassVar[str] = "pre-LN encoder over patches turned by place, groups of them mapped"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_ff: 4 * sizes.d}
    definitions: ClassVar[dict[Size, Expr]] = GRID
    references: ClassVar[tuple[str, ...]] = (CLASS,)

    def forward(self, x: Tensor) -> Steps:
        down, across = self.g * self.H_g, self.g * self.W_g
        patches = down * across
        embedding = ImageEmbedding(self.C_in, self.P, self.d, down, patches + 1, bias=False)
        entered = LayerNorm(self.d)(embedding(x, name="embedding"), name="first_norm")
        width = self.d / self.h
        block = PreLNBlock(
            self.d, d_ff=self.d_ff,
            attention=Attention(self.d, self.h, self.h, width, width, bias=True, rotary=True),
        )  # fmt: skip
        hidden = repeat(block, self.L, entered, name="block")
        normed = LayerNorm(self.d)(hidden, name="final_norm")
        merging = PatchMerging(self.d, self.g, self.H_g, self.W_g)
        merged = merging(narrow(normed, 1, 1, patches), name="merging")
        wide = self.g**2 * self.d
        inner = act("gelu", Linear(wide, self.d_out, False)(merged, name="adapter.1"))
        outer = Linear(self.d_out, self.d_out, False)(inner, name="adapter.2")
        return steps(hidden=hidden, y=act("gelu", outer))


@dataclass(frozen=True)
class Llama4Seeing(Llama4, Seeing):
    """Llama 4 with images, each tile of which is one image here.

    Source: Meta, *The Llama 4 herd* (2025); transformers 5.23, ``Llama4VisionModel``.
    """

    head: Answer = "lm"
    activation: Gating = "silu"
    flash: Annotated[bool, Seldom()] = False
    attention_bias: Annotated[bool, Seldom()] = False
    windows: Annotated[Windows, Seldom()] = "some"
    qk_norm: Annotated[bool, Seldom()] = True
    every: Annotated[bool, Seldom()] = True
    dense_layers: Annotated[bool, Seldom()] = False
    g: Expr = sizes.g
    H_g: Expr = sizes.H_g
    W_g: Expr = sizes.W_g
    d_out: Expr = sizes.d_out

    title: ClassVar[str] = "Llama 4 with images, groups of patches a token"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Llama4.assumptions, sizes.f_img: 4 * sizes.d_img,
    }  # fmt: skip
    definitions: ClassVar[dict[Size, Expr]] = {**Llama4.definitions, **GRID}
    references: ClassVar[tuple[str, ...]] = (META, CLASS)

    def tower(self) -> Component:
        return Llama4Vision(
            self.C_in, self.P, self.g, self.H_g, self.W_g, self.d_img, self.L_img, self.h_img,
            self.f_img, self.d_out,
        )  # fmt: skip

    def project(self, seen: Tensor) -> Tensor:
        return Linear(self.d_out, self.d, False)(seen, name="projector")
