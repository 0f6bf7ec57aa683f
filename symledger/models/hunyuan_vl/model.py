"""HunYuan-VL: an encoder of images of any size whose rows of groups are ended, and Qwen3's kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom, act
from symledger.components.image_blocks.patches import PatchEmbedding
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.ir.building import leave_idle
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.qwen3.model import Qwen3
from symledger.models.shared.seeing import Answer, Seeing, shares
from symledger.models.shared.windows import Windows
from symledger.models.siglip.model import AROUND
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import expand, join, param, repeat, view
from symledger.sizes import Size

HUNYUAN = "transformers 5.23, HunYuanVLForConditionalGeneration"
ROWS: Mapping[Size, Expr] = {
    sizes.H: sizes.P * sizes.g * sizes.H_g, sizes.W: sizes.P * sizes.g * sizes.W_g,
    sizes.T_tok: sizes.H_g * (sizes.W_g + 1) + 2,
}  # fmt: skip
"""How large an image is, and how many positions it fills: rows have an end, and all of them two."""


@dataclass(frozen=True)
class HunyuanVision(Component):
    """Blocks over all patches of an image of any size; then a convolution over groups of g × g.

    Each patch takes a share of four rows of a table of places, whose first row none is told. What a
    group gives is mapped to twice the width and to four times it. Rows of groups are ended by a
    learned vector, the image begins and ends with one; a fourth is learned, and ``idle``.
    Source: transformers 5.23, ``HunYuanVLVisionTransformer``.
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
    T_max: Expr = sizes.T_max
    activation: Plain = "gelu"

    signature: ClassVar[str] = "B C_in H W -> B T_tok d_out"
    title: ClassVar[str] = "encoder over patches of images of any size, whose rows have an end"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_ff: 4 * sizes.d}
    definitions: ClassVar[dict[Size, Expr]] = dict(ROWS)
    references: ClassVar[tuple[str, ...]] = ("transformers 5.23, HunYuanVLVisionTransformer",)

    def forward(self, x: Tensor) -> Steps:
        down, across, width = self.g * self.H_g, self.g * self.W_g, self.d / self.h
        cut = PatchEmbedding(self.C_in, self.P, self.d, down, across)(x, name="patches")
        placed = cut + shares(self.T_max, self.d, down * across, AROUND)
        block = PreLNBlock(
            self.d, self.h, self.h, width, width, self.d_ff, activation=self.activation,
            causal=False,
        )  # fmt: skip
        hidden = repeat(block, self.L, placed, name="block")
        return steps(hidden=hidden, y=self.shrunk(RMSNorm(self.d)(hidden, name="final_norm")))

    def shrunk(self, x: Tensor) -> Tensor:
        """Make one vector of each group, end rows, and make all as wide as those of words."""
        square = view("b (i j) d -> b d i j", x, i=self.g * self.H_g)
        groups = PatchEmbedding(self.d, self.g, 2 * self.d, self.H_g, self.W_g)
        shrunk = act(self.activation, groups(square, name="groups"))
        wide = Linear(2 * self.d, 4 * self.d)(shrunk, name="widening")
        rows = view("b (i j) d -> b i j d", wide, i=self.H_g)
        end = view("d -> () () () d", param("line_end", 4 * self.d))
        ended = join([rows, expand(end, (x.shape[0], self.H_g, ONE, 4 * self.d))], axis=2)
        words = Linear(4 * self.d, self.d_out)(view("b i j d -> b (i j) d", ended), name="map")
        first, last, idle = (param(name, self.d_out) for name in ("first", "last", "between"))
        leave_idle(idle)
        whole = join([self.single(first, x), words, self.single(last, x)], axis=1)
        return RMSNorm(self.d_out)(whole, name="norm")

    def single(self, vector: Tensor, x: Tensor) -> Tensor:
        """Repeat a vector for every image, as one position of it."""
        return expand(view("d -> () () d", vector), (x.shape[0], ONE, self.d_out))


@dataclass(frozen=True)
class HunyuanVL(Qwen3, Seeing):
    """HunYuan's dense decoder, which is Qwen3's, with images of any size.

    Source: transformers 5.23, ``HunYuanVLForConditionalGeneration``.
    """

    head: Answer = "lm"
    activation: Gating = "silu"
    flash: Annotated[bool, Seldom()] = False
    windows: Annotated[Windows, Seldom()] = "none"
    attention_bias: Annotated[bool, Seldom()] = False
    g: Expr = sizes.g
    H_g: Expr = sizes.H_g
    W_g: Expr = sizes.W_g
    T_max: Expr = sizes.T_max
    image_activation: Plain = "gelu"

    title: ClassVar[str] = "HunYuan with images of any size, whose rows have an end"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Qwen3.assumptions, sizes.f_img: 4 * sizes.d_img,
    }  # fmt: skip
    definitions: ClassVar[dict[Size, Expr]] = dict(ROWS)
    references: ClassVar[tuple[str, ...]] = (HUNYUAN,)

    def tower(self) -> HunyuanVision:
        return HunyuanVision(
            self.C_in, self.P, self.g, self.H_g, self.W_g, self.d_img, self.L_img, self.h_img,
            self.f_img, self.d, self.T_max, activation=self.image_activation,
        )  # fmt: skip

    def project(self, seen: Tensor) -> Tensor:
        return seen
