"""Pyramids: four stages of attention to fewer keys than there are places, each smaller than before.

Stage i has C_i channels at H_i × W_i places; squares of r_i × r_i of these are made one key each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer, floor

from symledger import sizes
from symledger.components.attention.sourced import SourcedAttention
from symledger.components.convolution.convolution import Conv2d
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Activation, Gating, Seldom, act
from symledger.components.image_blocks.units import centred
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.stages import halvings
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import repeat, view
from symledger.sizes import C_i, H_i, H_ri, L_i, Size, W_i, W_ri, f_i, h_i, r_i

WANG = "Wang et al., Pyramid Vision Transformer (2021)"
STAGES = range(4)
FIRST = Integer(4)
"""How many times smaller the first stage is than the image."""
IMAGE, ROWS = "B d i j -> B (i j) d", "B (i j) d -> B d i j"
Reduced = Annotated[Literal["none", "one", "two", "three", "all"], Seldom(but=("three", "none"))]
"""The stages whose keys are fewer than their places: as many, from the first on."""
NUMBERS = {"none": 0, "one": 1, "two": 2, "three": 3, "all": 4}


def smaller(up: bool) -> dict[Size, Expr]:
    """Return the sizes of all stages, each half of the one before, rounded up or down."""
    return halvings((up,) * 4, FIRST)


def keys(up: bool) -> dict[Size, Expr]:
    """Return the sizes of what keys are made of: whole squares of places."""
    return {
        symbol[i]: floor((whole + (by - 1 if up else 0)) / (by * r_i[i]))
        for i in STAGES
        for by in (FIRST * 2**i,)
        for symbol, whole in ((H_ri, sizes.H), (W_ri, sizes.W))
    }


def even() -> dict[Size, Expr]:
    """Return what all of these are where everything divides."""
    return {
        **{of[i]: whole / (FIRST * 2**i)
           for i in STAGES for of, whole in ((H_i, sizes.H), (W_i, sizes.W))},
        **{of[i]: whole / (FIRST * 2**i * r_i[i])
           for i in STAGES for of, whole in ((H_ri, sizes.H), (W_ri, sizes.W))},
    }  # fmt: skip


@dataclass(frozen=True)
class ReducedAttention(Component):
    """Every place sees what squares of r × r places are made into, by a convolution and a norm.

    Unless it is ``reduced`` every place sees all others. Without ``bias`` the maps to queries, keys
    and values have none.
    Source: Wang et al. (2021), section 3.3, equations 2 to 4.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h
    H: Expr = sizes.H
    W: Expr = sizes.W
    r: Expr = sizes.r
    H_r: Expr = H_ri[0]
    W_r: Expr = W_ri[0]
    reduced: bool = True
    bias: bool = True

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "attention to fewer keys than there are places"

    def forward(self, x: Tensor) -> Steps:
        source = self.fewer(x) if self.reduced else x
        attention = SourcedAttention(
            self.d, self.h, self.d / self.h, self.d, self.d, bias=self.bias, out_bias=True
        )
        return steps(source=source, y=attention(x, source, source, name="heads"))

    def fewer(self, x: Tensor) -> Tensor:
        """Make one vector of each square of places."""
        image = view(ROWS, x, i=self.H, j=self.W)
        window = {"K": self.r, "s": self.r, "p": Integer(0), "r": ONE}
        fields = {f"{key}_{axis}": e for key, e in window.items() for axis in "hw"}
        convolution = Conv2d(C_in=self.d, C_out=self.d, G=ONE, H_o=self.H_r, W_o=self.W_r, **fields)
        squares = view(IMAGE, convolution(image, name="reduction"))
        return LayerNorm(self.d)(squares, name="norm")


@dataclass(frozen=True)
class MixedNetwork(Component):
    """A network whose hidden channels are convolved, each by itself, before its nonlinearity.

    Windows at the border see zeros: so places come to know where they stand.
    Source: Xie et al., *SegFormer* (2021), section 3.1, equation 3.
    """

    d: Expr = sizes.d
    d_ff: Expr = sizes.d_ff
    H: Expr = sizes.H
    W: Expr = sizes.W
    activation: Activation = "gelu"

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "network with a depthwise convolution inside"

    def forward(self, x: Tensor) -> Steps:
        u = Linear(self.d, self.d_ff)(x, name="1")
        depthwise = Conv2d(
            C_in=self.d_ff, C_out=self.d_ff, G=self.d_ff, H_o=self.H, W_o=self.W,
            **centred(Integer(3), ONE),
        )  # fmt: skip
        seen = depthwise(view(ROWS, u, i=self.H, j=self.W), name="depthwise")
        a = act(self.activation, view(IMAGE, seen))
        return steps(u=u, a=a, y=Linear(self.d_ff, self.d)(a, name="2"))


@dataclass(frozen=True)
class PyramidBlock(Component):
    """Attention to fewer keys, then a network; each after a norm, each beside x.

    Source: Wang et al. (2021), section 3.3.
    """

    d: Expr
    attention: Component
    network: Component

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "block of attention to fewer keys"

    def forward(self, x: Tensor) -> Steps:
        middle = x + self.attention(LayerNorm(self.d)(x, name="norm_1"), name="attention")
        fed = self.network(LayerNorm(self.d)(middle, name="norm_2"), name="feed_forward")
        return steps(middle=middle, y=middle + fed)


@dataclass(frozen=True)
class Pyramid(Component):
    """Four stages, each of which begins with a convolution that makes the image smaller."""

    C_in: Expr = sizes.C_in
    C_1: Expr = C_i[0]
    C_2: Expr = C_i[1]
    C_3: Expr = C_i[2]
    C_4: Expr = C_i[3]
    h_1: Expr = h_i[0]
    h_2: Expr = h_i[1]
    h_3: Expr = h_i[2]
    h_4: Expr = h_i[3]
    L_1: Expr = L_i[0]
    L_2: Expr = L_i[1]
    L_3: Expr = L_i[2]
    L_4: Expr = L_i[3]
    f_1: Expr = f_i[0]
    f_2: Expr = f_i[1]
    f_3: Expr = f_i[2]
    f_4: Expr = f_i[3]
    r_1: Expr = r_i[0]
    r_2: Expr = r_i[1]
    r_3: Expr = r_i[2]
    r_4: Expr = r_i[3]
    Y: Expr = sizes.Y
    reduced: Reduced = "three"
    qkv_bias: Annotated[bool, Seldom()] = True
    activation: Gating = "gelu"

    up: ClassVar[bool] = True
    """Whether halves are rounded up, as by windows that overlap."""
    mixed: ClassVar[bool] = True
    """Whether networks convolve."""
    assumptions: ClassVar[dict[Size, Expr]] = {
        **even(),
        **{h_i[i]: h_i[0] * C_i[i] / C_i[0] for i in STAGES[1:]},
        **{f_i[i]: 4 * C_i[i] for i in STAGES},
    }  # fmt: skip

    def decided(self) -> Mapping[Size, Expr]:
        """Return the sizes of all stages, and of the keys of those that have fewer."""
        images, squares = smaller(self.up), keys(self.up)
        found = {}
        for at in STAGES:
            found.update({symbol: images[symbol] for symbol in (H_i[at], W_i[at])})
            if at < NUMBERS[self.reduced]:
                found.update({symbol: squares[symbol] for symbol in (H_ri[at], W_ri[at])})
        return found

    def stages(self, name: str) -> tuple[Expr, ...]:
        """Return the sizes of that letter, one for each stage."""
        return tuple(getattr(self, f"{name}_{i}") for i in range(1, 5))

    def block(self, at: int) -> Component:
        """Return the block of a stage."""
        d, places = self.stages("C")[at], (H_i[at], W_i[at])
        attention = ReducedAttention(
            d, self.stages("h")[at], *places, self.stages("r")[at], H_ri[at], W_ri[at],
            at < NUMBERS[self.reduced], self.qkv_bias,
        )  # fmt: skip
        wide = self.stages("f")[at]
        network: Component = FeedForward(d, wide, self.activation)
        if self.mixed:
            network = MixedNetwork(d, wide, *places, self.activation)
        return PyramidBlock(d, attention, network)

    def cut(self, x: Tensor, at: int) -> Tensor:
        """Make an image smaller: windows that overlap, of 7 × 7 in the first stage, of 3 × 3 after.

        Source: Xie et al. (2021), section 3.1.
        """
        kernel, stride = (Integer(7), FIRST) if at == 0 else (Integer(3), Integer(2))
        convolution = Conv2d(
            C_in=x.shape[1], C_out=self.stages("C")[at], G=ONE, H_o=H_i[at], W_o=W_i[at],
            **centred(kernel, stride),
        )  # fmt: skip
        return convolution(x, name=f"patches_{at + 1}")

    def entered(self, x: Tensor, at: int) -> Tensor:
        """Return the vectors that enter a stage: of a smaller image, normalized."""
        vectors = view(IMAGE, self.cut(x, at))
        return LayerNorm(self.stages("C")[at])(vectors, name=f"patches_norm_{at + 1}")

    def left(self, x: Tensor, at: int) -> Tensor:
        """Return what leaves a stage, normalized."""
        return LayerNorm(self.stages("C")[at])(x, name=f"norm_{at + 1}")

    def through(self, x: Tensor, at: int) -> Tensor:
        """Send vectors through the blocks of a stage."""
        return repeat(self.block(at), self.stages("L")[at], x, name=f"block_{at + 1}")

    def laid(self, x: Tensor, at: int) -> Tensor:
        """Lay the vectors of a stage out as an image."""
        return view(ROWS, x, i=H_i[at], j=W_i[at])

    def climbed(self, x: Tensor) -> list[Tensor]:
        """Return the images that all stages make."""
        found = []
        for at in STAGES:
            x = self.laid(self.left(self.through(self.entered(x, at), at), at), at)
            found.append(x)
        return found
