"""LFM2 with images of any size, which SigLIP 2 sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Plain, Seldom
from symledger.components.image_blocks.projectors import PatchMerging, Projector
from symledger.components.norms.norms import LayerNorm
from symledger.components.state_spaces.short import LFM2
from symledger.ir.tensor import Tensor
from symledger.models.lfm2.model import Lfm2
from symledger.models.qwen_vision.model import GRID
from symledger.models.shared.hybrid import Which
from symledger.models.shared.seeing import Answer, Seeing
from symledger.models.siglip.model import SiglipImage
from symledger.notation.component import Component
from symledger.sizes import Size


@dataclass(frozen=True)
class Lfm2VL(Lfm2, Seeing):
    """LFM2 with images of any size: g × g patches side by side, a norm, and two maps.

    What the encoder reads by attention, where it has that, is computed and ``idle``. An image fills
    the patches that its class is given: patches of padding are computed there as well.
    Source: Liquid AI, *LFM2 Technical Report* (2025).
    """

    head: Answer = "lm"
    g: Expr = sizes.g
    H_g: Expr = sizes.H_g
    W_g: Expr = sizes.W_g
    T_max: Expr = sizes.T_max
    d_proj: Expr = sizes.d_proj
    bias: Annotated[bool, Seldom()] = False
    attending: Annotated[Which, Seldom()] = "some"
    image_activation: Plain = "gelu_tanh"
    projector_activation: Plain = "gelu"
    projector_bias: Annotated[bool, Seldom()] = True
    projector_norm: Annotated[bool, Seldom()] = True
    idle: Annotated[bool, Seldom()] = True

    title: ClassVar[str] = "LFM2 with images of any size, groups of patches side by side"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Lfm2.assumptions, sizes.f_img: 4 * sizes.d_img,
    }  # fmt: skip
    definitions: ClassVar[dict[Size, Expr]] = {**Lfm2.definitions, **GRID}
    references: ClassVar[tuple[str, ...]] = (LFM2,)

    def tower(self) -> Component:
        down, across = self.g * self.H_g, self.g * self.W_g
        return SiglipImage(
            self.d_img, self.L_img, self.h_img, self.f_img, self.image_activation,
            C_in=self.C_in, P=self.P, H_p=down, T=down * across, pooled=False, idle=self.idle,
            T_max=self.T_max,
        )  # fmt: skip

    def project(self, seen: Tensor) -> Tensor:
        wide = self.g**2 * self.d_img
        merged = PatchMerging(self.d_img, self.g, self.H_g, self.W_g)(seen, name="merging")
        merged = LayerNorm(wide)(merged, name="projector_norm") if self.projector_norm else merged
        projector = Projector(
            wide, self.d_proj, self.d, self.projector_activation, self.projector_bias
        )
        return projector(merged, name="projector")
