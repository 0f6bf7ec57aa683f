"""ViViT and VideoMAE: a vision transformer over blocks of a film, a few frames each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr, Integer, floor

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.convolution.convolution import Conv3d
from symledger.components.embeddings.positions import LearnedPositions, SinusoidalPositions
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Gating, Seldom
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.vit.model import ViT
from symledger.models.vit_mae.model import chosen
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import expand, join, mean, narrow, param, repeat, table, view
from symledger.sizes import Size

ARNAB = "Arnab et al., ViViT: A Video Vision Transformer (2021)"
TONG = "Tong et al., VideoMAE (2022)"
BLOCKS = floor(sizes.D / sizes.P_t)
ACROSS = floor(sizes.H / sizes.P) * floor(sizes.W / sizes.P)
CUT: dict[Size, Expr] = {sizes.H_p: floor(sizes.H / sizes.P), sizes.D_p: BLOCKS}


@dataclass(frozen=True)
class Tubelets(Component):
    """Cut a film into blocks of P_t frames and P × P pixels, and map each affinely.

    What is left over behind, at the right and below is not seen.
    Source: Arnab et al. (2021), section 3.2.
    """

    C_in: Expr
    P_t: Expr
    P: Expr
    d: Expr
    D_p: Expr
    H_p: Expr
    W_p: Expr

    signature: ClassVar[str] = "B D C_in H W -> B (D_p H_p W_p) d"
    title: ClassVar[str] = "a vector for each block of a film"

    def forward(self, x: Tensor) -> Steps:
        sides = {"d": self.P_t, "h": self.P, "w": self.P}
        window = {f"{name}_{axis}": e for axis, side in sides.items() for name, e in
                  {"K": side, "s": side, "p": Integer(0), "r": ONE}.items()}  # fmt: skip
        places = Conv3d(
            C_in=self.C_in, C_out=self.d, G=ONE, D_o=self.D_p, H_o=self.H_p, W_o=self.W_p,
            **window,
        )(view("B D c H W -> B c D H W", x), name="convolution")  # fmt: skip
        return steps(y=view("b d t i j -> b (t i j) d", places))


@dataclass(frozen=True)
class FilmEmbedding(Component):
    """The vectors of all blocks after one that is learned, and a learned row for each place.

    Source: Arnab et al. (2021), equation 1 and section 3.2.
    """

    cut: Tubelets
    T: Expr

    signature: ClassVar[str] = "B D C_in H W -> B T d"
    title: ClassVar[str] = "blocks of a film, a class vector before them, learned positions"

    def forward(self, x: Tensor) -> Steps:
        d = self.cut.d
        patches = self.cut(x, name="patches")
        first = expand(view("d -> () () d", param("c", d)), (x.shape[0], ONE, d))
        tokens = join([first, patches], axis=1)
        y = LearnedPositions(self.T, d)(tokens, name="positions")
        return steps(patches=patches, y=y)


@dataclass(frozen=True)
class Vivit(ViT):
    """The transformer over T − 1 blocks of a film and a class vector, for one length and size.

    Every block sees every other one, in whatever frame. Its head classifies the class vector;
    ``pooled`` maps it through tanh instead. Without ``qkv_bias`` the maps to queries, keys and
    values have no bias.
    Source: Arnab et al., *ViViT* (2021), section 3.3, model 1.
    """

    head: Literal["classes", "pooled"] = "classes"
    P_t: Expr = sizes.P_t
    D_p: Expr = sizes.D_p

    signature: ClassVar[str] = "B D C_in H W -> ... out"
    title: ClassVar[str] = "pre-LN encoder over the blocks of a film"
    definitions: ClassVar[dict[Size, Expr]] = {**CUT, sizes.T: BLOCKS * ACROSS + 1}
    references: ClassVar[tuple[str, ...]] = (f"{ARNAB}, sections 3.2 and 3.3",)

    @property
    def across(self) -> Expr:
        return (self.T - self.before) / (self.H_p * self.D_p)

    def cut(self) -> Tubelets:
        """Return what makes a vector of each block."""
        down = (self.D_p, self.H_p, self.across)
        return Tubelets(self.C_in, self.P_t, self.P, self.d, *down)

    def embedding(self) -> Component:
        return FilmEmbedding(self.cut(), self.T)


@dataclass(frozen=True)
class VideoMAE(Component):
    """The transformer over T blocks of a film, whose places are told by sines and cosines.

    What is classified is the mean of all vectors, normalized, or (not ``averaged``) the first of
    them after a norm of all; ``bare`` leaves all vectors. ``drawn`` is how it learns: T_s of the
    blocks are seen, and a decoder, of its own width, gives the pixels of those that were hidden,
    with one learned vector in the place of each. Keys have no bias; without ``qv_bias`` queries
    and values have none either.
    Source: Tong et al., *VideoMAE* (2022), section 3; He et al., *Masked Autoencoders Are Scalable
    Vision Learners* (2022), section 3.
    """

    C_in: Expr = sizes.C_in
    P_t: Expr = sizes.P_t
    P: Expr = sizes.P
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    Y: Expr = sizes.Y
    T_s: Expr = sizes.T_s
    d_drw: Expr = sizes.d_drw
    L_dec: Expr = sizes.L_dec
    h_dec: Expr = sizes.h_dec
    d_hd: Expr = sizes.d_hd
    d_dec: Expr = sizes.d_dec
    D_p: Expr = sizes.D_p
    H_p: Expr = sizes.H_p
    T: Expr = sizes.T
    head: Literal["classes", "bare", "drawn"] = "classes"
    averaged: bool = True
    qv_bias: Annotated[bool, Seldom()] = True
    activation: Gating = "gelu"

    title: ClassVar[str] = "pre-LN encoder over the blocks of a film, many of which may be hidden"
    definitions: ClassVar[dict[Size, Expr]] = {**CUT, sizes.T: BLOCKS * ACROSS}
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_ff: 4 * sizes.d,
        sizes.d_hd: sizes.d_drw / sizes.h_dec, sizes.d_dec: 4 * sizes.d_drw,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{TONG}, section 3",)

    @property
    def signature(self) -> str:  # type: ignore[override]  # what comes out depends on a choice
        """The type line."""
        out = {"classes": "Y", "bare": "T d", "drawn": "hidden pixels"}[self.head]
        return f"B D C_in H W -> B {out}"

    @property
    def hidden(self) -> Expr:
        """How many blocks are hidden."""
        return self.T - self.T_s

    @property
    def pixels(self) -> Expr:
        """The numbers of a block."""
        return self.C_in * self.P_t * self.P**2

    def block(self, d: Expr, h: Expr, d_h: Expr, d_ff: Expr) -> Component:
        """Return a block of the encoder or of the decoder."""
        unbiased = ("K",) if self.qv_bias else ("Q", "K", "V")
        attention = Attention(d, h, h, d_h, d_h, True, unbiased=unbiased)
        network = FeedForward(d, d_ff, self.activation)
        return PreLNBlock(d, causal=False, attention=attention, network=network)

    def embed(self, x: Tensor) -> Tensor:
        """Return the vectors of all blocks, or of those that are seen, each at its place."""
        across = self.T / (self.H_p * self.D_p)
        down = (self.D_p, self.H_p, across)
        patches = Tubelets(self.C_in, self.P_t, self.P, self.d, *down)(x, name="patches")
        placed = SinusoidalPositions(self.d)(patches, name="positions")
        return chosen(placed, "seen", self.T_s) if self.head == "drawn" else placed

    def draw(self, hidden: Tensor) -> Tensor:
        """Return the pixels of the blocks that were hidden, which stand behind the others."""
        B, d = hidden.shape[0], self.d_drw
        mapped = Linear(self.d, d, bias=False)(hidden, name="narrowing")
        places = table("places", SinusoidalPositions(d).angle, self.T, d)
        seen = mapped + narrow(places, 0, 0, self.T_s)
        one = view("d -> () d", param("m", d))
        unseen = view("t d -> () t d", one + narrow(places, 0, self.T_s, self.hidden))
        x = join([seen, expand(unseen, (B, self.hidden, d))], axis=1)
        block = self.block(d, self.h_dec, self.d_hd, self.d_dec)
        x = repeat(block, self.L_dec, x, name="decoder")
        x = LayerNorm(d)(narrow(x, 1, self.T_s, self.hidden), name="decoder_norm")
        return Linear(d, self.pixels)(x, name="pixels")

    def classify(self, hidden: Tensor) -> Tensor:
        """Score the classes of the film."""
        if self.averaged:
            pooled = view("B d one -> B (d one)", mean(view("B T d -> B d T", hidden)))
            pooled = LayerNorm(self.d)(pooled, name="pooled_norm")
        else:
            pooled = view("B one d -> B (one d)", narrow(hidden, 1, 0, 1))
        return Linear(self.d, self.Y)(pooled, name="head")

    def forward(self, x: Tensor) -> Steps:
        block = self.block(self.d, self.h, self.d_h, self.d_ff)
        hidden = repeat(block, self.L, self.embed(x), name="block")
        if not self.averaged:
            hidden = LayerNorm(self.d)(hidden, name="final_norm")
        if self.head == "bare":
            return steps(hidden=hidden)
        if self.head == "drawn":
            return steps(hidden=hidden, pixels=self.draw(hidden))
        return steps(hidden=hidden, logits=self.classify(hidden))
