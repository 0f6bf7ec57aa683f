"""MaskFormer: queries each of which is a class and a mask, not each pixel one of the classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.convolution.convolution import Conv2d
from symledger.components.feed_forward.nonlinearities import Activation, Gating, Seldom
from symledger.components.image_blocks.units import centred
from symledger.components.layout.interpolation import Nearest2d
from symledger.components.maps.linear import Linear
from symledger.components.norms.image_norms import GroupNorm
from symledger.components.norms.norms import LayerNorm
from symledger.ir.building import leave_idle
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.detection import Guess, QueryBlock
from symledger.models.shared.places import sines
from symledger.models.swin.model import LIU, STAGES, Swin
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, einsum, expand, param, repeat, table, view
from symledger.sizes import L_i, Size, h_i

CHENG = "Cheng, Schwing, Kirillov, Per-Pixel Classification is Not All You Need (2021)"
THREE = Integer(3)


class SeeingSwin(Swin):
    """Swin, of which the image of each stage is read, normalized.

    What is normalized behind the last stage once more is not read.
    Source: Liu et al. (2021), section 4.3; transformers, ``MaskFormerSwinBackbone``.
    """

    signature: ClassVar[str] = (
        "B C_in H W -> B c_1 H_1 W_1, B c_2 H_2 W_2, B c_3 H_3 W_3, B c_4 H_4 W_4"
    )
    title: ClassVar[str] = "windows whose image of each stage is read"

    def forward(self, x: Tensor) -> Steps:
        x, maps = self.embed(x), {}
        for at in STAGES:
            x = self.merging(at)(x, name=f"merging_{at}") if at else x
            x = self.stage(x, at)
            n = LayerNorm(2**at * self.C)(x, name=f"map_norm_{at + 1}")
            maps[f"map_{at + 1}"] = view("B i j d -> B d i j", n)
        leave_idle(LayerNorm(8 * self.C)(x, name="final_norm"))
        return steps(**maps)


@dataclass(frozen=True)
class MaskFormer(Component):
    """Swin, its maps fused from the smallest one on, and n_q queries that look at the smallest.

    Each query gives scores of Y classes and of none, and d_msk numbers, whose products with those
    of a place say whether that belongs to its mask; ``bare`` leaves queries and places as they are.
    Unless it is ``projected`` the smallest map has as many channels as queries are wide.
    Source: Cheng, Schwing, Kirillov, *Per-Pixel Classification is Not All You Need for Semantic
    Segmentation* (2021), section 3.3 and appendix A.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    C: Expr = sizes.C
    h_1: Expr = h_i[0]
    h_2: Expr = h_i[1]
    h_3: Expr = h_i[2]
    h_4: Expr = h_i[3]
    L_1: Expr = L_i[0]
    L_2: Expr = L_i[1]
    L_3: Expr = L_i[2]
    L_4: Expr = L_i[3]
    t: Expr = sizes.t
    M: Expr = sizes.M
    C_fpn: Expr = sizes.C_fpn
    G_fpn: Expr = sizes.G_fpn
    d_msk: Expr = sizes.d_msk
    d: Expr = sizes.d
    L_dec: Expr = sizes.L_dec
    h_dec: Expr = sizes.h_dec
    d_dec: Expr = sizes.d_dec
    n_q: Expr = sizes.n_q
    Y: Expr = sizes.Y
    head: Literal["masks", "bare"] = "masks"
    projected: Annotated[bool, Seldom()] = True
    qkv_bias: Annotated[bool, Seldom()] = True
    seen_by: Annotated[Activation, Seldom()] = "gelu"
    activation: Gating = "relu"

    title: ClassVar[str] = "maps of windows fused, and queries each of which is a class and a mask"
    definitions: ClassVar[dict[Size, Expr]] = Swin.definitions
    assumptions: ClassVar[dict[Size, Expr]] = Swin.assumptions
    references: ClassVar[tuple[str, ...]] = (f"{CHENG}, section 3.3", LIU)

    @property
    def signature(self) -> str:  # type: ignore[override]  # what comes out depends on the head
        """The type line."""
        found = "B n_q classes, B n_q H_1 W_1" if self.head == "masks" else "B n_q wide"
        return f"B C_in H W -> {found}" + ("" if self.head == "masks" else ", B d_msk H_1 W_1")

    @property
    def wide(self) -> Expr:
        """How wide queries are."""
        return self.d if self.projected else 8 * self.C

    @property
    def classes(self) -> Expr:
        """What an object may be: one of the classes, or nothing."""
        return self.Y + 1

    def forward(self, x: Tensor) -> Steps:
        maps = self.seen(x)
        fused = self.fused(maps)
        places = convolved(fused["map_1"], self.d_msk, THREE, "places")
        hidden = self.found(maps[-1])
        if self.head == "bare":
            return steps(**fused, hidden=hidden, places=places)
        logits = Linear(self.wide, self.classes)(hidden, name="classes")
        asked = Guess(self.wide, self.d_msk)(hidden, name="mask")
        masks = einsum("B n c, B c i j -> B n i j", asked, places)
        return steps(**fused, hidden=hidden, places=places, logits=logits, masks=masks)

    def seen(self, x: Tensor) -> tuple[Tensor, ...]:
        """Return the maps of four sizes."""
        network = SeeingSwin(
            self.C_in, self.P, self.C, self.h_1, self.h_2, self.h_3, self.h_4,
            self.L_1, self.L_2, self.L_3, self.L_4, self.t, self.M,
            head=False, activation=self.seen_by, qkv_bias=self.qkv_bias,
        )  # fmt: skip
        return network.apply(x, name="backbone")[-4:]

    def fused(self, maps: tuple[Tensor, ...]) -> dict[str, Tensor]:
        """Return maps that are told of all smaller ones, the smallest first."""
        x = apply("relu", self.normed(maps[-1], "stem", THREE))
        found = {"map_4": x}
        for i, beside in reversed([*enumerate(maps[:-1], start=1)]):
            larger = Nearest2d(*beside.shape[2:])(x, name=f"larger_{i}")
            added = larger + self.normed(beside, f"lateral_{i}", ONE)
            x = found[f"map_{i}"] = apply("relu", self.normed(added, f"fused_{i}", THREE))
        return found

    def normed(self, x: Tensor, name: str, side: Expr) -> Tensor:
        """Apply a convolution without bias, and normalize groups of channels."""
        y = convolved(x, self.C_fpn, side, name, bias=False)
        return GroupNorm(self.C_fpn, self.G_fpn)(y, name=f"{name}_norm")

    def found(self, x: Tensor) -> Tensor:
        """Return what queries find in the smallest map.

        They begin as zeros, of which the implementation asks for a gradient while it trains.
        """
        if self.projected:
            x = convolved(x, self.d, ONE, "projection")
        H, W = x.shape[2:]
        told = sines(H, W, self.wide)
        memory = view("B d i j -> B (i j) d", x)
        queries = param("Q", self.n_q, self.wide)
        zeros = queries * table("zeros", lambda *at: Integer(0), self.n_q, self.wide)
        nothing = expand(view("n d -> () n d", zeros), (x.shape[0], self.n_q, self.wide))
        block = QueryBlock(self.wide, self.h_dec, self.d_dec, self.activation)
        given = (queries, memory, told)
        first = block(nothing, *given, name="first_block")
        x = repeat(block, self.L_dec - 1, first, *given, name="decoder")
        return LayerNorm(self.wide)(x, name="decoder_norm")


def convolved(x: Tensor, C: Expr, side: Expr, name: str, bias: bool = True) -> Tensor:
    """Apply a convolution that keeps the size of an image."""
    H, W = x.shape[2:]
    window = centred(side, ONE)
    convolution = Conv2d(C_in=x.shape[1], C_out=C, G=ONE, H_o=H, W_o=W, bias=bias, **window)
    return convolution(x, name=name)
