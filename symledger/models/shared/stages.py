"""Stages of networks of images: how an image shrinks, and the blocks that see it at one size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, floor

from symledger import sizes
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import repeat
from symledger.sizes import H_i, Size, W_i


@dataclass(frozen=True)
class Stage(Component):
    """A block that may halve the image and change its channels, then L − 1 that keep both."""

    first: Component
    further: Component
    L: Expr = sizes.L
    C_in: Expr = sizes.C_in
    C_out: Expr = sizes.C_out
    H_o: Expr = sizes.H_o
    W_o: Expr = sizes.W_o

    signature: ClassVar[str] = "B C_in H W -> B C_out H_o W_o"

    def forward(self, x: Tensor) -> Steps:
        x = self.first(x, name="first")
        return steps(y=repeat(self.further, self.L - 1, x, name="block"))


def halvings(number: int, up: bool = True, first: Expr | int = 2) -> dict[Size, Expr]:
    """Return the sizes after reductions: the first by ``first``, then by 2, rounded up or down.

    A window of odd width with the padding that it needs rounds up; tiles leave out what is over.
    Rounding once comes to the same as rounding every time.
    """
    return {
        symbol: floor((whole + by - 1) / by) if up else floor(whole / by)
        for symbol, (whole, by) in _divided(number, first).items()
    }


def halves(number: int, first: Expr | int = 2) -> dict[Size, Expr]:
    """Return what these sizes are where everything divides."""
    return {symbol: whole / by for symbol, (whole, by) in _divided(number, first).items()}


def _divided(number: int, first: Expr | int) -> dict[Size, tuple[Expr, Expr | int]]:
    return {
        after[i]: (whole, first * 2**i)
        for i in reversed(range(number))
        for whole, after in ((sizes.H, H_i), (sizes.W, W_i))
    }
