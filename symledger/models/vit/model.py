"""Vision Transformer: an encoder over the patches of an image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, Integer, Mod, Piecewise, Symbol

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Activation, Plain
from symledger.components.heads_and_losses.heads import Pooler
from symledger.components.image_blocks.patches import DOSOVITSKIY, ImageEmbedding
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import narrow, param, repeat, table, view
from symledger.sizes import Size


@dataclass(frozen=True)
class HidingEmbedding(ImageEmbedding):
    """The vectors of patches, of which those that are hidden have one learned vector instead.

    Which ones are hidden changes no count: here it is every second.
    Source: Zhou et al., *iBOT* (2022), section 3.1.
    """

    def seen(self, patches: Tensor) -> Tensor:
        """Put the learned vector in the place of hidden patches."""
        number = patches.shape[1]

        def hidden(i: Symbol) -> Expr:
            return Piecewise((Integer(1), Mod(i, 2) > 0), (Integer(0), True))

        def visible(i: Symbol) -> Expr:
            return 1 - hidden(i)

        one = view("d -> () () d", param("m", self.d))
        kept = patches * view("n -> () n ()", table("visible", visible, number))
        filled: Tensor = kept + one * view("n -> () n ()", table("hidden", hidden, number))
        return filled


@dataclass(frozen=True)
class ViT(Component):
    """The transformer over T − 1 patches and a class vector, made for one size of image.

    Its head classifies the class vector; ``pooled`` maps it through tanh instead, ``bare`` leaves
    all vectors as they are, and ``pixels`` makes an image of those of the patches, some of which
    were hidden: each is mapped to the pixels of its square. Without ``qkv_bias`` the maps to
    queries, keys and values have no bias.
    Source: Dosovitskiy et al. (2021), section 3.1 and table 1; Xie et al., *SimMIM* (2022),
    section 3 for ``pixels``.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    Y: Expr = sizes.Y
    d_out: Expr = sizes.d_out
    H_p: Expr = sizes.H_p
    T: Expr = sizes.T
    head: Literal["classes", "pooled", "bare", "pixels"] = "classes"
    qkv_bias: bool = True
    activation: Activation = "gelu"
    flash: bool = False
    pooled_by: Plain = "tanh"

    signature: ClassVar[str] = "B C_in H W -> ... out"
    title: ClassVar[str] = "pre-LN encoder over the patches of an image"
    definitions: ClassVar[dict[Size, Expr]] = ImageEmbedding.definitions
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d, sizes.d_out: sizes.d,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{DOSOVITSKIY}, section 3.1 and table 1",)

    @property
    def out(self) -> Expr:
        """The width of the result."""
        widths = {"pooled": self.d_out, "bare": self.d, "pixels": self.across * self.P}
        return widths.get(self.head, self.Y)

    @property
    def before(self) -> Expr:
        """How many learned vectors stand before the patches."""
        return ONE

    @property
    def across(self) -> Expr:
        """How many patches stand beside each other."""
        return (self.T - self.before) / self.H_p

    def block(self) -> Component:
        """Return the block that is repeated."""
        attention = Attention(
            self.d, self.h, self.h, self.d_h, self.d_h, True, flash=self.flash,
            unbiased=() if self.qkv_bias else ("Q", "K", "V"),
        )  # fmt: skip
        network = FeedForward(self.d, self.d_ff, self.activation)
        return PreLNBlock(self.d, causal=False, attention=attention, network=network)

    def embedding(self) -> Component:
        """Return what makes vectors of an image."""
        kind = HidingEmbedding if self.head == "pixels" else ImageEmbedding
        return kind(self.C_in, self.P, self.d, self.H_p, self.T)

    def classify(self, hidden: Tensor) -> Tensor:
        """Score the classes of the image."""
        first = view("B one d -> B (one d)", narrow(hidden, 1, 0, 1))
        return Linear(self.d, self.Y)(first, name="head")

    def draw(self, hidden: Tensor) -> Tensor:
        """Make an image of the vectors of the patches."""
        patches = narrow(hidden, 1, self.before, self.T - self.before)
        pixels = Linear(self.d, self.C_in * self.P**2)(patches, name="pixels")
        return view(
            "B (i j) (c p q) -> B c (i p) (j q)", pixels,
            i=self.H_p, j=self.across, c=self.C_in, p=self.P, q=self.P,
        )  # fmt: skip

    def forward(self, x: Tensor) -> Steps:
        tokens = repeat(self.block(), self.L, self.embedding()(x, name="embedding"), name="block")
        hidden = LayerNorm(self.d)(tokens, name="final_norm")
        if self.head == "bare":
            return steps(hidden=hidden)
        if self.head == "pooled":
            pooled = Pooler(self.d, self.pooled_by, d_out=self.d_out)(hidden, name="pooler")
            return steps(hidden=hidden, pooled=pooled)
        if self.head == "pixels":
            return steps(hidden=hidden, image=self.draw(hidden))
        return steps(hidden=hidden, logits=self.classify(hidden))
