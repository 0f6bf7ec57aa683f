"""From the vectors of an image to those of a text: groups made one, and maps to another width."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Plain, act
from symledger.components.maps.linear import Linear
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import mean, view
from symledger.sizes import Size

LIU = "Liu et al., Improved Baselines with Visual Instruction Tuning (2023), section 3.2"
SHI = "Shi et al., Real-Time Single Image and Video Super-Resolution (2016), equation 4"


@dataclass(frozen=True)
class PatchMerging(Component):
    """The vectors of every g × g patches made one: laid side by side, or ``averaged``.

    Nothing is learned. Laid side by side they are what the shuffling of pixels gives, backwards.
    Source: Shi et al. (2016), section 3.2, equation 4, backwards.
    """

    d: Expr = sizes.d
    g: Expr = sizes.g
    H_g: Expr = sizes.H_g
    W_g: Expr = sizes.W_g
    averaged: bool = False

    signature: ClassVar[str] = "B (H_g g W_g g) d -> B (H_g W_g) out"
    title: ClassVar[str] = "vectors of neighbouring patches made one"
    references: ClassVar[tuple[str, ...]] = (SHI,)

    @property
    def out(self) -> Expr:
        """The width of a vector of the result."""
        return self.d if self.averaged else self.g**2 * self.d

    def forward(self, x: Tensor) -> Steps:
        lengths = {"i": self.H_g, "k": self.g, "j": self.W_g, "l": self.g}
        if self.averaged:
            together = view("b (i k j l) d -> b (i j) d (k l)", x, **lengths)
            return steps(y=view("b n d one -> b n (d one)", mean(together)))
        return steps(y=view("b (i k j l) d -> b (i j) (k l d)", x, **lengths))


@dataclass(frozen=True)
class Projector(Component):
    """Two affine maps with a nonlinearity between them, from one width to another.

    Where it is ``gated`` the hidden values are multiplied by a gate, the nonlinearity of another
    map. It makes vectors of images as wide as those of words.
    Source: Liu et al., *Improved Baselines with Visual Instruction Tuning* (2023), section 3.2.
    """

    d_in: Expr = sizes.d_in
    d_ff: Expr = sizes.d_ff
    d_out: Expr = sizes.d_out
    activation: Plain = "gelu"
    bias: bool = True
    gated: bool = False

    signature: ClassVar[str] = "... d_in -> ... d_out"
    title: ClassVar[str] = "two affine maps with a nonlinearity between them, to another width"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_ff: sizes.d_out}
    references: ClassVar[tuple[str, ...]] = (LIU,)

    def forward(self, x: Tensor) -> Steps:
        u = Linear(self.d_in, self.d_ff, self.bias)(x, name="1")
        a = act(self.activation, u)
        if self.gated:
            a = a * Linear(self.d_in, self.d_ff, self.bias)(x, name="up")
        return steps(u=u, a=a, y=Linear(self.d_ff, self.d_out, self.bias)(a, name="2"))
