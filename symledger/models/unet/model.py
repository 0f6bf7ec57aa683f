"""U-Net: convolutions on the way down and up, joined at every level by what was seen there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, floor

from symledger import sizes
from symledger.components.convolution.convolution import Conv2d
from symledger.components.convolution.pooling import MaxPool2d
from symledger.components.convolution.transposed import ConvTranspose2d
from symledger.components.convolution.windowed import square
from symledger.components.norms.image_norms import BatchNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, join, narrow
from symledger.sizes import H_i, Size, W_i

RONNEBERGER = "Ronneberger et al., U-Net (2015)"
Depth = Literal["1", "2", "3", "4", "5"]


@dataclass(frozen=True)
class DoubleConvolution(Component):
    """Two convolutions of 3 × 3, each rectified; batch norms between where they are ``normed``.

    Without ``padded`` each takes a border of one pixel away.
    Source: Ronneberger et al. (2015), section 2.
    """

    C_in: Expr = sizes.C_in
    C_out: Expr = sizes.C_out
    padded: bool = False
    normed: bool = False

    signature: ClassVar[str] = "B C_in H W -> B C_out H_o W_o"
    title: ClassVar[str] = "two rectified 3 × 3 convolutions"

    def forward(self, x: Tensor) -> Steps:
        for i in (1, 2):
            H, W = (n if self.padded else n - 2 for n in x.shape[2:])
            x = Conv2d(
                C_in=x.shape[1], C_out=self.C_out, G=ONE, H_o=H, W_o=W, bias=not self.normed,
                **square(3, padding=int(self.padded)),
            )(x, name=f"conv_{i}")  # fmt: skip
            x = BatchNorm(self.C_out)(x, name=f"norm_{i}") if self.normed else x
            x = apply("relu", x)
        return steps(y=x)


@dataclass(frozen=True)
class UNet(Component):
    """A segmentation network: ``depth`` poolings down, as many transposed convolutions up.

    Level i has 2^i·C channels. On the way up what was seen on the way down, cropped to the middle,
    stands beside it. Without ``padded`` convolutions the result is smaller than the image; with
    ``normed`` they have batch norms and no biases.
    Source: Ronneberger et al. (2015), figure 1.
    """

    C_in: Expr = sizes.C_in
    C: Expr = sizes.C
    Y: Expr = sizes.Y
    depth: Depth = "4"
    padded: bool = False
    normed: bool = False

    signature: ClassVar[str] = "B C_in H W -> B Y H_o W_o"
    title: ClassVar[str] = "convolutional encoder and decoder, joined at every level"
    references: ClassVar[tuple[str, ...]] = (f"{RONNEBERGER}, figure 1",)

    @property
    def border(self) -> int:
        """What two convolutions take away."""
        return 0 if self.padded else 4

    def defined(self) -> dict[Size, Expr]:
        """Return the sizes after each pooling, rounded down."""
        return {
            after[i]: floor((whole - (2 * 2**i - 1) * self.border) / (2 * 2**i))
            for i in reversed(range(int(self.depth)))
            for whole, after in ((sizes.H, H_i), (sizes.W, W_i))
        }

    def twice(self, x: Tensor, C: Expr, name: str) -> Tensor:
        """Apply two convolutions."""
        return DoubleConvolution(x.shape[1], C, self.padded, self.normed)(x, name=name)

    def up(self, x: Tensor, seen: Tensor, level: int) -> Tensor:
        """Double the image and halve its channels; put the middle of what was seen before it."""
        C, (H, W) = x.shape[1] / 2, (2 * n for n in x.shape[2:])
        window = square(2, stride=2)
        wide = ConvTranspose2d(
            C_in=x.shape[1], C_out=C, G=ONE, H_o=H, W_o=W, **window
        )(x, name=f"up_{level}")  # fmt: skip
        for axis, n in ((2, H), (3, W)):
            whole = seen.shape[axis]
            seen = narrow(seen, axis, (whole - n) / 2, n)
        return join([seen, wide], axis=1)

    def forward(self, x: Tensor) -> Steps:
        seen: dict[str, Tensor] = {}
        depth = int(self.depth)
        for i in range(depth):
            x = seen[f"s_{i + 1}"] = self.twice(x, 2**i * self.C, f"down_{i + 1}")
            pool = MaxPool2d(H_o=H_i[i], W_o=W_i[i], **square(2, stride=2))
            x = pool(x, name=f"pool_{i + 1}")
        x = seen["z"] = self.twice(x, 2**depth * self.C, "bottom")
        for i in reversed(range(depth)):
            u = seen[f"u_{i + 1}"] = self.up(x, seen[f"s_{i + 1}"], i + 1)
            x = seen[f"z_{i + 1}"] = self.twice(u, 2**i * self.C, f"back_{i + 1}")
        H, W = x.shape[2:]
        head = Conv2d(C_in=self.C, C_out=self.Y, G=ONE, H_o=H, W_o=W, **square(1))
        return steps(**seen, y=head(x, name="head"))
