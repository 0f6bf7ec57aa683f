"""Mistral 3 and LightOnOCR, and their encoder, Pixtral: images of any size in one sequence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.relative import PackedAttention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom
from symledger.components.image_blocks.patches import PatchEmbedding
from symledger.components.image_blocks.projectors import PatchMerging, Projector
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.ir.tensor import Tensor
from symledger.models.mistral.model import Mistral
from symledger.models.qwen3.model import Qwen3
from symledger.models.shared.seeing import Answer, Seeing, grid
from symledger.models.shared.windows import Windows
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import repeat, view
from symledger.sizes import Size

AGRAWAL = "Agrawal et al., Pixtral 12B (2024), section 2.2"


@dataclass(frozen=True)
class PixtralVision(Component):
    """Blocks as a decoder has them over the patches of all images, each of which sees itself alone.

    Where they are ``packed`` into one sequence, as its implementation runs them unfused, all pairs
    of patches are multiplied, and most are hidden. Queries and keys are turned by where a patch
    stands, half of them by its row and half by its column, which counts what turning by one
    position counts.
    Source: Agrawal et al., *Pixtral 12B* (2024), section 2.2.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    H_p: Expr = sizes.H_p
    W_p: Expr = sizes.W_p
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_ff: Expr = sizes.d_ff
    activation: Plain = "gelu"
    packed: bool = True

    signature: ClassVar[str] = "B C_in H W -> B T_img d"
    title: ClassVar[str] = "encoder over patches with RMSNorm, gated networks, rotary positions"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_ff: 4 * sizes.d}
    definitions: ClassVar[dict[Size, Expr]] = {
        sizes.H: sizes.P * sizes.H_p, sizes.W: sizes.P * sizes.W_p,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (AGRAWAL,)

    def block(self) -> PreLNBlock:
        """Return the block that is repeated."""
        width = self.d / self.h
        heads = (self.h, self.h, width, width)
        mixing = PackedAttention(*heads, self.H_p * self.W_p) if self.packed else None
        return PreLNBlock(
            self.d, norm="rms", attention=Attention(self.d, *heads, rotary=True, mixing=mixing),
            network=GatedFeedForward(self.d, self.d_ff, self.activation),
        )  # fmt: skip

    def forward(self, x: Tensor) -> Steps:
        cut = PatchEmbedding(self.C_in, self.P, self.d, self.H_p, self.W_p, bias=False)
        patches = cut(x, name="patches")
        entered = view("b t d -> () (b t) d", patches) if self.packed else patches
        normalized = RMSNorm(self.d)(entered, name="first_norm")
        hidden = repeat(self.block(), self.L, normalized, name="block")
        apart = view("() (b t) d -> b t d", hidden, b=x.shape[0]) if self.packed else hidden
        return steps(y=apart)


@dataclass(frozen=True)
class PixtralSeeing(Seeing):
    """What decoders with Pixtral's encoder share: g × g vectors made one, and two maps.

    Images are seen one by one, or ``packed`` into one sequence as the implementation runs them.
    Source: Mistral AI's implementation (transformers 5.23, ``Mistral3MultiModalProjector``).
    """

    g: Expr = sizes.g
    H_g: Expr = sizes.H_g
    W_g: Expr = sizes.W_g
    image_activation: Plain = "gelu"
    projector_activation: Plain = "gelu"
    projector_bias: Annotated[bool, Seldom()] = False
    packed: Annotated[bool, Seldom()] = False

    definitions: ClassVar[dict[Size, Expr]] = grid(sizes.P * sizes.g, sizes.H_g, sizes.W_g)

    def tower(self) -> Component:
        return PixtralVision(
            self.C_in, self.P, self.g * self.H_g, self.g * self.W_g, self.d_img, self.L_img,
            self.h_img, self.f_img, self.image_activation, self.packed,
        )  # fmt: skip

    def project(self, seen: Tensor) -> Tensor:
        normalized = RMSNorm(self.d_img)(seen, name="projector_norm")
        merging = PatchMerging(self.d_img, self.g, self.H_g, self.W_g)
        wide = merging(normalized, name="merging")
        merged = Linear(self.g**2 * self.d_img, self.d_img, bias=False)(wide, name="merger")
        projector = Projector(
            self.d_img, self.d, self.d, self.projector_activation, self.projector_bias
        )
        return projector(merged, name="projector")


@dataclass(frozen=True)
class Mistral3(Mistral, PixtralSeeing):
    """Mistral with images: Pixtral's vectors, normalized, g × g of them made one, and two maps.

    Source: Mistral AI's implementation (transformers 5.23, ``Mistral3MultiModalProjector``).
    """

    head: Answer = "lm"
    activation: Gating = "silu"
    windows: Annotated[Windows, Seldom()] = "none"

    title: ClassVar[str] = "Mistral with images: groups of patches merged, two maps"
    definitions: ClassVar[dict[Size, Expr]] = PixtralSeeing.definitions
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Mistral.assumptions, sizes.f_img: 4 * sizes.d_img,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (AGRAWAL, *Mistral.references)


@dataclass(frozen=True)
class LightOnOcr(Mistral3):
    """LightOnOCR: the same before a decoder whose queries and keys are normalized, Qwen3.

    Source: Taghadouini et al., *LightOnOCR* (2026).
    """

    flash: Annotated[bool, Seldom()] = False
    projector_activation: Literal["gelu"] = "gelu"
    projector_bias: Literal[False] = False
    attention_bias: Annotated[bool, Seldom()] = False

    title: ClassVar[str] = "Qwen3 with images: groups of patches merged, two maps"
    references: ClassVar[tuple[str, ...]] = (
        "Taghadouini et al., LightOnOCR (2026)", AGRAWAL, *Qwen3.references,
    )  # fmt: skip

    def attention(self) -> Attention:
        return replace(super().attention(), bias=self.attention_bias, qk_norm="rms")
