"""LLaVA-NeXT and LLaVA-OneVision: large images are seen as a whole, and tile by tile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom
from symledger.components.image_blocks.projectors import Projector
from symledger.ir.tensor import Tensor
from symledger.models.llava.model import Llava
from symledger.models.qwen2.model import Qwen2
from symledger.models.shared.seeing import Answer, Seeing
from symledger.models.shared.windows import Windows
from symledger.models.siglip.model import SiglipImage
from symledger.notation.component import Component
from symledger.notation.verbs import expand, join, narrow, param, view
from symledger.sizes import Size

NEXT = "Liu et al., LLaVA-NeXT: Improved reasoning, OCR, and world knowledge (2024)"
TILES: Mapping[Size, Expr] = {
    sizes.H: sizes.P * sizes.H_p, sizes.W: sizes.P * sizes.W_p,
    sizes.T_tok: sizes.H_p * sizes.W_p + sizes.T_vis + sizes.H_k,
}  # fmt: skip
"""How large each picture is, and how many positions an image fills."""
WHOLE: Mapping[Size, Expr] = {sizes.T_vis: (sizes.N_t - 1) * sizes.H_p * sizes.W_p}
"""Nothing of an image is padding, so that all vectors of its tiles are kept."""


@dataclass(frozen=True)
class Tiled(Seeing):
    """A decoder to which an image is shown as N_t pictures: all of it, made smaller, and its tiles.

    The vectors of all tiles are laid out as the image is, in H_k rows. Of these T_vis are kept,
    those that show no padding, and a learned vector ends each row. Which are kept changes no count.
    Source: Liu et al., *LLaVA-NeXT* (2024).
    """

    H_p: Expr = sizes.H_p
    W_p: Expr = sizes.W_p
    N_t: Expr = sizes.N_t
    T_vis: Expr = sizes.T_vis
    H_k: Expr = sizes.H_k

    signature: ClassVar[str] = "B T in V, B n_img N_t C_in H W -> B T out"
    whole: ClassVar[dict[str, str]] = {"tokens": "B T in V", "images": "B n_img N_t C_in H W"}

    def decided(self) -> Mapping[Size, Expr]:
        """Return how large the pictures are, and how many vectors an image has."""
        return TILES

    def look(self, images: Tensor) -> Tensor:
        pictures = view("b n k c h w -> (b n k) c h w", images)
        seen = self.project(self.tower()(pictures, name="tower"))
        together = view("(m k) t d -> m (k t) d", seen, k=images.shape[2])
        whole = self.H_p * self.W_p
        kept = narrow(together, 1, 0, whole + self.T_vis)
        end = view("d -> () () d", param("line_end", self.d))
        return join([kept, expand(end, (kept.shape[0], self.H_k, self.d))], axis=1)


@dataclass(frozen=True)
class LlavaNext(Tiled, Llava):
    """LLaVA that sees large images tile by tile, and the whole of them besides.

    Source: Liu et al., *LLaVA-NeXT* (2024).
    """

    head: Answer = "lm"
    flash: Annotated[bool, Seldom()] = False
    all_read: Literal[False] = False

    title: ClassVar[str] = "LLaMA with large images, as a whole and tile by tile"
    assumptions: ClassVar[dict[Size, Expr]] = {**Llava.assumptions, **WHOLE}
    references: ClassVar[tuple[str, ...]] = (NEXT,)


@dataclass(frozen=True)
class LlavaOneVision(Tiled, Qwen2):
    """Qwen2 with large images that SigLIP sees, as a whole and tile by tile.

    Of many tiles vectors are interpolated until there are few enough: T_vis and H_k say what is
    left. What the encoder reads by attention, where it has that, is computed and ``idle``.
    Source: Li et al., *LLaVA-OneVision* (2024).
    """

    head: Answer = "lm"
    activation: Gating = "silu"
    flash: Annotated[bool, Seldom()] = False
    windows: Annotated[Windows, Seldom()] = "none"
    image_activation: Plain = "gelu_tanh"
    projector_activation: Plain = "gelu"
    projector_bias: Annotated[bool, Seldom()] = True
    idle: Annotated[bool, Seldom()] = False

    title: ClassVar[str] = "Qwen2 with large images, as a whole and tile by tile"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Qwen2.assumptions, **WHOLE, sizes.f_img: 4 * sizes.d_img,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = ("Li et al., LLaVA-OneVision (2024)", NEXT)

    def tower(self) -> Component:
        return SiglipImage(
            self.d_img, self.L_img, self.h_img, self.f_img, self.image_activation,
            C_in=self.C_in, P=self.P, H_p=self.H_p, T=self.H_p * self.W_p, pooled=False,
            idle=self.idle,
        )  # fmt: skip

    def project(self, seen: Tensor) -> Tensor:
        projector = Projector(
            self.d_img, self.d, self.d, self.projector_activation, self.projector_bias
        )
        return projector(seen, name="projector")
