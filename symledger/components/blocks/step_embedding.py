"""The step of a diffusion as a vector."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.embeddings.rotary import BASE
from symledger.components.feed_forward.nonlinearities import Plain, act
from symledger.components.maps.linear import Linear
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, join, table, view


@dataclass(frozen=True)
class StepEmbedding(Component):
    """A step of the diffusion as a vector: its sines and cosines, through two affine maps.

    Source: Ho et al., *Denoising Diffusion Probabilistic Models* (2020), appendix B; Vaswani et
    al. (2017), section 3.5, for the wavelengths.
    """

    d_f: Expr = sizes.d_f
    d: Expr = sizes.d
    activation: Plain = "silu"

    signature: ClassVar[str] = "B -> B d"
    title: ClassVar[str] = "the step of a diffusion as a vector"
    references: ClassVar[tuple[str, ...]] = (
        "Ho et al., Denoising Diffusion Probabilistic Models (2020), appendix B",
    )

    def forward(self, step: Tensor) -> Steps:
        turning = waves(step, self.d_f)
        u = act(self.activation, Linear(self.d_f, self.d)(turning, name="1"))
        return steps(waves=turning, y=Linear(self.d, self.d)(u, name="2"))


def waves(step: Tensor, number: Expr) -> Tensor:
    """Return the cosines and sines of each step, as many as are said in all."""
    turned = view("b -> b ()", step) * wavelengths(number / 2)
    return join([apply("cos", turned), apply("sin", turned)])


def wavelengths(number: Expr) -> Tensor:
    """Return how fast each pair turns: 10000^(−i/number)."""
    return table("rates", lambda i: BASE ** (-i / number), number)
