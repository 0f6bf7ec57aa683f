"""DeepSeek-VL: SigLIP's vectors of all patches, two maps, and LLaMA."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom
from symledger.components.image_blocks.projectors import Projector
from symledger.ir.tensor import Tensor
from symledger.models.llama.model import Llama
from symledger.models.shared.seeing import Answer, Seeing, grid
from symledger.models.siglip.model import SiglipImage
from symledger.notation.component import Component
from symledger.sizes import Size

LU = "Lu et al., DeepSeek-VL (2024), section 3.1"


@dataclass(frozen=True)
class DeepSeekVL(Llama, Seeing):
    """LLaMA with images: SigLIP's vectors of all patches, through two maps.

    What the encoder reads by attention, where it has that, is computed and ``idle``.
    Source: Lu et al., *DeepSeek-VL* (2024), section 3.1.
    """

    head: Answer = "lm"
    activation: Gating = "silu"
    H_p: Expr = sizes.H_p
    W_p: Expr = sizes.W_p
    image_activation: Plain = "gelu_tanh"
    idle: Annotated[bool, Seldom()] = True

    title: ClassVar[str] = "LLaMA with images: all patches that SigLIP sees, two maps"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Llama.assumptions, sizes.f_img: 4 * sizes.d_img,
    }  # fmt: skip
    definitions: ClassVar[dict[Size, Expr]] = grid(sizes.P, sizes.H_p, sizes.W_p)
    references: ClassVar[tuple[str, ...]] = (LU,)

    def tower(self) -> Component:
        return SiglipImage(
            self.d_img, self.L_img, self.h_img, self.f_img, self.image_activation,
            C_in=self.C_in, P=self.P, H_p=self.H_p, T=self.H_p * self.W_p, pooled=False,
            idle=self.idle,
        )  # fmt: skip

    def project(self, seen: Tensor) -> Tensor:
        return Projector(self.d_img, self.d, self.d)(seen, name="projector")
