"""Depth Anything: what DINOv2 sees at four depths, fused to an image of how far things are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, floor

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Activation, Seldom
from symledger.components.layout.interpolation import Interpolation2d
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.dinov2.model import DinoV2
from symledger.models.shared.depth import RANFTL, GivenNorm, Neck, convolved
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, narrow, param, repeat, view
from symledger.sizes import C_i, L_i, Size

YANG = "Yang et al., Depth Anything (2024)"
STAGES = range(4)


@dataclass(frozen=True)
class DepthAnything(Component):
    """DINOv2 whose vectors are read after four of its blocks, and convolutions that fuse them.

    Maps of C_1 to C_4 channels are fused with C channels each; the last of these is mapped to half
    as many, made as large as the patches are together, and mapped to one number a pixel over C_out
    channels: through a rectifier, or for ``metric`` depths through a sigmoid. What is said of the
    blocks is said as DINOv2 says it itself.
    Source: Yang et al., *Depth Anything* (2024), section 3; Ranftl, Bochkovskiy, Koltun (2021),
    section 3.1, for what fuses.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    d: Expr = sizes.d
    L_1: Expr = L_i[0]
    L_2: Expr = L_i[1]
    L_3: Expr = L_i[2]
    L_4: Expr = L_i[3]
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    C_1: Expr = C_i[0]
    C_2: Expr = C_i[1]
    C_3: Expr = C_i[2]
    C_4: Expr = C_i[3]
    C: Expr = sizes.C
    C_out: Expr = sizes.C_out
    H_p: Expr = sizes.H_p
    T: Expr = sizes.T
    H_o: Expr = sizes.H_o
    W_o: Expr = sizes.W_o
    depth: Literal["relative", "metric"] = "relative"
    gated: bool = False
    hiding: Annotated[bool, Seldom()] = True
    qkv_bias: Annotated[bool, Seldom()] = True
    activation: Annotated[Activation, Seldom()] = "gelu"

    signature: ClassVar[str] = "B C_in H W -> B down wide"
    title: ClassVar[str] = "how far away each pixel is, from vectors of patches at four depths"
    definitions: ClassVar[dict[Size, Expr]] = {
        **DinoV2.definitions,
        sizes.H_o: floor((sizes.H + sizes.P) / (2 * sizes.P)),
        sizes.W_o: floor((sizes.W + sizes.P) / (2 * sizes.P)),
    }
    assumptions: ClassVar[dict[Size, Expr]] = {
        **DinoV2.assumptions, **{C_i[i]: 2**i * C_i[0] for i in STAGES[1:]},
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{YANG}, section 3", RANFTL)

    @property
    def down(self) -> Expr:
        """How high the result is: as the patches are together."""
        return self.H_p * self.P

    @property
    def wide(self) -> Expr:
        """How wide the result is."""
        return self.across * self.P

    @property
    def across(self) -> Expr:
        """How many patches stand beside each other."""
        return (self.T - 1) / self.H_p

    def maps(self, x: Tensor) -> list[Tensor]:
        """Return the normalized vectors of patches after each of four blocks, as maps."""
        seeing = DinoV2(
            self.C_in, self.P, self.d, h=self.h, d_h=self.d_h, d_ff=self.d_ff, H_p=self.H_p,
            T=self.T, qkv_bias=self.qkv_bias, activation=self.activation, hiding=self.hiding,
            gated=self.gated,
        )  # fmt: skip
        x = seeing.embedding()(x, name="embedding")
        g, b = param("g", self.d), param("b", self.d)
        blocks, found = (self.L_1, self.L_2, self.L_3, self.L_4), []
        for i in STAGES:
            x = repeat(seeing.block(), blocks[i], x, name=f"block_{i + 1}")
            normed = GivenNorm(self.d)(x, g, b, name=f"norm_{i + 1}")
            patches = narrow(normed, 1, 1, self.T - 1)
            found.append(view("B (i j) d -> B d i j", patches, i=self.H_p, j=self.across))
        return found

    def forward(self, x: Tensor) -> Steps:
        channels = (self.C_1, self.C_2, self.C_3, self.C_4)
        neck = Neck(self.C, channels, (self.H_o, self.W_o))
        fused = neck(*self.maps(x), name="neck")
        halved = convolved(fused, self.C / 2, "head_1")
        larger = Interpolation2d(self.down, self.wide)(halved, name="interpolation")
        last = convolved(apply("relu", convolved(larger, self.C_out, "head_2")), ONE, "head_3", ONE)
        function = "sigmoid" if self.depth == "metric" else "relu"
        depth = view("B one i j -> B (one i) j", apply(function, last))
        return steps(fused=fused, depth=depth)
