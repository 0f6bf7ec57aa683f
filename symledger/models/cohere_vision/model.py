"""Aya Vision and Command A Vision: groups of patches side by side, a gated projector, Cohere 2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Gating, Seldom
from symledger.components.image_blocks.projectors import Projector
from symledger.components.norms.norms import LayerNorm
from symledger.ir.tensor import Tensor
from symledger.models.cohere.model import Cohere2
from symledger.models.idefics3.model import GroupedSeeing
from symledger.models.shared.seeing import Answer
from symledger.sizes import Size


@dataclass(frozen=True)
class CohereVision(Cohere2, GroupedSeeing):
    """Cohere 2 with images: SigLIP's vectors, g × g of them side by side, through a gated network.

    Aya Vision normalizes them before it, Command A Vision does not. Of the encoder of the latter a
    part that reads it by attention is computed, and left ``idle``.
    Source: Dash et al., *Aya Vision* (2025), section 3.1.
    """

    head: Answer = "lm"
    activation: Gating = "silu"
    d_proj: Expr = sizes.d_proj
    normed: bool = True
    idle: Annotated[bool, Seldom()] = False  # type: ignore[misc]  # here, a choice

    title: ClassVar[str] = "Cohere 2 with images: groups of patches side by side, a gated network"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Cohere2.assumptions, sizes.f_img: 4 * sizes.d_img,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = ("Dash et al., Aya Vision (2025), section 3.1",)

    def project(self, seen: Tensor) -> Tensor:
        wide, merged = self.g**2 * self.d_img, self.merged(seen)
        if self.normed:
            merged = LayerNorm(wide)(merged, name="projector_norm")
        projector = Projector(wide, self.d_proj, self.d, "silu", gated=True)
        return projector(merged, name="projector")
