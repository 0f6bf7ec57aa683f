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


def fitting(kernel: Expr, up: bool = True) -> dict[Size, Expr]:
    """Return how many windows of an odd width fit whose middle is on the image.

    Unless ``up``, the first of them has its middle on the second element.
    """
    return {
        fit: positions(whole if up else whole - 1, kernel, sizes.s, (kernel - 1) / 2, ONE)
        for whole, fit in ((sizes.H, sizes.H_o), (sizes.W, sizes.W_o))
    }


def centred(
    kernel: Expr, stride: Expr, dilation: Expr = ONE, up: bool = True
) -> dict[str, Expr]:  # fmt: skip
    """Return the fields of a square window of odd width with as much padding as it is wide.

    Unless ``up``, windows begin one element later.
    """
    padding = dilation * (kernel - 1) / 2 - (0 if up else 1)
    found = {"K": kernel, "s": stride, "p": padding, "r": dilation}
    return {f"{name}_{axis}": e for name, e in found.items() for axis in "hw"}


class Late(Conv2d):
    """A convolution whose windows begin one element later, and may reach past the padding."""

    past: ClassVar[bool] = True


@dataclass(frozen=True)
class ConvolutionUnit(Component):
    """A convolution without bias, a batch norm, and a nonlinearity unless it is ``none``.

    The window is square, of odd width, and padded so that its middle reaches every border: with
    stride 1 the image keeps its size, with stride 2 it is halved, rounded ``up``, or down where its
    windows begin one element later. What a window sees may stand r apart.
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
    r: Expr = ONE
    up: Annotated[bool, Seldom()] = True

    signature: ClassVar[str] = "B C_in H W -> B C_out H_o W_o"
    title: ClassVar[str] = "convolution, batch norm, nonlinearity"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.s: ONE, sizes.G: ONE}
    references: ClassVar[tuple[str, ...]] = (IOFFE,)

    def decided(self) -> Mapping[Size, Expr]:
        """Return the size of the image that is seen."""
        return fitting(sizes.K, self.up)

    def forward(self, x: Tensor) -> Steps:
        kind = Conv2d if self.up else Late
        convolution = kind(
            C_in=self.C_in, C_out=self.C_out, G=self.G, H_o=self.H_o, W_o=self.W_o, bias=False,
            **centred(self.K, self.s, self.r, self.up),
        )  # fmt: skip
        n = self.norm()(convolution(x, name="convolution"), name="norm")
        return steps(n=n, y=n if self.activation == "none" else act(self.activation, n))

    def norm(self) -> Component:
        """Return the norm of what the convolution gives."""
        return BatchNorm(self.C_out)
