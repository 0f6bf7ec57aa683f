"""BEiT: a vision transformer that is told how patches lie to each other, its paths scaled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer, Mod, Piecewise, Symbol, floor

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.relative import BiasedAttention
from symledger.components.blocks.blocks import Block
from symledger.components.embeddings.positions import LearnedPositions
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Gating, Seldom
from symledger.components.image_blocks.patches import ImageEmbedding, PatchEmbedding
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.vit.model import HidingEmbedding
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import expand, gather, join, mean, narrow, param, repeat, table, view
from symledger.sizes import Size

BAO = "Bao et al., BEiT (2022)"
BAEVSKI = "Baevski et al., data2vec (2022), section 4.1"
BESIDE = Integer(3)
"""The ways that lead from the class vector, to it, and from it to itself."""


def ways(h: Expr, H_p: Expr, W_p: Expr) -> Tensor:
    """Return a learned bias for each head and each way between two places, or the class vector.

    Source: Bao et al. (2022), section 2.2, and the implementation that was published with it.
    """
    number = (2 * H_p - 1) * (2 * W_p - 1)
    T = H_p * W_p + 1

    def way(t: Symbol, s: Symbol) -> Expr:
        down = floor((t - 1) / W_p) - floor((s - 1) / W_p) + H_p - 1
        across = Mod(t - 1, W_p) - Mod(s - 1, W_p) + W_p - 1
        first = Piecewise((number + 2, s < 1), (number, True))
        return Piecewise((first, t < 1), (number + 1, s < 1), (down * (2 * W_p - 1) + across, True))

    R = param("R", number + BESIDE, h)
    return view("T S h -> h T S", gather(R, table("way", way, T, T, storage="index")))


@dataclass(frozen=True)
class UnplacedEmbedding(HidingEmbedding):
    """The vectors of patches after one that is learned; a row for each place where it is asked for.

    With ``hiding`` every second patch has one learned vector instead.
    Source: Bao et al. (2022), section 2.1.
    """

    hiding: bool = False
    placed: bool = False

    title: ClassVar[str] = "patches, a class vector before them"

    def forward(self, x: Tensor) -> Steps:
        cut = PatchEmbedding(self.C_in, self.P, self.d, self.H_p, (self.T - 1) / self.H_p)
        patches = cut(x, name="patches")
        patches = self.seen(patches) if self.hiding else patches
        first = expand(view("d -> () () d", param("c", self.d)), (x.shape[0], ONE, self.d))
        tokens = join([first, patches], axis=1)
        if self.placed:
            tokens = LearnedPositions(self.T, self.d)(tokens, name="positions")
        return steps(patches=patches, y=tokens)


@dataclass(frozen=True)
class WayBlock(Block):
    """A pre-LN block whose scores may be biased, and its paths scaled by a factor of each channel.

    The biases are given, or (``own``) learned here for H_p × W_p places. Keys have no bias.
    Source: Bao et al. (2022), section 2.2; Touvron et al., *Going deeper with Image Transformers*
    (2021), equation 2, for the factors.
    """

    H_p: Expr = sizes.H_p
    W_p: Expr = sizes.W_p
    own: bool = False
    scaled: bool = True

    signature: ClassVar[str] = "B T d, h T T -> B T d"
    title: ClassVar[str] = "block of attention biased by ways between places"

    def forward(self, x: Tensor, bias: Tensor | None = None) -> Steps:
        bias = ways(self.h, self.H_p, self.W_p) if self.own else bias
        d_h = self.d_k
        attention = Attention(
            self.d, self.h, self.h, d_h, d_h, True, unbiased=("K",),
            mixing=None if bias is None else BiasedAttention(self.h, self.h, d_h, d_h, scaled=True),
        )  # fmt: skip
        n = self.normalize(x, 1)
        told = () if bias is None else (None, None, None, bias)
        middle = x + self.weighed(attention(n, *told, name="attention"), "g_1")
        network = FeedForward(self.d, self.d_ff, self.activation)
        fed = network(self.normalize(middle, 2), name="feed_forward")
        return steps(middle=middle, y=middle + self.weighed(fed, "g_2"))

    def weighed(self, x: Tensor, name: str) -> Tensor:
        """Multiply each channel of what is added by a learned factor, if there is one."""
        return x * param(name, self.d) if self.scaled else x


@dataclass(frozen=True)
class Beit(Component):
    """The transformer over T − 1 patches and a class vector, told how any two of them lie.

    Every layer has its ``own`` table of biases for the ways between places, or all have one that
    is ``shared``, or there is ``none``; a row for each place is ``placed`` where it is asked for.
    Without ``scaled`` layers have no factors. What is classified is the mean of all patches,
    normalized, or (not ``averaged``) the class vector after a norm of all; ``pooled`` leaves that
    as it is, ``bare`` all vectors, and ``tokens`` scores V visual tokens for each patch. With
    ``hiding`` a learned vector stands in the place of hidden patches.
    Source: Bao et al., *BEiT* (2022), sections 2.2 and 2.3, and its implementation; Baevski et
    al., *data2vec* (2022), section 4.1.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    Y: Expr = sizes.Y
    V: Expr = sizes.V
    H_p: Expr = sizes.H_p
    T: Expr = sizes.T
    head: Literal["classes", "pooled", "bare", "tokens"] = "classes"
    ways: Literal["own", "shared", "none"] = "own"
    scaled: bool = True
    averaged: bool = True
    placed: Annotated[bool, Seldom()] = False
    hiding: Annotated[bool, Seldom()] = False
    activation: Gating = "gelu"

    signature: ClassVar[str] = "B C_in H W -> ... out"
    title: ClassVar[str] = "pre-LN encoder over patches, told how they lie to each other"
    definitions: ClassVar[dict[Size, Expr]] = ImageEmbedding.definitions
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{BAO}, sections 2.2 and 2.3", BAEVSKI)

    @property
    def out(self) -> Expr:
        """The width of the result."""
        return {"classes": self.Y, "tokens": self.V}.get(self.head, self.d)

    def forward(self, x: Tensor) -> Steps:
        embedding = UnplacedEmbedding(
            self.C_in, self.P, self.d, self.H_p, self.T, hiding=self.hiding, placed=self.placed
        )
        x = embedding(x, name="embedding")
        across = (self.T - 1) / self.H_p
        block = WayBlock(
            self.d, self.h, d_k=self.d_h, d_ff=self.d_ff, activation=self.activation,
            H_p=self.H_p, W_p=across, own=self.ways == "own", scaled=self.scaled,
        )  # fmt: skip
        told = (ways(self.h, self.H_p, across),) if self.ways == "shared" else ()
        hidden = repeat(block, self.L, x, *told, name="block")
        if not self.averaged:
            hidden = LayerNorm(self.d)(hidden, name="final_norm")
        return steps(hidden=hidden, **self.answer(hidden))

    def answer(self, hidden: Tensor) -> dict[str, Tensor]:
        """Make of the vectors what the head is for."""
        if self.head == "bare":
            return {}
        if self.head == "tokens":
            n = LayerNorm(self.d)(hidden, name="head_norm")
            patches = narrow(n, 1, 1, self.T - 1)
            return {"logits": Linear(self.d, self.V)(patches, name="head")}
        pooled = self.pool(hidden)
        if self.head == "pooled":
            return {"pooled": pooled}
        return {"pooled": pooled, "logits": Linear(self.d, self.Y)(pooled, name="head")}

    def pool(self, hidden: Tensor) -> Tensor:
        """Return one vector of all: the mean of patches, normalized, or the class vector."""
        if not self.averaged:
            return view("B one d -> B (one d)", narrow(hidden, 1, 0, 1))
        patches = view("B n d -> B d n", narrow(hidden, 1, 1, self.T - 1))
        averaged = view("B d one -> B (d one)", mean(patches))
        return LayerNorm(self.d)(averaged, name="pooled_norm")
