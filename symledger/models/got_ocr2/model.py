"""GOT-OCR 2: the encoder of Segment Anything, convolutions that shrink its map, and Qwen2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr, floor

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom
from symledger.components.maps.linear import Linear
from symledger.ir.tensor import Tensor
from symledger.models.qwen2.model import Qwen2
from symledger.models.sam_vision.model import SamVision, mapped
from symledger.models.shared.seeing import Answer, Seeing, grid
from symledger.models.shared.windows import Windows
from symledger.notation.component import Component
from symledger.notation.verbs import view
from symledger.sizes import Size

WEI = "Wei et al., General OCR Theory (2024), section 3.2"
SHRUNK = 4
"""The places down and across that two convolutions, whose windows are two apart, make one."""
WINDOWS: dict[Size, Expr] = {
    sizes.H_w: floor((SHRUNK * sizes.H_g + sizes.M - 1) / sizes.M),
    sizes.W_w: floor((SHRUNK * sizes.W_g + sizes.M - 1) / sizes.M),
}  # fmt: skip


@dataclass(frozen=True)
class GotOcr2(Qwen2, Seeing):
    """Qwen2 with pages: SAM's map of C channels, made smaller by two convolutions, and one map.

    The convolutions make it 2C and d wide, and halve both sides each.
    Source: Wei et al., *General OCR Theory: Towards OCR-2.0* (2024), section 3.2, and its
    implementation.
    """

    head: Answer = "lm"
    activation: Gating = "silu"
    flash: Annotated[bool, Seldom()] = False
    windows: Annotated[Windows, Seldom()] = "none"
    L_f: Expr = sizes.L_f
    M: Expr = sizes.M
    C: Expr = sizes.C
    H_g: Expr = sizes.H_g
    W_g: Expr = sizes.W_g
    H_w: Expr = sizes.H_w
    W_w: Expr = sizes.W_w
    image_activation: Plain = "gelu"
    qkv_bias: Annotated[bool, Seldom()] = True
    placed: Annotated[bool, Seldom()] = True
    image_windowed: Annotated[bool, Seldom()] = True

    title: ClassVar[str] = "Qwen2 with pages: SAM's map, two convolutions, one map"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Qwen2.assumptions, sizes.f_img: 4 * sizes.d_img,
        sizes.H_w: SHRUNK * sizes.H_g / sizes.M, sizes.W_w: SHRUNK * sizes.W_g / sizes.M,
    }  # fmt: skip
    definitions: ClassVar[dict[Size, Expr]] = {
        **WINDOWS, **grid(SHRUNK * sizes.P, sizes.H_g, sizes.W_g),
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (WEI,)

    def tower(self) -> Component:
        return SamVision(
            self.C_in, self.P, self.d_img, self.L_img, self.h_img, self.f_img, self.L_f, self.M,
            self.C, SHRUNK * self.H_g, SHRUNK * self.W_g, self.H_w, self.W_w,
            self.image_activation, self.qkv_bias, self.placed, self.image_windowed,
        )  # fmt: skip

    def project(self, seen: Tensor) -> Tensor:
        left = [(2 * self.H_g, 2 * self.W_g), (self.H_g, self.W_g)]
        half = mapped(seen, self.C, 2 * self.C, 3, 2, "shrinking_1", left[0])
        small = mapped(half, 2 * self.C, self.d, 3, 2, "shrinking_2", left[1])
        places = view("b c i j -> b (i j) c", small)
        return Linear(self.d, self.d)(places, name="projection")
