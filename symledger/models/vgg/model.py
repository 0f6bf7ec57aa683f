"""VGG: stages of small convolutions, each halving the image, then three affine maps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.convolution.convolution import Conv2d
from symledger.components.convolution.pooling import MaxPool2d
from symledger.components.convolution.windowed import square
from symledger.components.maps.linear import Linear
from symledger.components.norms.image_norms import BatchNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, view

Depth = Literal["11", "13", "16", "19"]
STAGES: Mapping[str, tuple[int, ...]] = {
    "11": (1, 1, 2, 2, 2), "13": (2, 2, 2, 2, 2), "16": (2, 2, 3, 3, 3), "19": (2, 2, 4, 4, 4),
}  # fmt: skip
"""How many convolutions there are in each stage, by the number of layers with weights."""
TIMES = (1, 2, 4, 8, 8)
"""How many times as wide as the first stage each one is."""


@dataclass(frozen=True)
class Stage(Component):
    """Convolutions of 3 × 3 that keep the size of the image, then the maxima of tiles of 2 × 2.

    Source: Simonyan, Zisserman (2015), section 2.1.
    """

    C_in: Expr = sizes.C_in
    C_out: Expr = sizes.C_out
    convolutions: int = 2
    normed: bool = False

    signature: ClassVar[str] = "B C_in H W -> B C_out H_o W_o"
    title: ClassVar[str] = "3 × 3 convolutions, then the maxima of 2 × 2 tiles"

    def forward(self, x: Tensor) -> Steps:
        H, W = x.shape[2:]
        for i in range(int(self.convolutions)):
            convolution = Conv2d(
                C_in=x.shape[1], C_out=self.C_out, G=ONE, H_o=H, W_o=W, **square(3, padding=1)
            )
            x = convolution(x, name=f"conv_{i + 1}")
            x = BatchNorm(self.C_out)(x, name=f"norm_{i + 1}") if self.normed else x
            x = apply("relu", x)
        pool = MaxPool2d(H_o=H / 2, W_o=W / 2, **square(2, stride=2))
        return steps(x=x, y=pool(x, name="pool"))


@dataclass(frozen=True)
class VGG(Component):
    """VGG: eight to sixteen convolutions in five stages, and three affine maps.

    ``depth`` counts both. There are no norms unless it is ``normed``. The image divides by 32.
    Dropout, which has no weights, is left out.
    Source: Simonyan, Zisserman (2015), table 1, configurations A, B, D and E.
    """

    C_in: Expr = sizes.C_in
    C: Expr = sizes.C
    d_ff: Expr = sizes.d_ff
    Y: Expr = sizes.Y
    depth: Depth = "16"
    normed: bool = False

    signature: ClassVar[str] = "B C_in H W -> B Y"
    title: ClassVar[str] = "image classifier of 3 × 3 convolutions and three affine maps"
    references: ClassVar[tuple[str, ...]] = (
        "Simonyan, Zisserman, Very Deep Convolutional Networks for Large-Scale Image Recognition "
        "(2015), table 1",
    )

    def forward(self, x: Tensor) -> Steps:
        for i, (convolutions, times) in enumerate(zip(STAGES[self.depth], TIMES, strict=True)):
            stage = Stage(x.shape[1], times * self.C, convolutions, self.normed)
            x = stage(x, name=f"stage_{i + 1}")
        features = view("b c h w -> b (c h w)", x)
        width = features.shape[-1]
        u = apply("relu", Linear(width, self.d_ff)(features, name="hidden_1"))
        u = apply("relu", Linear(self.d_ff, self.d_ff)(u, name="hidden_2"))
        return steps(features=features, logits=Linear(self.d_ff, self.Y)(u, name="head"))
