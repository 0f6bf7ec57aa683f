"""How a model knows where a token stands: positions that are learned, or sinusoidal, added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Mod, Piecewise, Rational, Symbol, cos, floor, sin

from symledger import sizes
from symledger.components.embeddings.rotary import BASE, START
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import narrow, param, table


@dataclass(frozen=True)
class LearnedPositions(Component):
    """A learned row for each position of the context window, added to the token's vector.

    Source: Gehring et al., *Convolutional Sequence to Sequence Learning* (2017), section 3.1.
    """

    T_max: Expr = sizes.T_max
    d: Expr = sizes.d
    offset: Expr = START

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "a learned row for each position"
    references: ClassVar[tuple[str, ...]] = (
        "Gehring et al., Convolutional Sequence to Sequence Learning (2017), section 3.1",
    )

    def forward(self, x: Tensor) -> Steps:
        P = param("P", self.T_max, self.d)
        return steps(y=x + narrow(P, 0, self.offset, x.shape[1]))


@dataclass(frozen=True)
class SinusoidalPositions(Component):
    """Sines and cosines of the position at geometric wavelengths, added; nothing is learned.

    Source: Vaswani et al., *Attention Is All You Need* (2017), section 3.5.
    """

    d: Expr = sizes.d
    offset: Expr = START

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "sines and cosines of the position"
    references: ClassVar[tuple[str, ...]] = (
        "Vaswani et al., Attention Is All You Need (2017), section 3.5",
    )

    def forward(self, x: Tensor) -> Steps:
        return steps(y=x + table("P", self.angle, x.shape[1], self.d))

    def angle(self, t: Symbol, i: Symbol) -> Expr:
        """Return element i of position t: a sine where i is even, a cosine where it is odd."""
        turn = (t + self.offset) / BASE ** (2 * floor(i / 2) / self.d)
        return Piecewise((sin(turn), Mod(i, 2) < Rational(1, 2)), (cos(turn), True))
