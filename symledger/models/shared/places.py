"""Where places of images stand, as detectors are told it: sines of rows and columns, or learned."""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr, Integer, Mod, Piecewise, Symbol, cos, floor, pi, sin

from symledger.components.embeddings.rotary import BASE
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.verbs import apply, expand, join, narrow, param, table, view

TWO = Integer(2)
PLACES = Integer(50)
"""Rows and columns that learned positions are there for (transformers 5.23.0)."""


def sines(H: Expr, W: Expr, d: Expr, name: str = "places") -> Tensor:
    """Return where places stand: half of each vector is of its row, half of its column.

    Sines and cosines stand in turn.
    """

    def angle(t: Symbol, i: Symbol) -> Expr:
        half = d / 2
        down, across = (floor(t / W) + 1) / H, (Mod(t, W) + 1) / W
        far = 2 * pi * Piecewise((down, i < half), (across, True))
        turn = far / BASE ** (2 * floor(Mod(i, half) / 2) / half)
        return Piecewise((sin(turn), Mod(Mod(i, half), 2) < 1), (cos(turn), True))

    return table(name, angle, H * W, d)


def learned(shapes: Sequence[tuple[Expr, Expr]], d: Expr) -> list[Tensor]:
    """Return where places of each image stand, by rows and columns that all of them share."""
    half = d / 2
    rows, columns = param("rows", PLACES, half), param("columns", PLACES, half)
    found = []
    for H, W in shapes:
        across = expand(view("w c -> () w c", narrow(columns, 0, 0, W)), (H, W, half))
        down = expand(view("h c -> h () c", narrow(rows, 0, 0, H)), (H, W, half))
        found.append(view("h w c -> (h w) c", join([across, down])))
    return found


def waves(x: Tensor, number: Expr) -> Tensor:
    """Return sines and cosines in turn, so many of them, of each number that is told."""
    far = expand(view("B n c -> B n c ()", x), (*x.shape, number))
    turns = table("turns", lambda i: 2 * pi / BASE ** (2 * floor(i / 2) / number), number)
    turned = view("B n c (i e) -> B n c i e", far * turns, e=TWO)
    both = [apply(f, narrow(turned, -1, i, ONE)) for i, f in enumerate(("sin", "cos"))]
    return view("B n c i e -> B n c (i e)", join(both))
