"""How an image shrinks: its height and width after each reduction, in whole pixels."""

from __future__ import annotations

from sympy import Expr, floor

from symledger import sizes
from symledger.sizes import H_i, Size, W_i


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
