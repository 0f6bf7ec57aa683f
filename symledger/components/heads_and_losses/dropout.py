"""Dropout: noise that is multiplied in while training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Rational

from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import noise

CHANCE = Rational(1, 10)
"""The chance of a zero where nothing else is said."""


@dataclass(frozen=True)
class Dropout(Component):
    """Set each element to zero with chance p, and scale the others by 1/(1 − p).

    Kept for the backward pass is the mask alone, one byte an element.
    Source: Srivastava et al., *Dropout* (2014), section 4; scaled while training, not after.
    """

    p: Expr = CHANCE

    signature: ClassVar[str] = "... n -> ... n"
    title: ClassVar[str] = "random zeros while training"
    references: ClassVar[tuple[str, ...]] = ("Srivastava et al., Dropout (2014), section 4",)

    def forward(self, x: Tensor) -> Steps:
        mask = noise("mask", 1 - self.p, *x.shape)
        return steps(y=x * mask * (1 / (1 - self.p)))
