"""Local response normalization: each number divided by what its neighbouring channels have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, Integer, Rational, floor

from symledger import sizes
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, copied, pad, total, view
from symledger.notation.windows import windows

ALPHA = Rational(1, 10**4)
POWERS = {"three_quarters": "three_quarters", "second": "square"}
"""The functions that powers are."""


@dataclass(frozen=True)
class LocalResponseNorm(Component):
    """x / (1 + α mean(x²))^¾, with the mean over K channels around; zeros stand beyond the ends.

    Kept are x, what is raised to the power, and the power. Any other ``power`` costs as much, but
    for the first, whose slope is 1 and needs nothing, and the second, whose slope is no power.
    Source: Krizhevsky, Sutskever, Hinton, *ImageNet Classification* (2012), section 3.3, with a
    mean in place of a sum.
    """

    K: Expr = sizes.K
    power: Literal["three_quarters", "first", "second"] = "three_quarters"

    signature: ClassVar[str] = "B C H W -> B C H W"
    title: ClassVar[str] = "each number divided by a power of its neighbouring channels' squares"
    references: ClassVar[tuple[str, ...]] = (
        "Krizhevsky, Sutskever, Hinton, ImageNet Classification with Deep Convolutional Neural "
        "Networks (2012), section 3.3",
    )

    def forward(self, x: Tensor) -> Steps:
        channels = x.shape[1]
        longer = pad(x * x, 1, floor(self.K / 2), channels + self.K - 1)
        seen = windows(longer, 1, channels, self.K)
        squares = total(view("b c k h w -> b c h w k", seen)) * (ONE / self.K)
        base = view("... () -> ...", squares) * ALPHA + Integer(1)
        divisor = copied(base) if self.power == "first" else apply(POWERS[self.power], base)
        return steps(base=base, divisor=divisor, y=x / divisor)
