"""MoonViT and two like it, and the decoders that see by them: Kimi K2.5, PaddleOCR, VideoLLaMA."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom
from symledger.components.image_blocks.patches import PatchEmbedding
from symledger.components.image_blocks.projectors import PatchMerging, Projector
from symledger.components.norms.norms import LayerNorm
from symledger.ir.tensor import Tensor
from symledger.models.deepseek.model import DeepSeek, Experts
from symledger.models.llama.model import Llama
from symledger.models.qwen2.model import Qwen2
from symledger.models.qwen_vision.model import GRID, Merger
from symledger.models.shared.seeing import Answer, Seeing, shares
from symledger.models.shared.windows import Windows
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import repeat
from symledger.sizes import Size

Places = Literal["none", "bilinear", "bicubic"]
"""How a table of places is read for images of another size, where there is one."""
AROUND = {"bilinear": Integer(4), "bicubic": Integer(16)}
KIMI = "Kimi Team, Kimi-VL (2025)"


@dataclass(frozen=True)
class RotaryVision(Component):
    """Blocks over all patches of an image of any size, and a norm at the end.

    Queries and keys are turned by where a patch stands, half of them by its row and half by its
    column, which counts what turning by one position counts. Where there is a table of T_max
    ``places``, each patch is given shares of the rows that lie around it, four or sixteen.
    Source: Kimi Team, *Kimi-VL* (2025).
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    H_p: Expr = sizes.H_p
    W_p: Expr = sizes.W_p
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_ff: Expr = sizes.d_ff
    T_max: Expr = sizes.T_max
    activation: Gating = "gelu_tanh"
    places: Places = "bicubic"

    signature: ClassVar[str] = "B C_in H W -> B T_img d"
    title: ClassVar[str] = "pre-LN encoder over patches of images of any size, turned by place"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_ff: 4 * sizes.d}
    definitions: ClassVar[dict[Size, Expr]] = {
        sizes.H: sizes.P * sizes.H_p, sizes.W: sizes.P * sizes.W_p,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (KIMI,)

    def forward(self, x: Tensor) -> Steps:
        cut = PatchEmbedding(self.C_in, self.P, self.d, self.H_p, self.W_p)
        entered = cut(x, name="patches")
        if self.places != "none":
            around = AROUND[self.places]
            entered = entered + shares(self.T_max, self.d, self.H_p * self.W_p, around)
        width = self.d / self.h
        block = PreLNBlock(
            self.d, d_ff=self.d_ff, activation=self.activation,
            attention=Attention(self.d, self.h, self.h, width, width, bias=True, rotary=True),
        )  # fmt: skip
        hidden = repeat(block, self.L, entered, name="block")
        return steps(hidden=hidden, y=LayerNorm(self.d)(hidden, name="final_norm"))


@dataclass(frozen=True)
class RotarySeeing(Seeing):
    """A decoder that sees by such an encoder: groups of g × g patches are laid side by side."""

    g: Expr = sizes.g
    H_g: Expr = sizes.H_g
    W_g: Expr = sizes.W_g
    T_max: Expr = sizes.T_max
    image_activation: Plain = "gelu_tanh"

    definitions: ClassVar[dict[Size, Expr]] = GRID
    places: ClassVar[Places] = "bicubic"

    def tower(self) -> Component:
        return RotaryVision(
            self.C_in, self.P, self.g * self.H_g, self.g * self.W_g, self.d_img, self.L_img,
            self.h_img, self.f_img, self.T_max, self.image_activation, self.places,
        )  # fmt: skip

    def project(self, seen: Tensor) -> Tensor:
        merger = Merger(self.d_img, self.g, self.H_g, self.W_g, self.d)
        return merger(seen, name="projector")


@dataclass(frozen=True)
class KimiSeeing(DeepSeek, RotarySeeing):
    """Kimi K2.5: the decoder of Kimi K2, with images of any size.

    Source: Kimi Team, *Kimi-VL* (2025); transformers 5.23,
    ``Kimi_K25ForConditionalGeneration``.
    """

    head: Answer = "lm"
    experts: Annotated[Experts, Seldom()] = "some"
    low_rank: Annotated[bool, Seldom()] = True
    attention_bias: Annotated[bool, Seldom()] = False
    absorbed: Annotated[bool, Seldom()] = False
    mlp_bias: Literal[False] = False
    experts_norm: Literal[False] = False

    title: ClassVar[str] = "latent attention, routed experts, and images of any size"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **DeepSeek.assumptions, sizes.f_img: 4 * sizes.d_img,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        KIMI, "transformers 5.23, Kimi_K25ForConditionalGeneration",
    )  # fmt: skip


@dataclass(frozen=True)
class PaddleOcr(Llama, RotarySeeing):
    """PaddleOCR-VL: LLaMA's blocks, and what is written on a page of any size.

    Source: Cui et al., *PaddleOCR-VL* (2025).
    """

    head: Answer = "lm"
    activation: Gating = "silu"
    flash: Annotated[bool, Seldom()] = False

    places: ClassVar[Places] = "bilinear"
    title: ClassVar[str] = "LLaMA with pages of any size, groups of patches side by side"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Llama.assumptions, sizes.f_img: 4 * sizes.d_img,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = ("Cui et al., PaddleOCR-VL (2025)",)


@dataclass(frozen=True)
class VideoLlama3(Qwen2, RotarySeeing):
    """VideoLLaMA 3: Qwen2 with images of any size, whose encoder has no table of places.

    Groups of vectors are averaged, g × g of each side, which leaves images as they are where g = 1.
    Source: Zhang et al., *VideoLLaMA 3* (2025).
    """

    head: Answer = "lm"
    activation: Gating = "silu"
    flash: Annotated[bool, Seldom()] = False
    windows: Annotated[Windows, Seldom()] = "none"

    places: ClassVar[Places] = "none"
    title: ClassVar[str] = "Qwen2 with images of any size, groups of patches averaged"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Qwen2.assumptions, sizes.f_img: 4 * sizes.d_img,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = ("Zhang et al., VideoLLaMA 3 (2025)",)

    def project(self, seen: Tensor) -> Tensor:
        merging = PatchMerging(self.d_img, self.g, self.H_g, self.W_g, averaged=True)
        projector = Projector(self.d_img, self.d, self.d)
        return projector(merging(seen, name="merging"), name="projector")
