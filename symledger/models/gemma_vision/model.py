"""Gemma 3 with images, and PaliGemma: what SigLIP's encoder sees, among the words of Gemma."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.dot_product import ScaledDotProduct
from symledger.components.attention.relative import ImageAttention, RecentImageAttention
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.ir.tensor import Tensor
from symledger.models.gemma.model import Gemma, Gemma3
from symledger.models.idefics3.model import GroupedSeeing
from symledger.models.shared.seeing import Answer, Seeing, grid
from symledger.models.siglip.model import SiglipImage
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class Gemma3Vision(Gemma3, GroupedSeeing):
    """Gemma 3 with images: SigLIP's vectors, averaged over groups, normalized, through one map.

    Positions of an image see all of it, also what comes after them. The encoder has a part that
    reads it by attention, which is computed, and left ``idle``.
    Source: Gemma Team, *Gemma 3* (2025), section 2.1.
    """

    head: Answer = "lm"
    activation: Gating = "gelu_tanh"
    T_tok: Expr = sizes.T_tok
    idle: Annotated[bool, Seldom()] = False  # type: ignore[misc]  # here, a choice
    both_ways: Literal[False] = False
    capped_scores: Literal[False] = False

    title: ClassVar[str] = "Gemma 3 with images: groups of patches averaged, a norm, one map"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Gemma3.assumptions, sizes.f_img: 4 * sizes.d_img,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = ("Gemma Team, Gemma 3 (2025), section 2.1",)

    def project(self, seen: Tensor) -> Tensor:
        averaged = self.merged(seen, averaged=True)
        normalized = RMSNorm(self.d_img)(averaged, name="projector_norm")
        return Linear(self.d_img, self.d, bias=False)(normalized, name="projector")

    def attention(self) -> Attention:
        plain = super().attention()
        if self.cached:  # images have been: what is left is causal
            return plain
        heads = (self.h, self.h_kv, self.d_h, self.d_h)
        return replace(plain, mixing=ImageAttention(*heads, self.n_img, self.T_tok))

    def mixing(self, attention: Attention) -> Component:
        if self.cached:
            return super().mixing(attention)
        heads = (self.h, self.h_kv, self.d_h, self.d_h)
        return RecentImageAttention(*heads, self.w, n_img=self.n_img, T_tok=self.T_tok)


@dataclass(frozen=True)
class PaliGemma(Gemma, Seeing):
    """Gemma with images: SigLIP's vectors of all patches, through one map.

    All T positions are the images and the prompt, of which each sees all others.
    Source: Beyer et al., *PaliGemma* (2024), section 3.1 and figure 2.
    """

    head: Answer = "lm"
    activation: Gating = "gelu_tanh"
    H_p: Expr = sizes.H_p
    W_p: Expr = sizes.W_p
    image_activation: Plain = "gelu_tanh"
    idle: Annotated[bool, Seldom()] = False

    title: ClassVar[str] = "Gemma with images: all patches, one map, a prompt that sees all of it"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Gemma.assumptions, sizes.f_img: 4 * sizes.d_img,
    }  # fmt: skip
    definitions: ClassVar[dict[Size, Expr]] = grid(sizes.P, sizes.H_p, sizes.W_p)
    references: ClassVar[tuple[str, ...]] = ("Beyer et al., PaliGemma (2024), section 3.1",)

    def tower(self) -> Component:
        return SiglipImage(
            self.d_img, self.L_img, self.h_img, self.f_img, self.image_activation,
            C_in=self.C_in, P=self.P, H_p=self.H_p, T=self.H_p * self.W_p, pooled=False,
            idle=self.idle,
        )  # fmt: skip

    def project(self, seen: Tensor) -> Tensor:
        return Linear(self.d_img, self.d)(seen, name="projector")

    def attention(self) -> Attention:
        plain = super().attention()
        if self.cached:
            return plain
        heads = (self.h, self.h_kv, self.d_h, self.d_h)
        return replace(plain, mixing=ScaledDotProduct(*heads, causal=False))
