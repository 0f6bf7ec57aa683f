"""Rotary positions: where a token stands, turned into its queries and keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, Symbol, cos, sin

from symledger import sizes
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import join, narrow, table

BASE = Integer(10000)
"""The longest wavelength is 2π times this."""
START = Integer(0)
"""The position of the first token where nothing came before."""
NEXT = Integer(1)
"""How far positions are apart, where none is left out; −1 turns back what was turned."""


@dataclass(frozen=True)
class RotaryPositions(Component):
    """Turn each pair of elements of a head by an angle that grows with the position.

    The pairs are (i, i + d_k/2); nothing is learned. Applied to queries and to keys.
    Source: Su et al., *RoFormer* (2021), section 3.4.2, in the layout of GPT-NeoX and LLaMA.
    """

    d_k: Expr = sizes.d_k
    offset: Expr = START
    apart: Expr = NEXT

    signature: ClassVar[str] = "B T h d_k -> B T h d_k"
    title: ClassVar[str] = "pairs of elements turned by the position"
    references: ClassVar[tuple[str, ...]] = ("Su et al., RoFormer (2021), section 3.4.2",)

    def forward(self, x: Tensor) -> Steps:
        half = self.d_k / 2
        shape = (x.shape[1], Integer(1), half)
        turn_cos = table("cos", lambda t, _, i: cos(self.angle(t, i)), *shape)
        turn_sin = table("sin", lambda t, _, i: sin(self.angle(t, i)), *shape)
        a, b = narrow(x, -1, 0, half), narrow(x, -1, half, half)
        turned = [a * turn_cos - b * turn_sin, a * turn_sin + b * turn_cos]
        return steps(y=join(turned))

    def angle(self, t: Symbol, i: Symbol) -> Expr:
        """Return the angle of pair i at position t after offset: t · 10000^(−2i/d_k)."""
        return (t * self.apart + self.offset) / BASE ** (2 * i / self.d_k)
