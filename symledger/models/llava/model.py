"""LLaVA: a CLIP encoder, two maps, and LLaMA or one of its likes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom
from symledger.components.image_blocks.projectors import LIU, Projector
from symledger.components.norms.norms import LayerNorm
from symledger.ir.tensor import Tensor
from symledger.models.clip.model import ClipPatches
from symledger.models.llama.model import Llama
from symledger.models.shared.seeing import Answer, Seeing, grid
from symledger.sizes import Size


@dataclass(frozen=True)
class Llava(Llama, Seeing):
    """LLaMA with images: CLIP's vectors of patches, one block before the last, through two maps.

    Where not an ``inner`` block of the encoder is read, the last one is; where all is ``all_read``,
    the class vector is a position of the sequence, too.
    Source: Liu et al., *Visual Instruction Tuning* (2023), section 4.1; *Improved Baselines with
    Visual Instruction Tuning* (2023), section 3.2, for the second map.
    """

    head: Answer = "lm"
    activation: Gating = "silu"
    H_p: Expr = sizes.H_p
    W_p: Expr = sizes.W_p
    L_u: Expr = sizes.L_u
    image_activation: Plain = "quick_gelu"
    projector_activation: Plain = "gelu"
    projector_bias: Annotated[bool, Seldom()] = True
    inner: Annotated[bool, Seldom()] = True
    all_read: Annotated[bool, Seldom()] = False

    title: ClassVar[str] = "LLaMA with images: a CLIP encoder, two maps, a decoder"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Llama.assumptions, sizes.f_img: 4 * sizes.d_img,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "Liu et al., Visual Instruction Tuning (2023), section 4.1", LIU,
    )  # fmt: skip

    def decided(self) -> Mapping[Size, Expr]:
        """Return how large an image is, and how many vectors it has."""
        found = grid(sizes.P, sizes.H_p, sizes.W_p)
        return {**found, sizes.T_tok: found[sizes.T_tok] + int(self.all_read)}

    def tower(self) -> ClipPatches:
        return ClipPatches(
            self.d_img, self.L_img, self.h_img, self.f_img, activation=self.image_activation,
            flash=self.flash, C_in=self.C_in, P=self.P, H_p=self.H_p, T=self.H_p * self.W_p + 1,
            L_u=self.L_u, inner=self.inner, all_read=self.all_read,
        )  # fmt: skip

    def project(self, seen: Tensor) -> Tensor:
        projector = Projector(
            self.d_img, self.d, self.d, self.projector_activation, self.projector_bias
        )
        return projector(seen, name="projector")


@dataclass(frozen=True)
class VipLlava(Llava):
    """LLaVA that reads L_v blocks of its encoder side by side, which are normalized together.

    Source: Cai et al., *ViP-LLaVA* (2023).
    """

    head: Answer = "lm"
    flash: Annotated[bool, Seldom()] = False
    L_v: Expr = sizes.L_v
    projector_bias: Literal[True] = True
    all_read: Literal[False] = False

    title: ClassVar[str] = "LLaMA with images, of whose encoder several blocks are read"
    references: ClassVar[tuple[str, ...]] = ("Cai et al., ViP-LLaVA (2023)", LIU)

    def tower(self) -> ClipPatches:
        return replace(super().tower(), L_v=self.L_v)

    def project(self, seen: Tensor) -> Tensor:
        width = self.L_v * self.d_img
        normed = LayerNorm(width)(seen, name="projector_norm")
        projector = Projector(width, self.d, self.d, self.projector_activation)
        return projector(normed, name="projector")
