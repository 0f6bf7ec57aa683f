"""SegFormer: stages of attention to squares of places, and networks that look at neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer, floor

from symledger import sizes
from symledger.components.attention.reduced import ReducedAttention
from symledger.components.convolution.convolution import Conv2d
from symledger.components.feed_forward.mixed import MixedFeedForward
from symledger.components.feed_forward.nonlinearities import Activation, Seldom
from symledger.components.image_blocks.units import ConvolutionUnit, centred
from symledger.components.layout.interpolation import Interpolation2d
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.stages import halves, halvings
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import join, mean, repeat, view
from symledger.sizes import C_i, H_i, H_ri, L_i, R_i, Size, W_i, W_ri, h_i, t_i

XIE = "Xie et al., SegFormer (2021)"
STAGES, REDUCED = range(4), range(3)


def _squares(length: Size, at: int) -> Expr:
    """Return how many whole squares a side has in a stage, itself rounded up."""
    side = sizes.P * 2**at
    return floor((length + side - 1) / (side * R_i[at]))


COUNTED: dict[Size, Expr] = {
    **halvings((True,) * 4, sizes.P),
    **{H_ri[i]: _squares(sizes.H, i) for i in REDUCED},
    **{W_ri[i]: _squares(sizes.W, i) for i in REDUCED},
}
EVEN: dict[Size, Expr] = {
    **halves(4, sizes.P),
    **{H_ri[i]: sizes.H / (2**i * sizes.P * R_i[i]) for i in REDUCED},
    **{W_ri[i]: sizes.W / (2**i * sizes.P * R_i[i]) for i in REDUCED},
    **{t: Integer(4) for t in t_i},
}


@dataclass(frozen=True)
class Overlapping(Component):
    """A vector for each of overlapping squares of K × K, s apart, normalized.

    Source: Xie et al. (2021), section 3.1.
    """

    C_in: Expr
    d: Expr
    K: Expr
    s: Expr
    H_o: Expr
    W_o: Expr

    signature: ClassVar[str] = "B H W C_in -> B H_o W_o d"
    title: ClassVar[str] = "overlapping patches"

    def forward(self, x: Tensor) -> Steps:
        places = Conv2d(
            C_in=self.C_in, C_out=self.d, G=ONE, H_o=self.H_o, W_o=self.W_o,
            **centred(self.K, self.s),
        )(view("B i j c -> B c i j", x), name="convolution")  # fmt: skip
        return steps(y=LayerNorm(self.d)(view("B d i j -> B i j d", places), name="norm"))


@dataclass(frozen=True)
class ReducedBlock(Component):
    """Attention to squares of places, then a network that looks at neighbours; each after a norm.

    Source: Xie et al. (2021), section 3.1, figure 2.
    """

    attention: Component
    network: Component
    d: Expr

    signature: ClassVar[str] = "B H W d -> B H W d"
    title: ClassVar[str] = "block of attention to squares of places"

    def forward(self, x: Tensor) -> Steps:
        middle = x + self.attention(LayerNorm(self.d)(x, name="norm_1"), name="attention")
        fed = self.network(LayerNorm(self.d)(middle, name="norm_2"), name="feed_forward")
        return steps(middle=middle, y=middle + fed)


@dataclass(frozen=True)
class SegFormer(Component):
    """Four stages of overlapping patches; each place of an image is sorted into classes.

    For ``segments`` what each stage gives is mapped to one width, made as large as that of the
    first and joined; ``classes`` are those of the whole image, from the mean over places, and
    ``bare`` leaves the last stage as it is. In the first three stages a place sees squares of
    places, in the last one all places. Without ``qkv_bias`` the maps to queries, keys and values
    have none.
    Source: Xie et al., *SegFormer* (2021), sections 3.1 and 3.2.
    """

    C_in: Expr = sizes.C_in
    K: Expr = sizes.K
    P: Expr = sizes.P
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
    R_1: Expr = R_i[0]
    R_2: Expr = R_i[1]
    R_3: Expr = R_i[2]
    t_1: Expr = t_i[0]
    t_2: Expr = t_i[1]
    t_3: Expr = t_i[2]
    t_4: Expr = t_i[3]
    d_proj: Expr = sizes.d_proj
    Y: Expr = sizes.Y
    head: Literal["segments", "classes", "bare"] = "segments"
    activation: Activation = "gelu"
    qkv_bias: Annotated[bool, Seldom()] = True

    signature: ClassVar[str] = "B C_in H W -> B ..."
    title: ClassVar[str] = "image segmenter of attention to squares of places"
    definitions: ClassVar[dict[Size, Expr]] = COUNTED
    assumptions: ClassVar[dict[Size, Expr]] = EVEN
    references: ClassVar[tuple[str, ...]] = (f"{XIE}, sections 3.1 and 3.2",)

    def stage(self, x: Tensor, at: int) -> Tensor:
        """Cut an image into overlapping squares, and send their vectors through the blocks."""
        d = (self.C_1, self.C_2, self.C_3, self.C_4)[at]
        heads = (self.h_1, self.h_2, self.h_3, self.h_4)[at]
        inside = (self.t_1, self.t_2, self.t_3, self.t_4)[at] * d
        blocks = (self.L_1, self.L_2, self.L_3, self.L_4)[at]
        window = (Integer(3), Integer(2)) if at else (self.K, self.P)
        cut = Overlapping(x.shape[-1], d, *window, H_i[at], W_i[at])
        attention = ReducedAttention(d, heads, reduced=False, bias=self.qkv_bias)
        if at in REDUCED:
            squares = ((self.R_1, self.R_2, self.R_3)[at], H_ri[at], W_ri[at])
            attention = ReducedAttention(d, heads, *squares, bias=self.qkv_bias)
        network = MixedFeedForward(d, inside, self.activation)
        x = cut(x, name=f"patches_{at + 1}")
        x = repeat(ReducedBlock(attention, network, d), blocks, x, name=f"block_{at + 1}")
        return LayerNorm(d)(x, name=f"norm_{at + 1}")

    def segment(self, stages: list[Tensor]) -> Tensor:
        """Score the classes of every place, from what all stages say of it."""
        H, W = H_i[0], W_i[0]
        mapped = []
        for at, x in enumerate(stages):
            y = Linear(x.shape[-1], self.d_proj)(x, name=f"map_{at + 1}")
            y = view("B i j d -> B d i j", y)
            mapped.append(Interpolation2d(H, W)(y, name=f"larger_{at + 1}"))
        together = join(mapped[::-1], axis=1)
        unit = ConvolutionUnit(4 * self.d_proj, self.d_proj, ONE, ONE, ONE, H, W)
        scores = Conv2d(C_in=self.d_proj, C_out=self.Y, G=ONE, H_o=H, W_o=W, **centred(ONE, ONE))
        return scores(unit(together, name="fusion"), name="classifier")

    def forward(self, x: Tensor) -> Steps:
        x = view("B c i j -> B i j c", x)
        stages = []
        for at in STAGES:
            x = self.stage(x, at)
            stages.append(x)
        named = {f"x_{at + 1}": x for at, x in enumerate(stages)}
        if self.head == "segments":
            return steps(**named, logits=self.segment(stages))
        if self.head == "bare":
            return steps(**named, hidden=view("B i j d -> B d i j", x))
        pooled = view("B d one -> B (d one)", mean(view("B i j d -> B d (i j)", x)))
        return steps(**named, logits=Linear(self.C_4, self.Y)(pooled, name="head"))
