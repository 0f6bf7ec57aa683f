"""Hiera: four stages over units of an image, whose vectors are pooled where queries are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.attention.dot_product import ScaledDotProduct
from symledger.components.convolution.convolution import Conv2d
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Activation, Seldom
from symledger.components.image_blocks.units import centred
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import maximum, mean, param, repeat, view
from symledger.sizes import C_i, L_i, Size, f_i, h_i

RYALI = "Ryali et al., Hiera (2023)"
SIDE = Integer(8)
"""Patches of a unit down and across, of which one is left in the last stage."""
FOUR = Integer(4)
"""Vectors that are made one."""
STAGES = range(4)
Units = Annotated[Literal["none", "one", "two", "three", "all"], Seldom(but=("two", "three"))]
"""The stages that attend inside units alone: as many, from the first on."""
NUMBERS = {"none": 0, "one": 1, "two": 2, "three": 3, "all": 4}


def pooled(x: Tensor) -> Tensor:
    """Return the largest numbers of every four vectors of a unit."""
    largest = maximum(view("B u (g t) d -> B u t d g", x, g=FOUR))
    return view("B u t d one -> B u t (d one)", largest)


@dataclass(frozen=True)
class UnitAttention(Component):
    """Attention to the vectors of the same unit, or (``wide``) to those of all units.

    Where it is ``pooling``, the largest of every four queries of a unit are one query.
    Source: Ryali et al. (2023), section 3, mask unit attention.
    """

    d_in: Expr
    d: Expr
    h: Expr
    T: Expr
    pooling: bool
    wide: bool

    signature: ClassVar[str] = "B u T d_in -> B u left d"
    title: ClassVar[str] = "attention inside units of an image, or to all of it"

    @property
    def left(self) -> Expr:
        """How many vectors of a unit come out."""
        return self.T / FOUR if self.pooling else self.T

    def forward(self, x: Tensor) -> Steps:
        q, k, v = (Linear(self.d_in, self.d)(x, name=name) for name in "QKV")
        q = pooled(q) if self.pooling else q
        seen = "B (u t) h k" if self.wide else "(B u) t h k"
        heads = (view(f"B u t (h k) -> {seen}", y, h=self.h) for y in (q, k, v))
        core = ScaledDotProduct(self.h, self.h, self.d / self.h, self.d / self.h)
        z = view(f"{seen} -> B u t (h k)", core(*heads, name="core"), u=x.shape[1])
        return steps(q=q, k=k, v=v, y=Linear(self.d, self.d)(z, name="O"))


@dataclass(frozen=True)
class UnitBlock(UnitAttention):
    """Attention, then a network; each after a norm, each beside x.

    Where vectors are widened, what the attention is added to is mapped, and pooled as queries are.
    Source: Ryali et al. (2023), section 3.
    """

    d_ff: Expr
    activation: Activation

    title: ClassVar[str] = "block of attention inside units, pre-LN"

    def forward(self, x: Tensor) -> Steps:
        n = LayerNorm(self.d_in)(x, name="norm_1")
        attention = UnitAttention(self.d_in, self.d, self.h, self.T, self.pooling, self.wide)
        beside = pooled(Linear(self.d_in, self.d)(n, name="shortcut")) if self.pooling else x
        middle = beside + attention(n, name="attention")
        network = FeedForward(self.d, self.d_ff, self.activation)
        fed = network(LayerNorm(self.d)(middle, name="norm_2"), name="feed_forward")
        return steps(middle=middle, y=middle + fed)


@dataclass(frozen=True)
class Hiera(Component):
    """An image classifier of four stages, between which every four vectors are made one.

    Patches overlap: windows of K × K, P apart. An image is seen as units of 8 × 8 patches, of which
    one vector is left in the last stage. In the first stages, as many as ``units`` says, a vector
    sees those of its unit alone; so does it where a stage begins that follows one of these. The
    mean over all vectors is normalized, and classified; without ``head`` it is the result.
    Source: Ryali et al., *Hiera: A Hierarchical Vision Transformer without the Bells-and-Whistles*
    (2023), section 3.
    """

    C_in: Expr = sizes.C_in
    K: Expr = sizes.K
    P: Expr = sizes.P
    C_1: Expr = C_i[0]
    C_2: Expr = C_i[1]
    C_3: Expr = C_i[2]
    C_4: Expr = C_i[3]
    L_1: Expr = L_i[0]
    L_2: Expr = L_i[1]
    L_3: Expr = L_i[2]
    L_4: Expr = L_i[3]
    h_1: Expr = h_i[0]
    h_2: Expr = h_i[1]
    h_3: Expr = h_i[2]
    h_4: Expr = h_i[3]
    f_1: Expr = f_i[0]
    f_2: Expr = f_i[1]
    f_3: Expr = f_i[2]
    f_4: Expr = f_i[3]
    Y: Expr = sizes.Y
    head: bool = True
    units: Units = "two"
    activation: Annotated[Activation, Seldom()] = "gelu"

    signature: ClassVar[str] = "B C_in H W -> B out"
    title: ClassVar[str] = "image classifier of attention inside units, whose vectors are pooled"
    definitions: ClassVar[dict[Size, Expr]] = {
        sizes.H_w: sizes.H / (SIDE * sizes.P), sizes.W_w: sizes.W / (SIDE * sizes.P),
    }  # fmt: skip
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.K: 2 * sizes.P - 1,
        **{C_i[i]: 2**i * C_i[0] for i in STAGES[1:]},
        **{h_i[i]: 2**i * h_i[0] for i in STAGES[1:]},
        **{f_i[i]: 4 * C_i[i] for i in STAGES},
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{RYALI}, section 3",)

    @property
    def out(self) -> Expr:
        """The width of the result."""
        return self.Y if self.head else self.C_4

    def embed(self, x: Tensor) -> Tensor:
        """Map each patch to a vector, told where it stands, and part them into units."""
        H, W = SIDE * sizes.H_w, SIDE * sizes.W_w
        patches = Conv2d(
            C_in=self.C_in, C_out=self.C_1, G=ONE, H_o=H, W_o=W, **centred(self.K, self.P)
        )  # fmt: skip
        seen = view("B d i j -> B (i j) d", patches(x, name="patches"))
        told = seen + param("positions", H * W, self.C_1)
        return view("B (u k v l) d -> B (u v) (k l) d", told, k=SIDE, v=sizes.W_w, l=SIDE)

    def stage(self, x: Tensor, at: int) -> Tensor:
        """Send vectors through the blocks of a stage, the first of which pools them."""
        number = NUMBERS[self.units]
        widths = (self.C_1, self.C_2, self.C_3, self.C_4)
        blocks = (self.L_1, self.L_2, self.L_3, self.L_4)[at]
        of = (
            (self.h_1, self.h_2, self.h_3, self.h_4)[at],
            (self.f_1, self.f_2, self.f_3, self.f_4)[at],
        )
        if at:
            first = self.block(widths[at - 1], widths[at], x, *of, pooling=True, wide=at > number)
            x, blocks = first(x, name=f"first_{at + 1}"), blocks - 1
        further = self.block(widths[at], widths[at], x, *of, wide=at >= number)
        return repeat(further, blocks, x, name=f"block_{at + 1}")

    def block(
        self, d_in: Expr, d: Expr, x: Tensor, h: Expr, d_ff: Expr, wide: bool,
        pooling: bool = False,
    ) -> Component:  # fmt: skip
        """Return a block for as many vectors of a unit as there are."""
        return UnitBlock(d_in, d, h, x.shape[2], pooling, wide, d_ff, self.activation)

    def forward(self, x: Tensor) -> Steps:
        x = self.embed(x)
        named = {"x_0": x}
        for at in STAGES:
            x = named[f"x_{at + 1}"] = self.stage(x, at)
        whole = mean(view("B u t d -> B d (u t)", x))
        pooled = LayerNorm(self.C_4)(view("B d one -> B (d one)", whole), name="final_norm")
        if not self.head:
            return steps(**named, pooled=pooled)
        return steps(**named, pooled=pooled, logits=Linear(self.C_4, self.Y)(pooled, name="head"))
