"""From vectors of patches back to an image: maps of four sizes, fused from the smallest one on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger.components.convolution.convolution import Conv2d
from symledger.components.convolution.transposed import ConvTranspose2d
from symledger.components.image_blocks.units import centred
from symledger.components.layout.interpolation import Interpolation2d
from symledger.components.norms.norms import EPSILON, LayerNorm
from symledger.ir.building import leave_idle
from symledger.ir.shapes import ONE, Shape
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, mean, param, statistic

RANFTL = "Ranftl, Bochkovskiy, Koltun, Vision Transformers for Dense Prediction (2021), section 3.1"
THREE = Integer(3)


def convolved(x: Tensor, C: Expr, name: str, kernel: Expr = THREE, bias: bool = True) -> Tensor:
    """Apply a convolution that keeps the size of an image."""
    H, W = x.shape[2:]
    window = Conv2d(C_in=x.shape[1], C_out=C, G=ONE, H_o=H, W_o=W, bias=bias,
                    **centred(kernel, ONE))  # fmt: skip
    return window(x, name=name)


@dataclass(frozen=True)
class GivenNorm(LayerNorm):
    """A layer norm whose gain and bias are given, where several places share them.

    Source: Ba, Kiros, Hinton, *Layer Normalization* (2016), equation 4.
    """

    signature: ClassVar[str] = "... d, d, d -> ... d"

    def forward(self, x: Tensor, g: Tensor, b: Tensor) -> Steps:  # type: ignore[override]
        mu = statistic(mean(x))
        c = x - mu
        r = statistic(apply("rsqrt", mean(apply("square", c)) + EPSILON))
        return steps(mu=mu, r=r, y=c * r * g + b)


@dataclass(frozen=True)
class Reassembled(Component):
    """A map of patches with C channels, ``times`` as large, or half as large.

    Source: Ranftl, Bochkovskiy, Koltun (2021), section 3.1, reassemble.
    """

    C: Expr
    times: Expr
    H_o: Expr
    W_o: Expr

    signature: ClassVar[str] = "B d H W -> B C H_o W_o"
    title: ClassVar[str] = "a map of patches of another size"

    def forward(self, x: Tensor) -> Steps:
        mapped = convolved(x, self.C, "projection", ONE)
        if self.times == ONE:
            return steps(y=mapped)
        if self.times < 1:
            halved = Conv2d(C_in=self.C, C_out=self.C, G=ONE, H_o=self.H_o, W_o=self.W_o,
                            **centred(THREE, Integer(2)))  # fmt: skip
            return steps(mapped=mapped, y=halved(mapped, name="resize"))
        said = {"K": self.times, "s": self.times, "p": Integer(0), "r": ONE}
        window = {f"{name}_{axis}": e for axis in "hw" for name, e in said.items()}
        larger = ConvTranspose2d(C_in=self.C, C_out=self.C, G=ONE, H_o=self.H_o, W_o=self.W_o,
                                 **window)  # fmt: skip
        return steps(mapped=mapped, y=larger(mapped, name="resize"))


@dataclass(frozen=True)
class Unit(Component):
    """Two convolutions, each behind a rectifier, beside a residual path.

    Source: Ranftl, Bochkovskiy, Koltun (2021), section 3.1, residual convolution unit.
    """

    C: Expr

    signature: ClassVar[str] = "B C H W -> B C H W"
    title: ClassVar[str] = "two convolutions beside a residual path"

    def forward(self, x: Tensor) -> Steps:
        first = convolved(apply("relu", x), self.C, "1")
        return steps(first=first, y=x + convolved(apply("relu", first), self.C, "2"))


@dataclass(frozen=True)
class Fusion(Component):
    """What was fused so far and the next map, added; made as large as the one that follows.

    The first has nothing to add, and a unit that nothing enters.
    Source: Ranftl, Bochkovskiy, Koltun (2021), section 3.1, fusion.
    """

    C: Expr
    H_o: Expr
    W_o: Expr

    signature: ClassVar[str] = "B C H W, B C H W -> B C H_o W_o"
    title: ClassVar[str] = "two maps fused, and made larger"

    def forward(self, x: Tensor, other: Tensor | None = None) -> Steps:
        if other is None:
            for i in (1, 2):
                leave_idle(param(f"F_{i}", self.C, self.C, THREE, THREE))
                leave_idle(param(f"b_{i}", self.C))
        else:
            x = x + Unit(self.C)(other, name="unit_1")
        x = Unit(self.C)(x, name="unit_2")
        larger = Interpolation2d(self.H_o, self.W_o)(x, name="interpolation")
        return steps(y=convolved(larger, self.C, "projection", ONE))


@dataclass(frozen=True)
class Neck(Component):
    """Four maps of patches, made 4 and 2 times as large, left, and halved; then fused.

    Source: Ranftl, Bochkovskiy, Koltun (2021), section 3.1.
    """

    C: Expr
    channels: Shape
    half: Shape

    title: ClassVar[str] = "maps of four sizes, fused from the smallest on"
    signature: ClassVar[str] = "B d H W, B d H W, B d H W, B d H W -> B C down across"

    def forward(self, *maps: Tensor) -> Steps:
        H, W = maps[0].shape[2:]
        places: list[Shape] = [(4 * H, 4 * W), (2 * H, 2 * W), (H, W), self.half]
        factors = (Integer(4), Integer(2), ONE, ONE / 2)
        seen = []
        for i, (x, times, size) in enumerate(zip(maps, factors, places, strict=True)):
            x = Reassembled(self.channels[i], times, *size)(x, name=f"reassembled_{i + 1}")
            seen.append(convolved(x, self.C, f"narrowing_{i + 1}", bias=False))
        after: Mapping[int, Shape] = {3: places[2], 2: places[1], 1: places[0], 0: (8 * H, 8 * W)}
        fused = Fusion(self.C, *after[3])(seen[3], name="fusion_1")
        for number, i in enumerate((2, 1, 0), start=2):
            fused = Fusion(self.C, *after[i])(fused, seen[i], name=f"fusion_{number}")
        return steps(y=fused)
