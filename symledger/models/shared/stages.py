"""Stages of networks of images: how an image shrinks, and the blocks that see it at one size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, floor

from symledger import sizes
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import mean, repeat, view
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


def averaged(x: Tensor) -> Tensor:
    """Return the mean of each channel over all places."""
    return view("b c one -> b (c one)", mean(view("b c h w -> b c (h w)", x)))


def halvings(up: Sequence[bool], first: Expr | int = 2) -> dict[Size, Expr]:
    """Return the sizes after reductions, the first by ``first``, then by 2: which are rounded up.

    A window of odd width with the padding that it needs rounds up; tiles leave out what is over.
    Rounding once comes to the same as rounding every time.
    """
    steps = [first if i == 0 else 2 for i in range(len(up))]
    before = [Integer(1), *(first * 2**i for i in range(len(up)))]
    added = [n * (by - 1) if this else 0 for n, by, this in zip(before, steps, up, strict=False)]
    return {
        symbol: floor((whole + sum(added[: i + 1])) / by)
        for symbol, (i, whole, by) in _divided(len(up), first).items()
    }


def halves(number: int, first: Expr | int = 2) -> dict[Size, Expr]:
    """Return what these sizes are where everything divides."""
    return {symbol: whole / by for symbol, (_, whole, by) in _divided(number, first).items()}


def _divided(number: int, first: Expr | int) -> dict[Size, tuple[int, Expr, Expr | int]]:
    return {
        after[i]: (i, whole, first * 2**i)
        for i in reversed(range(number))
        for whole, after in ((sizes.H, H_i), (sizes.W, W_i))
    }
