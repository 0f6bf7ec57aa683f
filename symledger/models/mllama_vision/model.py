"""The encoder of Llama 3.2 Vision: the tiles of an image as one sequence, in two stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Plain, Seldom
from symledger.components.image_blocks.patches import PatchEmbedding
from symledger.components.norms.norms import LayerNorm
from symledger.ir.building import leave_idle
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.clip.model import Told
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import (
    apply,
    drawn,
    einsum,
    expand,
    gather,
    indices,
    join,
    narrow,
    pad,
    param,
    repeat,
    scan,
    view,
)
from symledger.sizes import Size

GRATTAFIORI = "Grattafiori et al., The Llama 3 Herd of Models (2024), section 7.2"


def gate(name: str) -> Tensor:
    """Return one number that is learned, through tanh."""
    return apply("tanh", param(name, ONE))


@dataclass(frozen=True)
class GatedBlock(PreLNBlock):
    """A pre-LN block, what each of whose parts adds is multiplied by tanh of a learned number.

    Source: Grattafiori et al. (2024), section 7.2; Alayrac et al., *Flamingo* (2022), section 2.2.
    """

    title: ClassVar[str] = "transformer block whose parts are gated"
    references: ClassVar[tuple[str, ...]] = (GRATTAFIORI,)

    def forward(self, x: Tensor) -> Steps:
        middle = x + self.attend(self.normalize(x, 1)) * gate("g_attention")
        fed = self.feed(self.normalize(middle, 2)) * gate("g_network")
        return steps(middle=middle, y=middle + fed)


@dataclass(frozen=True)
class TileRows(Component):
    """A learned row for each tile, told by the shape of the image, behind a gate.

    Source: transformers 5.23, ``MllamaPrecomputedAspectRatioEmbedding``.
    """

    N_ar: Expr
    d: Expr

    signature: ClassVar[str] = "B N_t T d, B in N_ar -> B N_t T d"

    def forward(self, x: Tensor, ratio: Tensor) -> Steps:
        rows = gather(param("table", self.N_ar, x.shape[1] * self.d), ratio)
        return steps(y=x + view("b (n d) -> b n () d", rows, n=x.shape[1]) * gate("gate"))


@dataclass(frozen=True)
class TilePlaces(Component):
    """A learned row for each place, and one for each place of each tile; a gate shares them out.

    Source: transformers 5.23, ``MllamaPrecomputedPositionEmbedding``.
    """

    N_ar: Expr
    d: Expr

    signature: ClassVar[str] = "B N_t T d, B in N_ar -> B N_t T d"

    def forward(self, x: Tensor, ratio: Tensor) -> Steps:
        tiles, T = x.shape[1], x.shape[2]
        share = gate("gate")
        places = param("P", T, self.d) * (1 - share)
        rows = gather(param("table", self.N_ar, tiles * T * self.d), ratio)
        everywhere = view("b (n t d) -> b n t d", rows, n=tiles, t=T)
        return steps(y=x + places + everywhere * share)


@dataclass(frozen=True)
class MllamaVision(Component):
    """A transformer over the patches of all N_t tiles of an image, then L_gl blocks with gates.

    Each tile has a class vector, and T_z zeros behind its vectors, so that their number is
    divisible by eight; what hides them is a product of each place with each, which is computed
    once. What shape the image has, one of N_ar or none, tells which rows of tables are added.
    Beside the last vectors those that L_v blocks of the first stage gave are read.
    Source: Grattafiori et al., *The Llama 3 Herd of Models* (2024), section 7.2; transformers 5.23,
    ``MllamaVisionModel``.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    H_p: Expr = sizes.H_p
    W_p: Expr = sizes.W_p
    N_t: Expr = sizes.N_t
    N_ar: Expr = sizes.N_ar
    T_z: Expr = sizes.T_z
    d: Expr = sizes.d
    L: Expr = sizes.L
    L_v: Expr = sizes.L_v
    L_gl: Expr = sizes.L_gl
    h: Expr = sizes.h
    d_ff: Expr = sizes.d_ff
    activation: Plain = "gelu"
    flash: Annotated[bool, Seldom()] = False

    signature: ClassVar[str] = "B N_t C_in H W -> B N_t places wide"
    title: ClassVar[str] = "encoder over the tiles of an image, two stages, the second with gates"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_ff: 4 * sizes.d}
    definitions: ClassVar[dict[Size, Expr]] = {
        sizes.H: sizes.P * sizes.H_p, sizes.W: sizes.P * sizes.W_p,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        GRATTAFIORI, "transformers 5.23, MllamaVisionModel",
    )  # fmt: skip

    @property
    def places(self) -> Expr:
        """How many vectors a tile has: its patches and one more."""
        return self.H_p * self.W_p + 1

    @property
    def wide(self) -> Expr:
        """The width of what is read."""
        return self.L_v * self.d + self.d

    def block(self, kind: type[PreLNBlock]) -> PreLNBlock:
        """Return a block, whose attention has no biases."""
        width = self.d / self.h
        attention = Attention(self.d, self.h, self.h, width, width, flash=self.flash)
        network = FeedForward(self.d, self.d_ff, self.activation)
        return kind(self.d, attention=attention, network=network)

    def forward(self, x: Tensor) -> Steps:
        B, tiles = x.shape[:2]
        ratio = indices("ratio", self.N_ar, B)
        cut = PatchEmbedding(self.C_in, self.P, self.d, self.H_p, self.W_p, bias=False)
        patches = cut(view("b n c h w -> (b n) c h w", x), name="patches")
        apart = view("(b n) t d -> b n t d", patches, n=tiles)
        apart = TileRows(self.N_ar, self.d)(apart, ratio, name="first_tiles")
        first = expand(view("d -> () () () d", param("c", self.d)), (B, tiles, ONE, self.d))
        tokens = join([first, apart], axis=2)
        placed = TilePlaces(self.N_ar, self.d)(tokens, ratio, name="positions")
        filled = pad(LayerNorm(self.d)(placed, name="first_norm"), 2, 0, self.places + self.T_z)
        hidden = view("b n t d -> b (n t) d", filled)
        self.hide(hidden)
        hidden = repeat(self.block(PreLNBlock), self.L - self.L_v, hidden, name="block")
        told = Told(self.block(PreLNBlock))
        hidden, read = scan(told, self.L_v, (hidden,), name="read_block")
        hidden = LayerNorm(self.d)(hidden, name="middle_norm")
        apart = view("b (n t) d -> b n t d", hidden, n=tiles)
        apart = TileRows(self.N_ar, self.d)(apart, ratio, name="last_tiles")
        hidden = view("b n t d -> b (n t) d", apart)
        hidden = repeat(self.block(GatedBlock), self.L_gl, hidden, name="gated_block")
        beside = view("v b (n t) d -> b n t (d v)", read, n=tiles)
        last = view("b (n t) d -> b n t d", hidden, n=tiles)
        ends = [narrow(y, 2, 0, self.places) for y in (last, beside)]
        return steps(first=tokens, y=join(ends, axis=-1))

    def hide(self, x: Tensor) -> None:
        """Tell which places are filled up or no part of the image: a product of each with each."""
        hidden = drawn("hidden", *x.shape[:2], ONE)
        leave_idle(einsum("b t o, b s o -> b t s", hidden, hidden))
