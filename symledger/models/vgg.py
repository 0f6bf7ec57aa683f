"""VGG: stages of small convolutions, each halving the image, then three affine maps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.convolution import Conv2d
from symledger.components.linear import Linear
from symledger.components.pooling import MaxPool2d
from symledger.components.windowed import square
from symledger.core.component import Component, Steps, steps
from symledger.core.notation import apply, view
from symledger.core.tensor import ONE, Tensor

STAGES = ((2, 1), (2, 2), (3, 4), (3, 8), (3, 8))
"""Of each stage: how many convolutions, and how many times as wide as the first stage it is."""


@dataclass(frozen=True)
class Stage(Component):
    """Convolutions of 3 × 3 that keep the size of the image, then the maxima of tiles of 2 × 2.

    Source: Simonyan, Zisserman (2015), section 2.1.
    """

    C_in: Expr = sizes.C_in
    C_out: Expr = sizes.C_out
    convolutions: int = 2

    signature: ClassVar[str] = "B C_in H W -> B C_out H_o W_o"
    title: ClassVar[str] = "3 × 3 convolutions, then the maxima of 2 × 2 tiles"

    def forward(self, x: Tensor) -> Steps:
        H, W = x.shape[2:]
        for i in range(int(self.convolutions)):
            convolution = Conv2d(
                C_in=x.shape[1], C_out=self.C_out, G=ONE, H_o=H, W_o=W, **square(3, padding=1)
            )
            x = apply("relu", convolution(x, name=f"conv_{i + 1}"))
        pool = MaxPool2d(H_o=H / 2, W_o=W / 2, **square(2, stride=2))
        return steps(x=x, y=pool(x, name="pool"))


@dataclass(frozen=True)
class VGG(Component):
    """VGG-16: thirteen convolutions in five stages, and three affine maps; no norms.

    The image divides by 32. Dropout, which has no weights, is left out.
    Source: Simonyan, Zisserman (2015), table 1, configuration D.
    """

    C_in: Expr = sizes.C_in
    C: Expr = sizes.C
    d_ff: Expr = sizes.d_ff
    Y: Expr = sizes.Y

    signature: ClassVar[str] = "B C_in H W -> B Y"
    title: ClassVar[str] = "image classifier of 3 × 3 convolutions and three affine maps"
    references: ClassVar[tuple[str, ...]] = (
        "Simonyan, Zisserman, Very Deep Convolutional Networks for Large-Scale Image Recognition "
        "(2015), table 1, configuration D",
    )

    def forward(self, x: Tensor) -> Steps:
        for i, (convolutions, times) in enumerate(STAGES):
            stage = Stage(x.shape[1], times * self.C, convolutions)
            x = stage(x, name=f"stage_{i + 1}")
        features = view("b c h w -> b (c h w)", x)
        width = features.shape[-1]
        u = apply("relu", Linear(width, self.d_ff)(features, name="hidden_1"))
        u = apply("relu", Linear(self.d_ff, self.d_ff)(u, name="hidden_2"))
        return steps(features=features, logits=Linear(self.d_ff, self.Y)(u, name="head"))


CONFIGURATIONS = {
    "vgg16": {"C_in": 3, "C": 64, "d_ff": 4096, "Y": 1000, "H": 224, "W": 224, "B": 1},
}
