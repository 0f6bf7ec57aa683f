"""Deformable attention: a query looks at a few places, and says itself where they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.heads_and_losses.softmax import Softmax
from symledger.components.maps.linear import Linear
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import gather, indices, join, narrow, total, view
from symledger.sizes import Size

ZHU = "Zhu et al., Deformable DETR (2021)"
TWO, FOUR = Integer(2), Integer(4)
"""Directions of an image, and the elements around a place in it."""


@dataclass(frozen=True)
class DeformableAttention(Component):
    """Each head takes values at n_pt places on each of n_lev levels, images of different sizes.

    A query stands at a place on every level; what it holds says how far from there a head looks,
    and how much each place counts: no query is multiplied by a key. All levels together have S
    elements. Between them values are interpolated: which four lie around a place is told, and where
    the first of them, its corner, stands, since both are choices. What lies outside is zero, which
    changes no count.
    Source: Zhu et al., *Deformable DETR* (2021), section 4.1, equation 3; Dai et al., *Deformable
    Convolutional Networks* (2017), section 2.1, for the interpolation.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    n_lev: Expr = sizes.n_lev
    n_pt: Expr = sizes.n_pt

    signature: ClassVar[str] = "B T d, B S d, B T n_lev two, B h T looks two -> B T d"
    title: ClassVar[str] = "attention to a few places, which queries choose"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_h: sizes.d / sizes.h}
    references: ClassVar[tuple[str, ...]] = (
        f"{ZHU}, section 4.1, equation 3", "Dai et al., Deformable Convolutional Networks (2017)",
    )  # fmt: skip

    @property
    def two(self) -> Expr:
        """How many numbers say where a place is."""
        return TWO

    @property
    def looks(self) -> Expr:
        """How many places a head looks at."""
        return self.n_lev * self.n_pt

    def forward(self, x: Tensor, memory: Tensor, places: Tensor, corner: Tensor) -> Steps:
        B, T, S = x.shape[0], x.shape[1], memory.shape[1]
        v = view("b s (h e) -> b h s e", Linear(self.d, self.h * self.d_h)(memory, name="V"),
                 h=self.h)  # fmt: skip
        moved = Linear(self.d, self.h * self.looks * TWO)(x, name="offsets")
        moved = view("b t (h f p c) -> b h t f p c", moved, h=self.h, f=self.n_lev, p=self.n_pt)
        stood = view("b t f c -> b () t f () c", places)
        seen = view("b h t f p c -> b h t (f p) c", moved + stood)
        far = seen - corner
        shares = self.shares(far)
        picked = gather(v, indices("around", S, B, self.h, T, self.looks, FOUR), batch=2)
        between = total(picked * view("b h t q k -> b h t q k ()", shares), axes=(-2,))
        scores = view("b t (h q) -> b h t q", Linear(self.d, self.h * self.looks)(x, name="scores"),
                      h=self.h)  # fmt: skip
        a = Softmax()(scores, name="softmax")
        taken = view("b h t q one e -> b h t q (one e)", between)
        weighed = taken * view("b h t q -> b h t q ()", a)
        z = view("b h t one e -> b t (h one e)", total(weighed, axes=(-2,)))
        return steps(
            v=v, far=far, shares=shares, a=a, z=z, y=Linear(self.h * self.d_h, self.d)(z, name="O")
        )

    def shares(self, far: Tensor) -> Tensor:
        """Return how much each of the four elements around a place counts: the nearer, the more."""
        down, across = (narrow(far, -1, i, ONE) for i in (0, 1))
        return join([
            (1 - down) * (1 - across), (1 - down) * across, down * (1 - across), down * across,
        ])  # fmt: skip
