"""Idefics3 and SmolVLM: patches seen by SigLIP's encoder, groups of them one token for LLaMA."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Gating, Plain
from symledger.components.image_blocks.projectors import PatchMerging
from symledger.components.maps.linear import Linear
from symledger.ir.tensor import Tensor
from symledger.models.llama.model import Llama
from symledger.models.shared.seeing import Answer, Seeing, grid
from symledger.models.siglip.model import SiglipImage
from symledger.notation.component import Component
from symledger.sizes import Size

LAURENCON = "Laurençon et al., Building and better understanding vision-language models (2024)"


@dataclass(frozen=True)
class GroupedSeeing(Seeing):
    """A decoder that sees by SigLIP's encoder, every g × g patches of an image as one position.

    What its encoder reads by attention, where it has that, is computed and ``idle``.
    """

    g: Expr = sizes.g
    H_g: Expr = sizes.H_g
    W_g: Expr = sizes.W_g
    image_activation: Plain = "gelu_tanh"

    idle: ClassVar[bool] = False
    definitions: ClassVar[dict[Size, Expr]] = grid(sizes.P * sizes.g, sizes.H_g, sizes.W_g)

    def tower(self) -> Component:
        down, across = self.H_g * self.g, self.W_g * self.g
        return SiglipImage(
            self.d_img, self.L_img, self.h_img, self.f_img, self.image_activation,
            C_in=self.C_in, P=self.P, H_p=down, T=down * across, pooled=False, idle=self.idle,
        )  # fmt: skip

    def merged(self, seen: Tensor, averaged: bool = False) -> Tensor:
        """Make the vectors of each group one."""
        merging = PatchMerging(self.d_img, self.g, self.H_g, self.W_g, averaged)
        return merging(seen, name="merging")


@dataclass(frozen=True)
class Idefics3(Llama, GroupedSeeing):
    """LLaMA with images: SigLIP's vectors, g × g of them side by side, through one map.

    A large image is cut into several, which are counted as images here.
    Source: Laurençon et al. (2024), section 4.1.
    """

    head: Answer = "lm"
    activation: Gating = "silu"

    title: ClassVar[str] = "LLaMA with images: groups of patches side by side, one map"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Llama.assumptions, sizes.f_img: 4 * sizes.d_img,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (LAURENCON,)

    def project(self, seen: Tensor) -> Tensor:
        wide = self.g**2 * self.d_img
        return Linear(wide, self.d, bias=False)(self.merged(seen), name="projector")
