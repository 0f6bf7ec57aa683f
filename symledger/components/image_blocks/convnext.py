"""The block of ConvNeXt: a depthwise convolution where a transformer has attention."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.convolution.convolution import Conv2d
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.components.image_blocks.units import centred
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import param, view

LIU = "Liu et al., A ConvNet for the 2020s (2022)"
LAST, FIRST = "b c h w -> b h w c", "b h w c -> b c h w"


@dataclass(frozen=True)
class ChannelLayerNorm(Component):
    """A layer norm of the channels of every place."""

    C: Expr = sizes.C

    signature: ClassVar[str] = "B C H W -> B C H W"

    def forward(self, x: Tensor) -> Steps:
        return steps(y=view(FIRST, LayerNorm(self.C)(view(LAST, x), name="norm")))


@dataclass(frozen=True)
class ConvNeXtBlock(Component):
    """A depthwise convolution of 7 × 7, a norm, a network at every place; a factor a channel.

    Source: Liu et al. (2022), figure 4; Touvron et al., *Going deeper with Image Transformers*
    (2021), equation 2, for the factors.
    """

    C: Expr = sizes.C
    scaled: bool = True
    activation: Activation = "gelu"

    signature: ClassVar[str] = "B C H W -> B C H W"
    title: ClassVar[str] = "depthwise 7 × 7 convolution, layer norm, pointwise network"
    references: ClassVar[tuple[str, ...]] = (
        f"{LIU}, figure 4",
        "Touvron et al., Going deeper with Image Transformers (2021), equation 2",
    )

    def forward(self, x: Tensor) -> Steps:
        H, W = x.shape[2:]
        depthwise = Conv2d(
            C_in=self.C, C_out=self.C, G=self.C, H_o=H, W_o=W, **centred(Integer(7), ONE)
        )
        n = LayerNorm(self.C)(view(LAST, depthwise(x, name="depthwise")), name="norm")
        y = FeedForward(self.C, 4 * self.C, self.activation)(n, name="network")
        y = y * param("g", self.C) if self.scaled else y
        return steps(n=n, y=x + view(FIRST, y))
