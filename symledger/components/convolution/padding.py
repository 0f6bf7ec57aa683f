"""More around a sequence, an image or a volume: zeros, or elements that it has already."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.convolution.edges import Mode, padded
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.sizes import Size

LIU = "Liu et al., Partial Convolution based Padding (2018), section 2"
PYTORCH = "PyTorch 2.13, torch.nn.ReflectionPad1d, ReplicationPad1d, CircularPad1d"


@dataclass(frozen=True)
class Padding(Component, ABC):
    """Elements more at both ends of each axis: zeros, or such as are there already.

    As many at either end, where nothing else is said. Nothing is learned, contracted or kept.
    Source: Liu et al., *Partial Convolution based Padding* (2018), section 2, for what they are.
    """

    mode: Mode = "zeros"

    references: ClassVar[tuple[str, ...]] = (LIU, PYTORCH)

    @property
    @abstractmethod
    def around(self) -> tuple[tuple[Expr, Expr], ...]:
        """How many elements are added before and after, along each of the last axes."""

    def forward(self, x: Tensor) -> Steps:
        for i, (before, after) in enumerate(self.around):
            x = padded(x, i - len(self.around), before, after, self.mode)
        return steps(y=x)


@dataclass(frozen=True)
class Padding1d(Padding):
    """More at both ends of a sequence."""

    p: Expr = sizes.p
    e: Expr = sizes.e

    signature: ClassVar[str] = "B C T -> B C length"
    title: ClassVar[str] = "more elements at both ends of a sequence"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.e: sizes.p}
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {"in front only": {sizes.e: 0}}

    @property
    def around(self) -> tuple[tuple[Expr, Expr], ...]:
        """Along the sequence."""
        return ((self.p, self.e),)


@dataclass(frozen=True)
class Padding2d(Padding):
    """More around an image."""

    p_h: Expr = sizes.p_h
    p_w: Expr = sizes.p_w
    e_h: Expr = sizes.e_h
    e_w: Expr = sizes.e_w

    signature: ClassVar[str] = "B C H W -> B C height width"
    title: ClassVar[str] = "more elements around an image"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.p_w: sizes.p_h, sizes.e_h: sizes.p_h, sizes.e_w: sizes.p_w,
    }  # fmt: skip

    @property
    def around(self) -> tuple[tuple[Expr, Expr], ...]:
        """Down and across."""
        return (self.p_h, self.e_h), (self.p_w, self.e_w)


@dataclass(frozen=True)
class Padding3d(Padding):
    """More around a volume."""

    p_d: Expr = sizes.p_d
    p_h: Expr = sizes.p_h
    p_w: Expr = sizes.p_w
    e_d: Expr = sizes.e_d
    e_h: Expr = sizes.e_h
    e_w: Expr = sizes.e_w

    signature: ClassVar[str] = "B C D H W -> B C depth height width"
    title: ClassVar[str] = "more elements around a volume"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.p_h: sizes.p_d, sizes.p_w: sizes.p_h,
        sizes.e_d: sizes.p_d, sizes.e_h: sizes.p_h, sizes.e_w: sizes.p_w,
    }  # fmt: skip

    @property
    def around(self) -> tuple[tuple[Expr, Expr], ...]:
        """In depth, down and across."""
        return (self.p_d, self.e_d), (self.p_h, self.e_h), (self.p_w, self.e_w)
