"""ConvNeXt: stages of wide depthwise convolutions and pointwise networks, with layer norms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, Integer, Rational

from symledger import sizes
from symledger.components.convolution.convolution import Conv2d
from symledger.components.feed_forward.nonlinearities import Activation, act
from symledger.components.image_blocks.convnext import (
    FIRST,
    LAST,
    LIU,
    ChannelLayerNorm,
    ConvNeXtBlock,
)
from symledger.components.image_blocks.units import centred
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.stages import halves, halvings
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, join, mean, param, repeat, total, view
from symledger.sizes import C_i, H_i, L_i, Size, W_i

WOO = "Woo et al., ConvNeXt V2 (2023), section 3"
SMALL = Rational(1, 10**6)
"""Added to a mean, so that it can be divided by."""


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
            x = named[f"x_{i + 1}"] = repeat(self.block(C), L, x, name=f"block_{i + 1}")
        return steps(**named, **self.ended(x))

    def block(self, C: Expr) -> Component:
        """Return the block that a stage of C channels repeats."""
        return ConvNeXtBlock(C, self.scaled, self.activation)

    def ended(self, x: Tensor) -> dict[str, Tensor]:
        """Return what is made of the last image: its mean, and scores of classes."""
        pooled = view("b c one -> b (c one)", mean(view("b c h w -> b c (h w)", x)))
        pooled = LayerNorm(self.C_4)(pooled, name="final_norm")
        if not self.head:
            return {"pooled": pooled}
        return {"pooled": pooled, "logits": Linear(self.C_4, self.Y)(pooled, name="head")}


@dataclass(frozen=True)
class RespondingBlock(ConvNeXtBlock):
    """A block whose network weighs each channel by how much it responds beside the others.

    Between its maps a channel is multiplied by its length over the whole image, divided by the
    mean of those of all channels, by a gain, and shifted; what it was is added.
    Source: Woo et al. (2023), section 3, equations 1 to 3.
    """

    scaled: Literal[False] = False
    activation: Literal["gelu"] = "gelu"

    title: ClassVar[str] = "depthwise 7 × 7 convolution, pointwise network, responses compared"
    references: ClassVar[tuple[str, ...]] = (WOO,)

    def forward(self, x: Tensor) -> Steps:
        H, W = x.shape[2:]
        depthwise = Conv2d(
            C_in=self.C, C_out=self.C, G=self.C, H_o=H, W_o=W, **centred(Integer(7), ONE)
        )
        n = LayerNorm(self.C)(view(LAST, depthwise(x, name="depthwise")), name="norm")
        u = act(self.activation, Linear(self.C, 4 * self.C)(n, name="1"))
        y = Linear(4 * self.C, self.C)(self.responding(u), name="2")
        return steps(n=n, u=u, y=x + view(FIRST, y))

    def responding(self, u: Tensor) -> Tensor:
        """Weigh channels by their lengths."""
        places = view("b h w c -> b c (h w)", u)
        lengths = apply("sqrt", total(apply("square", places)))
        beside = view("b c one -> b one () c", lengths)
        weighed = u * (beside / (mean(beside) + SMALL))
        answer: Tensor = weighed * param("g", 4 * self.C) + param("b", 4 * self.C) + u
        return answer


@dataclass(frozen=True)
class ConvNeXtV2(ConvNeXt):
    """ConvNeXt without factors, whose networks compare how much channels respond.

    Source: Woo et al., *ConvNeXt V2* (2023), section 3.
    """

    scaled: Literal[False] = False
    activation: Literal["gelu"] = "gelu"

    title: ClassVar[str] = "image classifier of depthwise convolutions, responses compared"
    references: ClassVar[tuple[str, ...]] = (WOO,)

    def block(self, C: Expr) -> Component:
        return RespondingBlock(C)


@dataclass(frozen=True)
class PlacesConvNeXt(ConvNeXt):
    """ConvNeXt as DINOv3 has it: the mean and all places are normalized, and are the result.

    Source: Siméoni et al., *DINOv3* (2025), and its implementation.
    """

    head: Literal[False] = False
    scaled: Literal[True] = True

    signature: ClassVar[str] = "B C_in H W -> B places C_4"
    title: ClassVar[str] = "depthwise convolutions and pointwise networks, all places the result"
    references: ClassVar[tuple[str, ...]] = ("Siméoni et al., DINOv3 (2025)",)

    def ended(self, x: Tensor) -> dict[str, Tensor]:
        places = view("b c h w -> b c (h w)", x)
        both = join([view("b c one -> b one c", mean(places)), view("b c n -> b n c", places)], 1)
        return {"hidden": LayerNorm(self.C_4)(both, name="final_norm")}
