"""Attention of all places of an image to fewer of them, each of which stands for a square."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, floor

from symledger import sizes
from symledger.components.attention.dot_product import ScaledDotProduct
from symledger.components.convolution.convolution import Conv2d
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import view
from symledger.sizes import Size

WANG = "Wang et al., Pyramid Vision Transformer (2021), section 3.3"


@dataclass(frozen=True)
class ReducedAttention(Component):
    """Every place of an image sees squares of R × R places, each made one by a convolution.

    The convolution is followed by a norm; keys and values are mapped from what comes out, queries
    from the image itself. What is left over at the right and below is not seen. Unless it is
    ``reduced`` every place sees all others. Without ``bias`` the maps to queries, keys and values
    have none.
    Source: Wang et al., *Pyramid Vision Transformer* (2021), section 3.3, equations 1 to 4.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h
    R: Expr = sizes.R
    H_r: Expr = sizes.H_r
    W_r: Expr = sizes.W_r
    reduced: bool = True
    bias: bool = True

    signature: ClassVar[str] = "B H W d -> B H W d"
    title: ClassVar[str] = "attention of all places of an image to fewer of them"
    definitions: ClassVar[dict[Size, Expr]] = {
        sizes.H_r: floor(sizes.H / sizes.R), sizes.W_r: floor(sizes.W / sizes.R),
    }  # fmt: skip
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.H_r: sizes.H / sizes.R, sizes.W_r: sizes.W / sizes.R,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{WANG}, equations 1 to 4",)

    def forward(self, x: Tensor) -> Steps:
        width = self.d / self.h
        memory = self.seen(x) if self.reduced else view("B i j d -> B (i j) d", x)
        q, k, v = (
            view("B T (h k) -> B T h k", Linear(self.d, self.d, self.bias)(of, name=name), h=self.h)
            for name, of in (("Q", view("B i j d -> B (i j) d", x)), ("K", memory), ("V", memory))
        )
        z = ScaledDotProduct(self.h, self.h, width, width)(q, k, v, name="core")
        y = Linear(self.d, self.d)(view("B T h k -> B T (h k)", z), name="O")
        H, W = x.shape[1:3]
        return steps(memory=memory, q=q, k=k, v=v, z=z, y=view("B (i j) d -> B i j d", y, i=H, j=W))

    def seen(self, x: Tensor) -> Tensor:
        """Make one vector of every square of R × R places."""
        window = {"K": self.R, "s": self.R, "p": Integer(0), "r": ONE}
        squares = Conv2d(
            C_in=self.d, C_out=self.d, G=ONE, H_o=self.H_r, W_o=self.W_r,
            **{f"{name}_{axis}": e for name, e in window.items() for axis in "hw"},
        )(view("B i j d -> B d i j", x), name="reduction")  # fmt: skip
        return LayerNorm(self.d)(view("B d i j -> B (i j) d", squares), name="norm")
