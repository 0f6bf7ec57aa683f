"""Attention inside square windows of an image, which may be shifted so that they overlap others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, Mod, Piecewise, Symbol, floor

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.grid import LIU, PLACED, GridAttention
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import copied, narrow, pad, table, take, view
from symledger.sizes import Size

WINDOWS = {
    sizes.H_w: floor((sizes.H + sizes.M - 1) / sizes.M),
    sizes.W_w: floor((sizes.W + sizes.M - 1) / sizes.M),
}  # fmt: skip
FAR = Integer(-100)
"""What is added to scores of places that do not see each other: nothing is left of those then."""


@dataclass(frozen=True)
class ShiftedGridAttention(GridAttention):
    """Attention inside each of H_w × W_w windows, of which the last hold places that were far off.

    An image that was rolled by half a window has, in its last windows, places of its other end:
    they do not see each other.
    Source: Liu et al. (2021), section 3.2, figure 4.
    """

    H_w: Expr = sizes.H_w
    W_w: Expr = sizes.W_w

    signature: ClassVar[str] = f"{PLACED} -> B (H_p W_p) h d_v"
    title: ClassVar[str] = "attention inside windows of an image that was rolled"

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Steps:
        T, M, number = q.shape[1], self.W_p, self.H_w * self.W_w

        def part(at: Expr, of: Expr) -> Expr:
            rolled = Piecewise((Integer(0), at < of * M - floor(M / 2)), (Integer(1), True))
            return Piecewise((Integer(0), at < (of - 1) * M), (1 + rolled, True))

        def region(window: Expr, place: Expr) -> Expr:
            row = floor(window / self.W_w) * M + floor(place / M)
            column = Mod(window, self.W_w) * M + Mod(place, M)
            return 3 * part(row, self.H_w) + part(column, self.W_w)

        def apart(b: Symbol, i: Symbol, j: Symbol, t: Symbol, s: Symbol) -> Expr:
            window = Mod(b, number)
            return FAR * (region(window, t) - region(window, s)) ** 2

        return self.biased(q, k, v, table("mask", apart, q.shape[0], ONE, ONE, T, T))


@dataclass(frozen=True)
class WindowedImageAttention(Component):
    """Every place of an image sees the places of its window of M × M, and nothing else.

    The image is filled up with zeros to whole windows, which are computed like all others. With
    ``shifted`` it is rolled by half a window before, and back afterwards, so that windows lie
    across the borders of those of another layer; products of places that were far off are
    computed, and hidden then: they count as all others do. Without ``bias`` the maps to queries,
    keys and values have none.
    Source: Liu et al., *Swin Transformer* (2021), section 3.2.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h
    d_k: Expr = sizes.d_k
    M: Expr = sizes.M
    H_w: Expr = sizes.H_w
    W_w: Expr = sizes.W_w
    shifted: bool = False
    bias: bool = True

    signature: ClassVar[str] = "B H W d -> B H W d"
    title: ClassVar[str] = "attention inside square windows of an image, which may be shifted"
    definitions: ClassVar[dict[Size, Expr]] = WINDOWS
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_k: sizes.d / sizes.h,
        sizes.H_w: sizes.H / sizes.M, sizes.W_w: sizes.W / sizes.M,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (LIU,)

    def forward(self, x: Tensor) -> Steps:
        H, W = x.shape[1:3]
        whole = pad(pad(x, 1, 0, self.H_w * self.M), 2, 0, self.W_w * self.M)
        whole = self.rolled(whole, 1) if self.shifted else whole
        cut = {"i": self.H_w, "p": self.M, "j": self.W_w, "q": self.M}
        windows = copied(view("B (i p) (j q) d -> (B i j) (p q) d", whole, **cut))
        mixed = self.attention()(windows, name="attention")
        back = view("(B i j) (p q) d -> B (i p) (j q) d", mixed, **cut)
        back = self.rolled(back, -1) if self.shifted else back
        return steps(windows=windows, mixed=mixed, y=narrow(narrow(back, 1, 0, H), 2, 0, W))

    def attention(self) -> Component:
        """Return the attention of each window."""
        heads = (self.h, self.h, self.d_k, self.d_k, self.M, self.M)
        mixing = GridAttention(*heads)
        if self.shifted:
            mixing = ShiftedGridAttention(*heads, self.H_w, self.W_w)
        unbiased = () if self.bias else ("Q", "K", "V")
        return Attention(
            self.d, self.h, self.h, self.d_k, self.d_k, True, mixing=mixing, unbiased=unbiased
        )

    def rolled(self, x: Tensor, way: int) -> Tensor:
        """Roll an image by half a window, up and to the left, or back."""
        for axis in (1, 2):
            n = x.shape[axis]

            def place(i: Symbol, n: Expr = n) -> Expr:
                return Mod(i + n + way * floor(self.M / 2), n)

            x = take(x, axis, table("place", place, n, storage="index"))
        return x
