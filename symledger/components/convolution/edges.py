"""What stands beyond the ends of an axis: zeros, or elements that it has already."""

from __future__ import annotations

from typing import Literal

from sympy import Expr, Mod, Piecewise, Symbol

from symledger.ir.tensor import Tensor
from symledger.notation.verbs import pad, table, take

Mode = Literal["zeros", "reflect", "replicate", "circular"]


def padded(x: Tensor, axis: int, before: Expr, after: Expr, mode: Mode) -> Tensor:
    """Return a tensor with so many elements more before and after those of an axis.

    Reflected are the elements beside the first and the last one, replicated these two; around a
    circle the first one follows the last. What is padded is a tensor of its own, no view.
    """
    n = x.shape[axis]
    if mode == "zeros":
        return pad(x, axis, before, before + n + after)

    def place(i: Symbol) -> Expr:
        at = i - before
        if mode == "circular":
            return Mod(at + n, n)
        first, last = (-at, 2 * (n - 1) - at) if mode == "reflect" else (n * 0, n - 1)
        return Piecewise((first, at < 0), (last, at > n - 1), (at, True))

    shown = {"reflect": 1, "circular": 0}.get(mode)  # beside an end: how far from it they begin
    sides = () if shown is None else dict.fromkeys((before, after))
    within = tuple((side + shown, n) for side in sides)
    index = table("place", place, before + n + after, storage="index", within=within)
    return take(x, axis, index)
