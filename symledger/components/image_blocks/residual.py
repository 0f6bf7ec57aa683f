"""Blocks of residual networks: two convolutions, or a narrow one between two pointwise ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Plain, act
from symledger.components.image_blocks.units import ConvolutionUnit, fitting
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.sizes import Size

HE = "He et al., Deep Residual Learning for Image Recognition (2016)"
XIE = "Xie et al., Aggregated Residual Transformations for Deep Neural Networks (2017), figure 3c"
THREE = Integer(3)


@dataclass(frozen=True)
class ResidualBlock(Component, ABC):
    """What blocks of residual networks share: an image, halved or not, beside what is computed.

    It goes through a 1 × 1 convolution of the same stride where its shape changes. The activation
    is the one after the sum: within, it is relu.
    """

    C_in: Expr = sizes.C_in
    C_out: Expr = sizes.C_out
    s: Expr = sizes.s
    H_o: Expr = sizes.H_o
    W_o: Expr = sizes.W_o
    activation: Plain = "relu"

    units: ClassVar[type[ConvolutionUnit]] = ConvolutionUnit
    signature: ClassVar[str] = "B C_in H W -> B C_out H_o W_o"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.s: ONE}

    def decided(self) -> Mapping[Size, Expr]:
        """Return the size of the image that is left."""
        return fitting(ONE)

    @abstractmethod
    def inner(self, x: Tensor) -> Tensor:
        """Compute what is added; every kind of block does."""

    def forward(self, x: Tensor) -> Steps:
        """Add both ways, then rectify."""
        added = self.inner(x)
        same = x.shape == added.shape
        beside = x if same else self.unit(x, "shortcut", self.C_out, ONE, self.s)
        return steps(added=added, y=act(self.activation, added + beside))

    def unit(
        self, x: Tensor, name: str, C_out: Expr, kernel: Expr, stride: Expr = ONE, G: Expr = ONE,
        rectified: bool = False,
    ) -> Tensor:  # fmt: skip
        """Apply a convolution and a batch norm, rectified or not."""
        H, W = x.shape[2:] if stride == ONE else (self.H_o, self.W_o)
        return self.units(
            x.shape[1], C_out, kernel, stride, G, H, W, "relu" if rectified else "none"
        )(x, name=name)


@dataclass(frozen=True)
class BasicBlock(ResidualBlock):
    """Two convolutions of 3 × 3 beside the image; the first one may halve it.

    Source: He et al. (2016), section 3.3 and figure 5, left.
    """

    title: ClassVar[str] = "two 3 × 3 convolutions beside a residual path"
    references: ClassVar[tuple[str, ...]] = (f"{HE}, section 3.3 and figure 5",)

    def inner(self, x: Tensor) -> Tensor:
        x = self.unit(x, "conv_1", self.C_out, THREE, self.s, rectified=True)
        return self.unit(x, "conv_2", self.C_out, THREE)


@dataclass(frozen=True)
class Bottleneck(ResidualBlock):
    """A convolution of 3 × 3 on C channels, in G groups, between two pointwise ones.

    It is the middle one that may halve the image; with ``early`` it is the first, as in the paper.
    Source: He et al. (2016), figure 5, right; Xie et al. (2017), figure 3c, for groups.
    """

    C: Expr = sizes.C
    G: Expr = sizes.G
    early: bool = False

    title: ClassVar[str] = "a 3 × 3 convolution of few channels between two pointwise ones"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.s: ONE, sizes.G: ONE, sizes.C: sizes.C_out / 4,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{HE}, figure 5", XIE)

    def inner(self, x: Tensor) -> Tensor:
        first, second = (self.s, ONE) if self.early else (ONE, self.s)
        x = self.unit(x, "narrow", self.C, ONE, first, rectified=True)
        x = self.unit(x, "conv", self.C, THREE, second, self.G, rectified=True)
        return self.unit(x, "widen", self.C_out, ONE)
