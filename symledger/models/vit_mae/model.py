"""Masked autoencoders: an encoder of the patches that are seen, and a decoder that draws all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr, Mod, Symbol

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Gating, Seldom
from symledger.components.image_blocks.patches import ImageEmbedding, PatchEmbedding
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import expand, join, narrow, param, repeat, table, take, view
from symledger.sizes import Size

HE = "He et al., Masked Autoencoders Are Scalable Vision Learners (2022)"


def chosen(x: Tensor, name: str, number: Expr) -> Tensor:
    """Take so many vectors of a sequence; which ones changes no count: here the first."""

    def place(i: Symbol) -> Expr:
        return Mod(i, x.shape[1])

    return take(x, 1, table(name, place, number, storage="index"))


@dataclass(frozen=True)
class MaskedAutoencoder(Component):
    """An encoder of T_s patches and a class vector, and a decoder that draws all patches.

    The T_s patches that are seen are drawn by lot. The decoder, of its own width, has one learned
    vector in the place of each that was hidden, and gives the pixels of every patch. Without
    ``drawn`` the encoder's vectors are the result. Both tables of positions are sines and cosines,
    held as weights that are not trained. Without ``qkv_bias`` the maps to queries, keys and values
    have no bias.
    Source: He et al., *Masked Autoencoders Are Scalable Vision Learners* (2022), section 3.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    T_s: Expr = sizes.T_s
    d_drw: Expr = sizes.d_drw
    L_dec: Expr = sizes.L_dec
    h_dec: Expr = sizes.h_dec
    d_hd: Expr = sizes.d_hd
    d_dec: Expr = sizes.d_dec
    H_p: Expr = sizes.H_p
    T: Expr = sizes.T
    drawn: bool = True
    qkv_bias: Annotated[bool, Seldom()] = True
    activation: Gating = "gelu"

    title: ClassVar[str] = "pre-LN encoder of the patches that are seen, and a decoder of all"
    definitions: ClassVar[dict[Size, Expr]] = ImageEmbedding.definitions
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
        sizes.d_hd: sizes.d_drw / sizes.h_dec, sizes.d_dec: 4 * sizes.d_drw,
        sizes.T_s: (sizes.T - 1) / 4,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{HE}, section 3",)

    @property
    def signature(self) -> str:  # type: ignore[override]  # what comes out depends on a choice
        """The type line."""
        return f"B C_in H W -> B {'places pixels' if self.drawn else 'seen d'}"

    @property
    def places(self) -> Expr:
        """How many patches there are."""
        return self.T - 1

    @property
    def pixels(self) -> Expr:
        """The numbers of a patch."""
        return self.C_in * self.P**2

    @property
    def seen(self) -> Expr:
        """How many vectors the encoder has."""
        return self.T_s + 1

    def block(self, d: Expr, h: Expr, d_h: Expr, d_ff: Expr) -> Component:
        """Return a block of the encoder or of the decoder."""
        attention = Attention(
            d, h, h, d_h, d_h, True, unbiased=() if self.qkv_bias else ("Q", "K", "V")
        )
        network = FeedForward(d, d_ff, self.activation)
        return PreLNBlock(d, causal=False, attention=attention, network=network)

    def embed(self, x: Tensor) -> Tensor:
        """Return the vectors of the class and of the patches that are seen, each at its place."""
        B = x.shape[0]
        cut = PatchEmbedding(self.C_in, self.P, self.d, self.H_p, self.places / self.H_p)
        positions = param("positions", self.T, self.d, trainable=False)
        placed = cut(x, name="patches") + narrow(positions, 0, 1, self.places)
        kept = chosen(placed, "seen", self.T_s)
        first = view("d -> () d", param("c", self.d)) + narrow(positions, 0, 0, 1)
        first = expand(view("one d -> () one d", first), (B, ONE, self.d))
        return join([first, kept], axis=1)

    def draw(self, hidden: Tensor) -> Tensor:
        """Return the pixels of all patches."""
        B, d = hidden.shape[0], self.d_drw
        mapped = Linear(self.d, d)(hidden, name="narrowing")
        one = view("d -> () () d", param("m", d))
        unseen = expand(one, (B, self.places - self.T_s, d))
        both = join([narrow(mapped, 1, 1, self.T_s), unseen], axis=1)
        every = join([narrow(mapped, 1, 0, 1), chosen(both, "back", self.places)], axis=1)
        x = every + param("drawn_positions", self.T, d, trainable=False)
        block = self.block(d, self.h_dec, self.d_hd, self.d_dec)
        x = repeat(block, self.L_dec, x, name="decoder")
        x = LayerNorm(d)(x, name="decoder_norm")
        return narrow(Linear(d, self.pixels)(x, name="pixels"), 1, 1, self.places)

    def forward(self, x: Tensor) -> Steps:
        block = self.block(self.d, self.h, self.d_h, self.d_ff)
        x = repeat(block, self.L, self.embed(x), name="block")
        hidden = LayerNorm(self.d)(x, name="final_norm")
        if not self.drawn:
            return steps(hidden=hidden)
        return steps(hidden=hidden, image=self.draw(hidden))
