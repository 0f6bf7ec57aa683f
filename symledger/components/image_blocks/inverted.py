"""Inverted residual blocks: wide inside, narrow outside, with a depthwise convolution between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Plain, Seldom, act
from symledger.components.image_blocks.units import ConvolutionUnit, Rectifier, fitting
from symledger.components.maps.linear import Linear
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, mean, view
from symledger.sizes import Size

SANDLER = "Sandler et al., MobileNetV2 (2018)"
HU = "Hu et al., Squeeze-and-Excitation Networks (2018)"


@dataclass(frozen=True)
class SqueezeExcitation(Component):
    """A factor for each channel, from the means of all channels: two affine maps and a sigmoid.

    Source: Hu et al. (2018), equations 2 and 3; Tan, Le, *EfficientNet* (2019), for SiLU.
    """

    C: Expr = sizes.C
    C_s: Expr = sizes.C_s
    activation: Plain = "silu"

    signature: ClassVar[str] = "B C H W -> B C H W"
    title: ClassVar[str] = "each channel scaled by what the means of all channels say"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.C_s: sizes.C / 16}
    references: ClassVar[tuple[str, ...]] = (f"{HU}, equations 2 and 3",)

    def forward(self, x: Tensor) -> Steps:
        means = view("b c one -> b (c one)", mean(view("b c h w -> b c (h w)", x)))
        u = act(self.activation, Linear(self.C, self.C_s)(means, name="squeeze"))
        a = apply("sigmoid", Linear(self.C_s, self.C)(u, name="excite"))
        return steps(means=means, a=a, y=x * view("b c -> b c () ()", a))


@dataclass(frozen=True)
class InvertedResidual(Component):
    """Widen t times at every place, convolve each channel by itself, narrow; beside it the image.

    Without ``expanded`` nothing is widened; where the shape changes nothing goes beside. With
    ``squeezed`` the channels are scaled before they are narrowed, by way of a quarter of the
    channels that entered. What is halved is rounded ``up``, or down.
    Source: Sandler et al. (2018), section 3.3 and table 1; Tan, Le, *EfficientNet* (2019), table 1.
    """

    C_in: Expr = sizes.C_in
    C_out: Expr = sizes.C_out
    K: Expr = sizes.K
    s: Expr = sizes.s
    t: Expr = sizes.t
    H_o: Expr = sizes.H_o
    W_o: Expr = sizes.W_o
    expanded: bool = True
    squeezed: bool = False
    activation: Rectifier = "relu6"
    squeezed_by: Plain = "silu"
    r: Expr = ONE
    up: Annotated[bool, Seldom()] = True

    signature: ClassVar[str] = "B C_in H W -> B C_out H_o W_o"
    title: ClassVar[str] = "depthwise convolution between a widening and a narrowing map"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.s: ONE}
    references: ClassVar[tuple[str, ...]] = (
        f"{SANDLER}, section 3.3 and table 1",
        "Tan, Le, EfficientNet: Rethinking Model Scaling (2019), table 1",
    )

    def decided(self) -> Mapping[Size, Expr]:
        """Return the size of the image that is seen."""
        return fitting(sizes.K, self.up)

    def forward(self, x: Tensor) -> Steps:
        wide, act = x, self.activation
        if self.expanded:
            C = self.t * self.C_in
            H, W = x.shape[2:]
            expand = ConvolutionUnit(self.C_in, C, ONE, ONE, ONE, H, W, act)
            wide = expand(x, name="expand")
        C, places = wide.shape[1], (self.H_o, self.W_o)
        depthwise = ConvolutionUnit(C, C, self.K, self.s, C, *places, act, self.r, self.up)
        seen = depthwise(wide, name="depthwise")
        if self.squeezed:
            squeezed = SqueezeExcitation(C, self.C_in / 4, self.squeezed_by)
            seen = squeezed(seen, name="squeeze_excitation")
        narrow = ConvolutionUnit(C, self.C_out, ONE, ONE, ONE, *places, "none")
        y = narrow(seen, name="narrow")
        return steps(seen=seen, y=x + y if x.shape == y.shape else y)
