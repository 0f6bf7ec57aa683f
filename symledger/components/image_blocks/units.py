"""What convolutional networks are built of: a convolution, a batch norm and a nonlinearity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.convolution.convolution import Conv2d
from symledger.components.feed_forward.nonlinearities import Function, Seldom, act
from symledger.components.norms.image_norms import BatchNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.windows import positions
from symledger.sizes import Size

Rectifier = Annotated[
    Literal["none", Function, "unknown"], Seldom(but=("none", "relu", "relu6", "silu"))
]
"""The nonlinearities that follow a norm."""
IOFFE = "Ioffe, Szegedy, Batch Normalization (2015), section 3.2"


def fitting(kernel: Expr) -> dict[Size, Expr]:
    """Return how many windows of an odd width fit whose middle is on the image."""
    return {
        fit: positions(whole, kernel, sizes.s, (kernel - 1) / 2, ONE)
        for whole, fit in ((sizes.H, sizes.H_o), (sizes.W, sizes.W_o))
    }


def centred(kernel: Expr, stride: Expr) -> dict[str, Expr]:
    """Return the fields of a square window of odd width with as much padding as it is wide."""
    found = {"K": kernel, "s": stride, "p": (kernel - 1) / 2, "r": ONE}
    return {f"{name}_{axis}": e for name, e in found.items() for axis in "hw"}


@dataclass(frozen=True)
class ConvolutionUnit(Component):
    """A convolution without bias, a batch norm, and a nonlinearity unless it is ``none``.

    The window is square, of odd width, and padded so that its middle reaches every border: with
    stride 1 the image keeps its size, with stride 2 it is halved, rounded up.
    Source: Ioffe, Szegedy, *Batch Normalization* (2015), section 3.2.
    """

    C_in: Expr = sizes.C_in
    C_out: Expr = sizes.C_out
    K: Expr = sizes.K
    s: Expr = sizes.s
    G: Expr = sizes.G
    H_o: Expr = sizes.H_o
    W_o: Expr = sizes.W_o
    activation: Rectifier = "relu"

    signature: ClassVar[str] = "B C_in H W -> B C_out H_o W_o"
    title: ClassVar[str] = "convolution, batch norm, nonlinearity"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.s: ONE, sizes.G: ONE}
    references: ClassVar[tuple[str, ...]] = (IOFFE,)

    def decided(self) -> Mapping[Size, Expr]:
        """Return the size of the image that is seen."""
        return fitting(sizes.K)

    def forward(self, x: Tensor) -> Steps:
        convolution = Conv2d(
            C_in=self.C_in, C_out=self.C_out, G=self.G, H_o=self.H_o, W_o=self.W_o, bias=False,
            **centred(self.K, self.s),
        )  # fmt: skip
        n = BatchNorm(self.C_out)(convolution(x, name="convolution"), name="norm")
        return steps(n=n, y=n if self.activation == "none" else act(self.activation, n))
