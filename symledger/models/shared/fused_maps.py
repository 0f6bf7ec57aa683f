"""Maps of three sizes that are told of each other: from the smallest up, then down again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger.components.feed_forward.nonlinearities import Plain, act
from symledger.components.image_blocks.units import ConvolutionUnit
from symledger.components.layout.interpolation import Nearest2d
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import join, repeat

ZHAO = "Zhao et al., DETRs Beat YOLOs on Real-time Object Detection (2024)"
BLOCKS = Integer(3)
"""How many blocks fuse two maps (transformers 5.23.0, ``RTDetrCSPRepLayer``)."""


def unit(x: Tensor, C: Expr, name: str, side: int = 1, activation: Plain | str = "none") -> Tensor:
    """Apply a convolution that keeps the size of an image, and a batch norm."""
    H, W = x.shape[2:]
    made = ConvolutionUnit(x.shape[1], C, Integer(side), ONE, ONE, H, W, activation)  # type: ignore[arg-type]
    return made(x, name=name)


@dataclass(frozen=True)
class Doubled(Component):
    """A convolution of 3 × 3 and one of single places, added.

    Source: Ding et al., *RepVGG* (2021), section 3.2; Zhao et al. (2024), section 4.2.
    """

    C: Expr
    activation: Plain

    signature: ClassVar[str] = "B C H W -> B C H W"
    title: ClassVar[str] = "two convolutions, added"

    def forward(self, x: Tensor) -> Steps:
        both = unit(x, self.C, "conv_1", 3) + unit(x, self.C, "conv_2")
        return steps(both=both, y=act(self.activation, both))


@dataclass(frozen=True)
class Fused(Component):
    """Two maps side by side, mapped twice; one of these goes through blocks, and both are added.

    Where the maps have other channels than the blocks, a last convolution gives these back.
    Source: Zhao et al. (2024), section 4.2 and figure 4, fusion block.
    """

    d: Expr
    C: Expr
    mapped: bool
    activation: Plain

    signature: ClassVar[str] = "B d H W, B d H W -> B d H W"
    title: ClassVar[str] = "two maps of one size, fused"

    def forward(self, x: Tensor, other: Tensor) -> Steps:
        both = join([x, other], axis=1)
        through = unit(both, self.C, "conv_1", 1, self.activation)
        through = repeat(Doubled(self.C, self.activation), BLOCKS, through, name="block")
        added = through + unit(both, self.C, "conv_2", 1, self.activation)
        if self.mapped:
            added = unit(added, self.d, "conv_3", 1, self.activation)
        return steps(both=both, y=added)


@dataclass(frozen=True)
class Pyramid(Component):
    """Three maps, each half as large as the one before, fused upwards and then downwards.

    Source: Zhao et al. (2024), section 4.2, cross-scale feature fusion.
    """

    d: Expr
    C: Expr
    mapped: bool
    activation: Plain

    signature: ClassVar[str] = "B d I J, B d H W, B d K L -> B d I J, B d H W, B d K L"
    title: ClassVar[str] = "maps of three sizes, told of each other"

    def forward(self, *maps: Tensor) -> Steps:
        fused = Fused(self.d, self.C, self.mapped, self.activation)
        down = [maps[-1]]
        for i, larger in enumerate(reversed(maps[:-1]), start=1):
            down[-1] = unit(down[-1], self.d, f"lateral_{i}", 1, self.activation)
            spread = Nearest2d(*larger.shape[2:])(down[-1], name=f"larger_{i}")
            down.append(fused(spread, larger, name=f"upwards_{i}"))
        found = [down.pop()]
        for i, smaller in enumerate(reversed(down), start=1):
            H, W = smaller.shape[2:]
            halving = ConvolutionUnit(
                self.d, self.d, Integer(3), Integer(2), ONE, H, W, self.activation
            )
            halved = halving(found[-1], name=f"smaller_{i}")
            found.append(fused(halved, smaller, name=f"downwards_{i}"))
        return steps(x_1=found[0], x_2=found[1], x_3=found[2])
