"""A feed-forward network of the places of an image that also looks at their neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.convolution.convolution import Conv2d
from symledger.components.feed_forward.nonlinearities import Activation, act
from symledger.components.image_blocks.units import centred
from symledger.components.maps.linear import Linear
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import view
from symledger.sizes import Size

XIE = "Xie et al., SegFormer (2021), section 3.1"


@dataclass(frozen=True)
class MixedFeedForward(Component):
    """Two affine maps; between them each hidden channel looks around in 3 × 3 places, and acts.

    Zeros stand around the image, which is all that tells a place where it lies.
    Source: Xie et al., *SegFormer* (2021), section 3.1, equation 3.
    """

    d: Expr = sizes.d
    d_ff: Expr = sizes.d_ff
    activation: Activation = "gelu"

    signature: ClassVar[str] = "B H W d -> B H W d"
    title: ClassVar[str] = "two affine maps with a depthwise convolution between them (Mix-FFN)"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_ff: 4 * sizes.d}
    references: ClassVar[tuple[str, ...]] = (f"{XIE}, equation 3",)

    def forward(self, x: Tensor) -> Steps:
        H, W = x.shape[1:3]
        u = Linear(self.d, self.d_ff)(x, name="1")
        depthwise = Conv2d(
            C_in=self.d_ff, C_out=self.d_ff, G=self.d_ff, H_o=H, W_o=W, **centred(Integer(3), ONE)
        )
        around = depthwise(view("B i j f -> B f i j", u), name="depthwise")
        a = act(self.activation, view("B f i j -> B i j f", around))
        return steps(u=u, around=around, a=a, y=Linear(self.d_ff, self.d)(a, name="2"))
