"""The head that sorts every place of an image into classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.convolution.convolution import Conv2d
from symledger.components.image_blocks.units import ConvolutionUnit, centred
from symledger.components.layout.interpolation import Interpolation2d
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.stages import averaged
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import join, view

CHEN = "Chen et al., Encoder-Decoder with Atrous Separable Convolution (2018), section 3.1"
WIDTH = Integer(256)
"""The channels of each branch (transformers 5.23.0, MobileNetV2DeepLabV3Plus)."""


@dataclass(frozen=True)
class Segmentation(Component):
    """DeepLabV3+ as MobileNetV2 has it: each place by itself, beside the mean of all places.

    No branch looks at dilated windows, and nothing of earlier stages comes in.
    Source: Chen et al. (2018), section 3.1; transformers 5.23.0, MobileNetV2DeepLabV3Plus.
    """

    C: Expr = sizes.C
    Y: Expr = sizes.Y

    signature: ClassVar[str] = "B C H W -> B Y H W"
    title: ClassVar[str] = "scores of classes for each place of an image"
    references: ClassVar[tuple[str, ...]] = (CHEN,)

    def forward(self, x: Tensor) -> Steps:
        H, W = x.shape[2:]
        mean = view("b c -> b c () ()", averaged(x))
        pooled = ConvolutionUnit(self.C, WIDTH, ONE, ONE, ONE, ONE, ONE)(mean, name="pool")
        spread = Interpolation2d(H, W)(pooled, name="interpolation")
        seen = ConvolutionUnit(self.C, WIDTH, ONE, ONE, ONE, H, W)(x, name="places")
        both = join([spread, seen], axis=1)
        joined = ConvolutionUnit(2 * WIDTH, WIDTH, ONE, ONE, ONE, H, W)(both, name="projection")
        scores = Conv2d(C_in=WIDTH, C_out=self.Y, G=ONE, H_o=H, W_o=W, **centred(ONE, ONE))
        return steps(spread=spread, seen=seen, logits=scores(joined, name="classifier"))
