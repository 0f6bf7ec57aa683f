"""Sequences in chunks, the last one filled up with zeros, and sums along each of them."""

from __future__ import annotations

from sympy import Expr, Integer, Piecewise, Symbol, oo

from symledger.ir.tensor import Tensor
from symledger.notation.verbs import pad, table, total, view


def in_chunks(x: Tensor, n_c: Expr, Q: Expr) -> Tensor:
    """Fill up with zeros to whole chunks, and cut into these."""
    padded = pad(x, 1, 0, n_c * Q)
    rest = " ".join("abc"[: x.rank - 2])
    return view(f"B (k l) {rest} -> B k l {rest}", padded, k=n_c, l=Q)


def summed(a: Tensor) -> Tensor:
    """Return the sums up to each position of the last axis, that one included."""
    n = a.shape[-1]
    seen = table("seen", lambda t, s: Piecewise((Integer(1), s <= t), (Integer(0), True)), n, n)
    sums = total(view("... s -> ... () s", a) * seen)
    return view("... l one -> ... (l one)", sums)


def past(n: Expr) -> Tensor:
    """Return a table that hides what comes later."""

    def hidden(t: Symbol, s: Symbol) -> Expr:
        return Piecewise((Integer(0), s <= t), (-oo, True))

    return table("mask", hidden, n, n)


def between(late: Tensor, early: Tensor) -> Tensor:
    """Return the sums of what lies between two positions, for each pair of them."""
    return view("... l -> ... l ()", late) - view("... s -> ... () s", early)
