"""A nonlinearity on its own: a scalar function of every element."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from symledger.core.component import Component, Steps, steps
from symledger.core.notation import apply
from symledger.core.tensor import Tensor

Function = Literal["relu", "gelu", "gelu_tanh", "silu", "tanh", "sigmoid"]


@dataclass(frozen=True)
class Activation(Component):
    """A scalar function of every element; nothing is learned, nothing is contracted.

    Kept for the backward pass is the result of relu, tanh and sigmoid, the argument of the others.
    Source: Goodfellow, Bengio, Courville, *Deep Learning* (2016), section 6.3.
    """

    function: Function = "relu"

    signature: ClassVar[str] = "... n -> ... n"
    title: ClassVar[str] = "a scalar function of every element"
    references: ClassVar[tuple[str, ...]] = (
        "Goodfellow, Bengio, Courville, Deep Learning (2016), section 6.3",
        "Hendrycks, Gimpel, Gaussian Error Linear Units (2016)",
    )

    def forward(self, x: Tensor) -> Steps:
        return steps(y=apply(self.function, x))
