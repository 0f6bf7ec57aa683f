"""Swin: stages of attention inside windows, shifted in every second block, and patches merged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr, Integer, floor

from symledger import sizes
from symledger.components.attention.shifted import WindowedImageAttention
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Activation, Seldom
from symledger.components.image_blocks.patches import PatchEmbedding
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.tensor import Tensor
from symledger.models.shared.stages import halvings
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import mean, pad, param, repeat, view
from symledger.sizes import H_i, H_wi, L_i, L_p, Size, W_i, W_wi, h_i

LIU = "Liu et al., Swin Transformer (2021)"
STAGES = range(4)


def _windows(length: Size, at: int) -> Expr:
    """Return how many windows a side has in a stage, where each rest is filled up."""
    side = sizes.P * 2**at * sizes.M
    return floor((length + side - 1) / side)


COUNTED: dict[Size, Expr] = {
    **{size: _windows(of, i) for i in reversed(STAGES)
       for size, of in ((H_wi[i], sizes.H), (W_wi[i], sizes.W))},
    **halvings((True,) * 4, sizes.P),
    **{L_p[i]: floor(L_i[i] / 2) for i in STAGES},
}  # fmt: skip
EVEN: dict[Size, Expr] = {
    **{H_i[i]: sizes.H / (2**i * sizes.P) for i in STAGES},
    **{W_i[i]: sizes.W / (2**i * sizes.P) for i in STAGES},
    **{H_wi[i]: sizes.H / (2**i * sizes.P * sizes.M) for i in STAGES},
    **{W_wi[i]: sizes.W / (2**i * sizes.P * sizes.M) for i in STAGES},
    **{L_p[i]: L_i[i] / 2 for i in STAGES},
    **{h_i[i]: 2**i * h_i[0] for i in STAGES[1:]}, sizes.t: Integer(4),
}


@dataclass(frozen=True)
class SwinBlock(Component):
    """Attention inside windows, shifted or not, then a network; each after a norm, each beside x.

    Source: Liu et al. (2021), section 3.2, equation 3.
    """

    d: Expr
    h: Expr
    d_ff: Expr
    M: Expr
    H_w: Expr
    W_w: Expr
    shifted: bool
    qkv_bias: bool
    activation: Activation

    signature: ClassVar[str] = "B H W d -> B H W d"
    title: ClassVar[str] = "block of attention inside windows"

    def forward(self, x: Tensor) -> Steps:
        attention = WindowedImageAttention(
            self.d, self.h, self.d / self.h, self.M, self.H_w, self.W_w, self.shifted,
            self.qkv_bias,
        )
        middle = x + attention(LayerNorm(self.d)(x, name="norm_1"), name="windows")
        network = FeedForward(self.d, self.d_ff, self.activation)
        fed = network(LayerNorm(self.d)(middle, name="norm_2"), name="feed_forward")
        return steps(middle=middle, y=middle + fed)


@dataclass(frozen=True)
class SwinPair(Component):
    """A block and one whose windows are shifted.

    Source: Liu et al. (2021), section 3.2, figure 3b.
    """

    first: Component
    second: Component

    signature: ClassVar[str] = "B H W d -> B H W d"
    title: ClassVar[str] = "two blocks, the windows of the second shifted"

    def forward(self, x: Tensor) -> Steps:
        return steps(y=self.second(self.first(x, name="first"), name="second"))


@dataclass(frozen=True)
class Merging(Component):
    """The vectors of every 2 × 2 places side by side, normalized and mapped to half as many.

    What is left over at the right and below is filled up with zeros.
    Source: Liu et al. (2021), section 3.1.
    """

    d: Expr
    H_o: Expr
    W_o: Expr

    signature: ClassVar[str] = "B H W d -> B H_o W_o wider"
    title: ClassVar[str] = "places merged"

    def forward(self, x: Tensor) -> Steps:
        whole = pad(pad(x, 1, 0, 2 * self.H_o), 2, 0, 2 * self.W_o)
        beside = view(
            "B (i k) (j l) d -> B i j (l k d)", whole, i=self.H_o, k=2, j=self.W_o, l=2
        )
        return steps(y=self.reduce(beside))

    def reduce(self, beside: Tensor) -> Tensor:
        """Map what stands side by side to half as many numbers, normalized before."""
        n = LayerNorm(4 * self.d)(beside, name="norm")
        return Linear(4 * self.d, 2 * self.d, bias=False)(n, name="map")


@dataclass(frozen=True)
class Swin(Component):
    """An image classifier of four stages; between them places are merged, and vectors widened.

    Images and windows that do not divide are filled up with zeros. Without ``head`` the mean over
    places is the result, after all of them. ``placed`` adds a learned row for each patch; without
    ``final_norm`` nothing is normalized behind the last stage. Without ``qkv_bias`` the maps to
    queries, keys and values have none.
    Source: Liu et al., *Swin Transformer* (2021), sections 3.1 to 3.3.
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
    Y: Expr = sizes.Y
    head: bool = True
    activation: Annotated[Activation, Seldom()] = "gelu"
    qkv_bias: Annotated[bool, Seldom()] = True
    placed: Annotated[bool, Seldom()] = False
    final_norm: Annotated[bool, Seldom()] = True

    signature: ClassVar[str] = "B C_in H W -> B out"
    title: ClassVar[str] = "image classifier of attention inside shifted windows"
    definitions: ClassVar[dict[Size, Expr]] = COUNTED
    assumptions: ClassVar[dict[Size, Expr]] = EVEN
    references: ClassVar[tuple[str, ...]] = (f"{LIU}, sections 3.1 to 3.3",)

    @property
    def out(self) -> Expr:
        """The width of the result."""
        return self.Y if self.head else 8 * self.C

    def embed(self, x: Tensor) -> Tensor:
        """Cut the image into patches, what is left over filled up, and map each."""
        H, W = H_i[0], W_i[0]
        whole = pad(pad(x, 2, 0, H * self.P), 3, 0, W * self.P)
        patches = PatchEmbedding(self.C_in, self.P, self.C, H, W)(whole, name="patches")
        x = LayerNorm(self.C)(patches, name="embedding_norm")
        if self.placed:
            x = x + param("positions", H * W, self.C)
        return view("B (i j) d -> B i j d", x, i=H, j=W)

    def stage(self, x: Tensor, at: int) -> Tensor:
        """Send an image through the blocks of a stage: pairs, and a last one where L is odd."""
        blocks = (self.L_1, self.L_2, self.L_3, self.L_4)[at]
        kinds = [self.block(at, shifted) for shifted in (False, True)]
        x = repeat(SwinPair(*kinds), L_p[at], x, name=f"pair_{at + 1}")
        return repeat(kinds[0], blocks - 2 * L_p[at], x, name=f"block_{at + 1}")

    def block(self, at: int, shifted: bool) -> Component:
        """Return a block of a stage."""
        d, heads = 2**at * self.C, (self.h_1, self.h_2, self.h_3, self.h_4)[at]
        return SwinBlock(
            d, heads, self.t * d, self.M, H_wi[at], W_wi[at], shifted, self.qkv_bias,
            self.activation,
        )  # fmt: skip

    def merging(self, at: int) -> Component:
        """Return what merges places before a stage."""
        return Merging(*self.merged(at))

    def merged(self, at: int) -> tuple[Expr, Expr, Expr]:
        """Return how wide vectors are before a stage, and how many merged places there are."""
        return 2 ** (at - 1) * self.C, H_i[at], W_i[at]

    def forward(self, x: Tensor) -> Steps:
        x = self.embed(x)
        named = {"x_0": x}
        for at in STAGES:
            if at:
                x = self.merging(at)(x, name=f"merging_{at}")
            x = named[f"x_{at + 1}"] = self.stage(x, at)
        if self.final_norm:
            x = LayerNorm(8 * self.C)(x, name="final_norm")
        pooled = view("b d one -> b (d one)", mean(view("b i j d -> b d (i j)", x)))
        if not self.head:
            return steps(**named, hidden=x, pooled=pooled)
        return steps(**named, hidden=x, logits=Linear(8 * self.C, self.Y)(pooled, name="head"))
