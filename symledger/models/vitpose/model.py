"""ViTPose: a vision transformer without a class vector, and maps of how likely each joint is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr, Integer, Mod, Piecewise, Symbol, floor

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.convolution.convolution import Conv2d
from symledger.components.convolution.transposed import ConvTranspose2d
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Activation, Seldom, act
from symledger.components.layout.interpolation import Interpolation2d
from symledger.components.maps.linear import Linear
from symledger.components.norms.image_norms import BatchNorm
from symledger.components.norms.norms import LayerNorm
from symledger.ir.building import leave_idle
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.depth import convolved
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, einsum, join, narrow, param, repeat, table, total, view
from symledger.sizes import Size

XU = "Xu et al., ViTPose (2022)"
MORE = "Xu et al., ViTPose++ (2022), section 3.4"
WIDTH = Integer(256)
"""Channels of transposed convolutions (transformers 5.23.0, ``VitPoseClassicDecoder``)."""


@dataclass(frozen=True)
class PartedNetwork(Component):
    """A network of which the last d_exp results are made by one of E maps, for what is seen.

    All of them are computed, and all but one multiplied by zero: so the implementation does.
    Source: Xu et al. (2022), ViTPose++, section 3.4.
    """

    d: Expr
    d_ff: Expr
    E: Expr
    d_exp: Expr
    activation: Activation

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "a network whose last results are made by one of several maps"

    def forward(self, x: Tensor) -> Steps:
        hidden = act(self.activation, Linear(self.d, self.d_ff)(x, name="1"))
        shared = Linear(self.d_ff, self.d - self.d_exp)(hidden, name="2")
        weight, bias = param("W", self.E, self.d_ff, self.d_exp), param("b", self.E, self.d_exp)
        parts = einsum("B T f, E f o -> E B T o", hidden, weight)
        parts = parts + view("E o -> E () () o", bias)

        def meant(e: Symbol, b: Symbol, t: Symbol, o: Symbol) -> Expr:
            return Piecewise((ONE, Mod(b + e, self.E) < 1), (Integer(0), True))

        chosen = parts * table("meant", meant, self.E, x.shape[0], ONE, ONE)
        own = view("B T o one -> B T (o one)", total(view("E B T o -> B T o E", chosen)))
        return steps(shared=shared, own=own, y=join([shared, own]))


@dataclass(frozen=True)
class VitPose(Component):
    """A transformer over the patches of a picture of one body, and a map for each of Y joints.

    Patches are cut with two pixels of zeros around the picture. Each has a learned row, and all of
    them one more. What leaves the blocks is made u times as large, and mapped by one convolution;
    without ``simple`` by two transposed ones and one of single places. With ``parted`` the last
    d_exp results of each network are made by one of E maps. Where an ``inner`` block is read, L_u
    come behind it, which are computed and read by nothing. Without ``qkv_bias`` the maps to
    queries, keys and values have no bias.
    Source: Xu et al., *ViTPose* (2022), sections 3.1 and 3.2; *ViTPose++* (2022), section 3.4.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_ff: Expr = sizes.d_ff
    Y: Expr = sizes.Y
    u: Expr = sizes.u
    E: Expr = sizes.E
    d_exp: Expr = sizes.d_exp
    L_u: Expr = sizes.L_u
    H_p: Expr = sizes.H_p
    W_p: Expr = sizes.W_p
    simple: bool = True
    parted: Annotated[bool, Seldom()] = False
    inner: Annotated[bool, Seldom()] = False
    qkv_bias: Annotated[bool, Seldom()] = True
    activation: Activation = "gelu"

    title: ClassVar[str] = "pre-LN encoder over patches, and a map for each joint of a body"
    signature: ClassVar[str] = "B C_in H W -> B Y high wide"
    definitions: ClassVar[dict[Size, Expr]] = {
        sizes.H_p: floor(sizes.H / sizes.P), sizes.W_p: floor(sizes.W / sizes.P),
    }  # fmt: skip
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_ff: 4 * sizes.d, sizes.u: Integer(4)}
    references: ClassVar[tuple[str, ...]] = (f"{XU}, sections 3.1 and 3.2", MORE)

    @property
    def times(self) -> Expr:
        """How many times as large as the map of patches the result is."""
        return self.u if self.simple else Integer(4)

    @property
    def high(self) -> Expr:
        """How high the result is."""
        return self.H_p * self.times

    @property
    def wide(self) -> Expr:
        """How wide the result is."""
        return self.W_p * self.times

    def embed(self, x: Tensor) -> Tensor:
        """Return the vectors of patches, each at its place."""
        said = {"K": self.P, "s": self.P, "p": Integer(2), "r": ONE}
        window = {f"{name}_{axis}": e for axis in "hw" for name, e in said.items()}
        cut = Conv2d(C_in=self.C_in, C_out=self.d, G=ONE, H_o=self.H_p, W_o=self.W_p, **window)
        patches = view("B d i j -> B (i j) d", cut(x, name="patches"))
        places = self.H_p * self.W_p
        P = param("P", places + 1, self.d)
        return patches + narrow(P, 0, 1, places) + narrow(P, 0, 0, 1)

    def block(self) -> Component:
        """Return the block that is repeated."""
        width = self.d / self.h
        attention = Attention(
            self.d, self.h, self.h, width, width, True,
            unbiased=() if self.qkv_bias else ("Q", "K", "V"),
        )  # fmt: skip
        network: Component = FeedForward(self.d, self.d_ff, self.activation)
        if self.parted:
            network = PartedNetwork(self.d, self.d_ff, self.E, self.d_exp, self.activation)
        return PreLNBlock(self.d, causal=False, attention=attention, network=network)

    def larger(self, x: Tensor, number: int) -> Tensor:
        """Make a map twice as large, normalized and rectified."""
        said = {"K": Integer(4), "s": Integer(2), "p": ONE, "r": ONE}
        window = {f"{name}_{axis}": e for axis in "hw" for name, e in said.items()}
        H, W = x.shape[2:]
        opened = ConvTranspose2d(C_in=x.shape[1], C_out=WIDTH, G=ONE, H_o=2 * H, W_o=2 * W,
                                 bias=False, **window)  # fmt: skip
        made = BatchNorm(WIDTH)(opened(x, name=f"larger_{number}"), name=f"larger_norm_{number}")
        return apply("relu", made)

    def drawn(self, x: Tensor) -> Tensor:
        """Return a map for each joint."""
        if self.simple:
            spread = Interpolation2d(self.high, self.wide)(apply("relu", x), name="interpolation")
            return convolved(spread, self.Y, "joints")
        return convolved(self.larger(self.larger(x, 1), 2), self.Y, "joints", ONE)

    def forward(self, x: Tensor) -> Steps:
        block = self.block()
        number = self.L - self.L_u if self.inner else self.L
        tokens = repeat(block, number, self.embed(x), name="block")
        if self.inner:
            leave_idle(repeat(block, self.L_u, tokens, name="unread_block"))
        hidden = LayerNorm(self.d)(tokens, name="final_norm")
        seen = view("B (i j) d -> B d i j", hidden, i=self.H_p)
        return steps(hidden=hidden, maps=self.drawn(seen))
