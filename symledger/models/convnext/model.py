"""ConvNeXt: stages of wide depthwise convolutions and pointwise networks, with layer norms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.convolution.convolution import Conv2d
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.components.image_blocks.convnext import LIU, ChannelLayerNorm, ConvNeXtBlock
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.stages import halves, halvings
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import mean, repeat, view
from symledger.sizes import C_i, H_i, L_i, Size, W_i


@dataclass(frozen=True)
class ConvNeXt(Component):
    """An image classifier of four stages; between them a norm and a convolution of 2 × 2 halve.

    Without ``head`` the normalized mean over places is the result; without ``scaled`` blocks have
    no factors.
    Source: Liu et al. (2022), section 2 and table 9.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    C_1: Expr = C_i[0]
    C_2: Expr = C_i[1]
    C_3: Expr = C_i[2]
    C_4: Expr = C_i[3]
    L_1: Expr = L_i[0]
    L_2: Expr = L_i[1]
    L_3: Expr = L_i[2]
    L_4: Expr = L_i[3]
    Y: Expr = sizes.Y
    scaled: bool = True
    head: bool = True
    activation: Activation = "gelu"

    signature: ClassVar[str] = "B C_in H W -> B out"
    title: ClassVar[str] = "image classifier of depthwise convolutions and pointwise networks"
    definitions: ClassVar[dict[Size, Expr]] = halvings((False,) * 4, sizes.P)
    assumptions: ClassVar[dict[Size, Expr]] = {
        **halves(4, sizes.P), C_i[1]: 2 * C_i[0], C_i[2]: 4 * C_i[0], C_i[3]: 8 * C_i[0],
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{LIU}, section 2 and table 9",)

    @property
    def out(self) -> Expr:
        """The width of the result."""
        return self.Y if self.head else self.C_4

    def smaller(self, x: Tensor, C: Expr, by: Expr, at: int, name: str) -> Tensor:
        """Map tiles that do not overlap to C channels."""
        window = {"K": by, "s": by, "p": Integer(0), "r": ONE}
        fields = {f"{key}_{axis}": e for key, e in window.items() for axis in "hw"}
        convolution = Conv2d(
            C_in=x.shape[1], C_out=C, G=ONE, H_o=H_i[at], W_o=W_i[at], **fields
        )
        return convolution(x, name=name)

    def forward(self, x: Tensor) -> Steps:
        x = self.smaller(x, self.C_1, self.P, 0, "stem")
        x = ChannelLayerNorm(self.C_1)(x, name="stem_norm")
        widths = (self.C_1, self.C_2, self.C_3, self.C_4)
        depths = (self.L_1, self.L_2, self.L_3, self.L_4)
        named = {"x_0": x}
        for i, (C, L) in enumerate(zip(widths, depths, strict=True)):
            if i:
                x = ChannelLayerNorm(x.shape[1])(x, name=f"norm_{i}")
                x = self.smaller(x, C, Integer(2), i, f"halving_{i}")
            block = ConvNeXtBlock(C, self.scaled, self.activation)
            x = named[f"x_{i + 1}"] = repeat(block, L, x, name=f"block_{i + 1}")
        pooled = view("b c one -> b (c one)", mean(view("b c h w -> b c (h w)", x)))
        pooled = LayerNorm(self.C_4)(pooled, name="final_norm")
        if not self.head:
            return steps(**named, pooled=pooled)
        logits = Linear(self.C_4, self.Y)(pooled, name="head")
        return steps(**named, pooled=pooled, logits=logits)
