"""SigLIP: an encoder of images and one of texts, every pair of them judged by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr, Integer, floor

from symledger import sizes
from symledger.components.attention.sourced import SourcedAttention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.embeddings.embedding import TokenEmbedding
from symledger.components.embeddings.positions import LearnedPositions
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Activation, Seldom
from symledger.components.image_blocks.patches import PatchEmbedding
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.building import leave_idle
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.clip.model import TwoEncoders
from symledger.models.shared.seeing import shares
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import expand, mean, narrow, param, repeat, view
from symledger.sizes import Size

ZHAI = "Zhai et al., Sigmoid Loss for Language Image Pre-Training (2023)"
LEE = "Lee et al., Set Transformer (2019), section 3.2"
AROUND = Integer(4)
"""Rows of a table around a place, which interpolation takes shares of."""


@dataclass(frozen=True)
class Seeing(Component):
    """What both encoders share: pre-LN blocks with biases in which all see all."""

    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_ff: Expr = sizes.d_ff
    activation: Activation = "gelu_tanh"
    flash: bool = False

    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_ff: 4 * sizes.d}
    references: ClassVar[tuple[str, ...]] = (f"{ZHAI}, section 3",)

    def through(self, x: Tensor) -> Tensor:
        """Send the vectors through all blocks, and a norm."""
        return LayerNorm(self.d)(self.blocks(x), name="final_norm")

    def block(self) -> Component:
        """Return a block."""
        width = self.d / self.h
        return PreLNBlock(
            self.d, self.h, self.h, width, width, self.d_ff, activation=self.activation,
            causal=False, flash=self.flash,
        )  # fmt: skip

    def blocks(self, x: Tensor) -> Tensor:
        """Send the vectors through all blocks."""
        return repeat(self.block(), self.L, x, name="block")


@dataclass(frozen=True)
class SiglipText(Seeing):
    """The text encoder: a transformer without a mask, read at its last position.

    Source: Zhai et al. (2023), section 3, and its implementation.
    """

    V: Expr = sizes.V
    T_max: Expr = sizes.T_max
    d_proj: Expr = sizes.d_proj

    signature: ClassVar[str] = "B T in V -> B d_proj"
    title: ClassVar[str] = "pre-LN transformer without a mask, read at its last position"
    assumptions: ClassVar[dict[Size, Expr]] = {**Seeing.assumptions, sizes.d_proj: sizes.d}

    def forward(self, tokens: Tensor) -> Steps:
        x = TokenEmbedding(self.V, self.d)(tokens, name="token_embedding")
        hidden = self.through(LearnedPositions(self.T_max, self.d)(x, name="positions"))
        last = view("B one d -> B (one d)", narrow(hidden, 1, hidden.shape[1] - 1, 1))
        return steps(hidden=hidden, y=Linear(self.d, self.d_proj)(last, name="projection"))


@dataclass(frozen=True)
class SiglipImage(Seeing):
    """The image encoder: a vision transformer without a class vector.

    What is read is an attention of one learned query to all vectors, and a network after it.
    Without ``pooled`` all vectors are the result, as models that talk about images take them.
    Where images are ``classified`` the mean of all vectors scores Y classes instead. What is read
    may be ``idle`` in both cases: its implementation computes it, and makes nothing of it. With a
    table of T_max places, for images of another size, each takes shares of four that lie around it.
    Source: Zhai et al. (2023), section 3, and its implementation; Lee et al. (2019), section 3.2.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    H_p: Expr = sizes.H_p
    T: Expr = sizes.T
    Y: Expr = sizes.Y
    pooled: bool = True
    classified: bool = False
    idle: Annotated[bool, Seldom()] = False
    T_max: Expr | None = None

    signature: ClassVar[str] = "B C_in H W -> ... out"
    title: ClassVar[str] = "pre-LN encoder over patches, read by attention"
    definitions: ClassVar[dict[Size, Expr]] = {
        sizes.H_p: floor(sizes.H / sizes.P),
        sizes.T: floor(sizes.H / sizes.P) * floor(sizes.W / sizes.P),
    }
    references: ClassVar[tuple[str, ...]] = (f"{ZHAI}, section 3", LEE)

    @property
    def out(self) -> Expr:
        """The width of the result."""
        return self.Y if self.classified else self.d

    def forward(self, x: Tensor) -> Steps:
        cut = PatchEmbedding(self.C_in, self.P, self.d, self.H_p, self.T / self.H_p)
        patches = cut(x, name="patches")
        if self.T_max is None:
            placed = LearnedPositions(self.T, self.d)(patches, name="positions")
        else:
            placed = patches + shares(self.T_max, self.d, self.T, AROUND)
        hidden = self.through(placed)
        if self.classified:
            if self.idle:
                leave_idle(self.read(hidden))
            averaged = view("B d one -> B (d one)", mean(view("B n d -> B d n", hidden)))
            logits = Linear(self.d, self.Y)(averaged, name="classifier")
            return steps(hidden=hidden, averaged=averaged, logits=logits)
        if self.pooled:
            return steps(hidden=hidden, y=self.read(hidden))
        if self.idle:
            leave_idle(self.read(hidden))
        return steps(hidden=hidden)

    def read(self, hidden: Tensor) -> Tensor:
        """Make one vector of all: what a learned query attends to, and a network beside it."""
        query = view("d -> () () d", param("query", self.d))
        query = expand(query, (hidden.shape[0], ONE, self.d))
        pool = SourcedAttention(self.d, self.h, self.d / self.h, self.d, self.d, bias=True)
        attended = pool(query, hidden, hidden, name="pool")
        n = LayerNorm(self.d)(attended, name="pool_norm")
        network = FeedForward(self.d, self.d_ff, self.activation)
        y: Tensor = attended + network(n, name="pool_network")
        return view("B one d -> B (one d)", y)


@dataclass(frozen=True)
class Siglip(TwoEncoders):
    """Both encoders, and whether each text and each image belong together: B × B scores.

    The width of a text's vector is that of an image's.
    Source: Zhai et al. (2023), section 3.2 and algorithm 1.
    """

    activation: Activation = "gelu_tanh"
    image_activation: Activation = "gelu_tanh"

    title: ClassVar[str] = "an encoder of images and one of texts, every pair judged by itself"
    definitions: ClassVar[dict[Size, Expr]] = {
        sizes.H_p: floor(sizes.H / sizes.P),
        sizes.T_img: floor(sizes.H / sizes.P) * floor(sizes.W / sizes.P),
    }
    references: ClassVar[tuple[str, ...]] = (f"{ZHAI}, section 3.2 and algorithm 1",)

    def forward(self, tokens: Tensor, x: Tensor) -> Steps:
        text = SiglipText(
            self.d, self.L, self.h, self.d_ff, self.activation, self.flash,
            self.V, self.T_max, self.d_img,
        )  # fmt: skip
        image = SiglipImage(
            self.d_img, self.L_img, self.h_img, self.f_img, self.image_activation, self.flash,
            self.C_in, self.P, self.H_p, self.T_img,
        )  # fmt: skip
        texts, images, alike = self.compared(text, tokens, image, x)
        return steps(texts=texts, images=images, y=alike + param("offset"))
