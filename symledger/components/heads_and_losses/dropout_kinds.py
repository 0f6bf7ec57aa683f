"""Kinds of dropout: whole channels, and noise that keeps the mean and variance of SELU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Rational, sqrt

from symledger import sizes
from symledger.components.heads_and_losses.dropout import CHANCE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import noise, view

LEAST = Rational(-17581, 10**4)
"""The least that SELU gives, to five digits."""


@dataclass(frozen=True)
class ChannelDropout(Component):
    """Set whole channels to zero with chance p, and scale the others by 1/(1 − p).

    A channel has n positions, of a sequence, an image or a volume. Kept is one byte a channel.
    Source: Tompson et al., *Efficient Object Localization Using Convolutional Networks* (2015),
    where it is called SpatialDropout.
    """

    C: Expr = sizes.C
    p: Expr = CHANCE

    signature: ClassVar[str] = "B C n -> B C n"
    title: ClassVar[str] = "random channels set to zero while training"
    references: ClassVar[tuple[str, ...]] = (
        "Tompson et al., Efficient Object Localization Using Convolutional Networks (2015)",
    )

    def forward(self, x: Tensor) -> Steps:
        mask = noise("mask", 1 - self.p, *x.shape[:2])
        return steps(y=x * view("b c -> b c ()", mask) * (1 / (1 - self.p)))


def self_normalized(x: Tensor, mask: Tensor, p: Expr) -> Tensor:
    """Put what SELU comes to far below zero where a mask is 0; keep mean and variance as they are.

    Kept for the backward pass is the mask alone.
    """
    scale = 1 / sqrt((1 - p) * (1 + p * LEAST**2))
    y: Tensor = (x * mask + (1 - mask) * LEAST) * scale + -p * LEAST * scale
    return y


@dataclass(frozen=True)
class AlphaDropout(Component):
    """Set each element with chance p to the least that SELU gives, and scale and shift all.

    So mean and variance stay as they are. Kept for the backward pass is the mask, a byte an
    element.
    Source: Klambauer et al., *Self-Normalizing Neural Networks* (2017), section 3.
    """

    p: Expr = CHANCE

    signature: ClassVar[str] = "... n -> ... n"
    title: ClassVar[str] = "random elements at the least of SELU while training"
    references: ClassVar[tuple[str, ...]] = (
        "Klambauer et al., Self-Normalizing Neural Networks (2017), section 3",
    )

    def forward(self, x: Tensor) -> Steps:
        mask = noise("mask", 1 - self.p, *x.shape)
        return steps(y=self_normalized(x, mask, self.p))


@dataclass(frozen=True)
class ChannelAlphaDropout(Component):
    """The same for whole channels, of n positions each: kept is one byte a channel.

    Source: Klambauer et al., *Self-Normalizing Neural Networks* (2017), section 3.
    """

    C: Expr = sizes.C
    p: Expr = CHANCE

    signature: ClassVar[str] = "B C n -> B C n"
    title: ClassVar[str] = "random channels at the least of SELU while training"
    references: ClassVar[tuple[str, ...]] = AlphaDropout.references

    def forward(self, x: Tensor) -> Steps:
        mask = noise("mask", 1 - self.p, *x.shape[:2])
        return steps(y=self_normalized(x, view("b c -> b c ()", mask), self.p))
