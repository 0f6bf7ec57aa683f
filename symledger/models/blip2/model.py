"""BLIP-2: a vision transformer, queries that read it, one map, and a decoder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.attention.sourced import SourcedAttention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.embeddings.embedding import TokenEmbedding
from symledger.components.embeddings.positions import LearnedPositions
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Plain, Seldom
from symledger.components.image_blocks.patches import ImageEmbedding
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.tensor import Tensor
from symledger.models.opt.model import OPT
from symledger.models.shared.seeing import Answer, Seeing
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import expand, join, narrow, param, repeat, view
from symledger.sizes import Size

LI = "Li et al., BLIP-2 (2023), section 3.1"
DAI = "Dai et al., InstructBLIP (2023), section 2.2"


@dataclass(frozen=True)
class Blip2Vision(Component):
    """A vision transformer whose maps of queries, keys and values have a bias, or have none.

    All vectors are read after the last norm. The class vector, which is normalized once more for
    who reads it alone, is not given by itself.
    Source: Li et al., *BLIP-2* (2023), section 3.1, and its implementation.
    """

    C_in: Expr = sizes.C_in
    P: Expr = sizes.P
    H_p: Expr = sizes.H_p
    W_p: Expr = sizes.W_p
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_ff: Expr = sizes.d_ff
    activation: Plain = "gelu"
    qkv_bias: Annotated[bool, Seldom()] = True

    signature: ClassVar[str] = "B C_in H W -> B T_img d"
    title: ClassVar[str] = "pre-LN encoder over patches, all of whose vectors are read"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_ff: 4 * sizes.d}
    definitions: ClassVar[dict[Size, Expr]] = {
        sizes.H: sizes.P * sizes.H_p, sizes.W: sizes.P * sizes.W_p,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (LI,)

    def forward(self, x: Tensor) -> Steps:
        width, places = self.d / self.h, self.H_p * self.W_p + 1
        attention = Attention(
            self.d, self.h, self.h, width, width, True,
            unbiased=() if self.qkv_bias else ("Q", "K", "V"),
        )  # fmt: skip
        network = FeedForward(self.d, self.d_ff, self.activation)
        block = PreLNBlock(self.d, attention=attention, network=network)
        embedded = ImageEmbedding(self.C_in, self.P, self.d, self.H_p, places)(x, name="embedding")
        hidden = repeat(block, self.L, embedded, name="block")
        return steps(y=LayerNorm(self.d)(hidden, name="final_norm"))


@dataclass(frozen=True)
class QueryBlock(Component):
    """A block of the Q-Former: queries and words attend to one another, then each have a network.

    Queries may attend to the image in between (``crossing``). Without words (``told``) there is no
    network of theirs.
    Source: Li et al., *BLIP-2* (2023), section 3.1, figure 2; Dai et al., *InstructBLIP* (2023).
    """

    d: Expr
    h: Expr
    d_ff: Expr
    d_img: Expr
    n_q: Expr
    activation: Plain = "gelu"
    crossing: bool = False
    told: bool = False

    signature: ClassVar[str] = "B T d, B S d_img -> B T d"

    def fed(self, x: Tensor, name: str, number: int) -> Tensor:
        """Apply a network, and a norm after the sum."""
        network = FeedForward(self.d, self.d_ff, self.activation)
        return LayerNorm(self.d)(x + network(x, name=name), name=f"norm_{number}")

    def crossed(self, asked: Tensor, memory: Tensor) -> Tensor:
        """Attend to the image, and normalize the sum."""
        width = self.d / self.h
        cross = SourcedAttention(self.d, self.h, width, self.d_img, self.d_img, bias=True)
        read = cross(asked, memory, memory, name="cross_attention")
        return LayerNorm(self.d)(asked + read, name="norm_2")

    def forward(self, x: Tensor, memory: Tensor) -> Steps:
        width = self.d / self.h
        attention = Attention(self.d, self.h, self.h, width, width, True)
        middle = LayerNorm(self.d)(x + attention(x, name="attention"), name="norm_1")
        asked = narrow(middle, 1, 0, self.n_q) if self.told else middle
        if self.crossing:
            asked = self.crossed(asked, memory)
        y = self.fed(asked, "feed_forward", 3)
        if not self.told:
            return steps(middle=middle, asked=asked, y=y)
        words = narrow(middle, 1, self.n_q, middle.shape[1] - self.n_q)
        words = self.fed(words, "words_feed_forward", 4)
        return steps(middle=middle, asked=asked, y=join([y, words], axis=1))


@dataclass(frozen=True)
class QFormer(Component):
    """The Q-Former: of its L blocks L_qx attend to an image, and those between them do not.

    Where queries are ``told`` words, these have a table and places, and go through all blocks with
    them. Where the blocks stand that attend to the image changes no count.
    Source: Li et al., *BLIP-2* (2023), section 3.1; Dai et al., *InstructBLIP* (2023), section 2.2.
    """

    d: Expr = sizes.d
    L: Expr = sizes.L
    L_qx: Expr = sizes.L_qx
    h: Expr = sizes.h
    d_ff: Expr = sizes.d_ff
    d_img: Expr = sizes.d_img
    n_q: Expr = sizes.n_q
    V_ins: Expr = sizes.V_ins
    N_ins: Expr = sizes.N_ins
    activation: Plain = "gelu"
    told: bool = False

    title: ClassVar[str] = "post-LN blocks, some of which attend to an image, for learned queries"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_ff: 4 * sizes.d}
    references: ClassVar[tuple[str, ...]] = (LI, DAI)

    @property
    def signature(self) -> str:  # type: ignore[override]  # words may be read as well
        """The type line."""
        return f"{', '.join(self.whole.values())} -> B out d"

    @property
    def whole(self) -> dict[str, str]:  # type: ignore[override]  # words may be read as well
        """What enters."""
        words = {"words": "B T_ins in V_ins"} if self.told else {}
        return {"queries": "B n_q d", "memory": "B T_img d_img", **words}

    @property
    def out(self) -> Expr:
        """How many vectors it gives."""
        return self.n_q + sizes.T_ins if self.told else self.n_q

    def block(self, crossing: bool) -> QueryBlock:
        """Return a block."""
        return QueryBlock(
            self.d, self.h, self.d_ff, self.d_img, self.n_q, self.activation, crossing, self.told,
        )  # fmt: skip

    def placed(self, words: Tensor) -> Tensor:
        """Return a vector for each word, told where it stands."""
        embedded = TokenEmbedding(self.V_ins, self.d)(words, name="token_embedding")
        return LearnedPositions(self.N_ins, self.d)(embedded, name="positions")

    def forward(self, queries: Tensor, memory: Tensor, words: Tensor | None = None) -> Steps:
        x = queries if words is None else join([queries, self.placed(words)], axis=1)
        x = LayerNorm(self.d)(x, name="norm")
        x = repeat(self.block(True), self.L_qx, x, memory, name="crossing_block")
        return steps(y=repeat(self.block(False), self.L - self.L_qx, x, memory, name="block"))


ASSUMED: Mapping[Size, Expr] = {
    sizes.f_img: 4 * sizes.d_img, sizes.f_qf: 4 * sizes.d_qf,
}  # fmt: skip
GRID: Mapping[Size, Expr] = {
    sizes.H: sizes.P * sizes.H_p, sizes.W: sizes.P * sizes.W_p, sizes.T_tok: sizes.n_q,
}  # fmt: skip
"""How large an image is, and that each query's vector is a position of the sequence."""


@dataclass(frozen=True)
class Querying(Seeing):
    """A decoder that is shown what n_q learned queries read of each image.

    Source: Li et al., *BLIP-2* (2023), section 3.1.
    """

    H_p: Expr = sizes.H_p
    W_p: Expr = sizes.W_p
    n_q: Expr = sizes.n_q
    d_qf: Expr = sizes.d_qf
    L_qf: Expr = sizes.L_qf
    L_qx: Expr = sizes.L_qx
    h_qf: Expr = sizes.h_qf
    f_qf: Expr = sizes.f_qf
    image_activation: Plain = "gelu"
    query_activation: Plain = "gelu"
    qkv_bias: Annotated[bool, Seldom()] = True

    def tower(self) -> Component:
        return Blip2Vision(
            self.C_in, self.P, self.H_p, self.W_p, self.d_img, self.L_img, self.h_img, self.f_img,
            self.image_activation, self.qkv_bias,
        )  # fmt: skip

    def queries(self, images: Expr) -> Tensor:
        """Return the queries, the same for every image."""
        learned = view("n d -> () n d", param("queries", self.n_q, self.d_qf))
        return expand(learned, (images, self.n_q, self.d_qf))

    def reading(self) -> QFormer:
        """Return what lets queries read an image."""
        return QFormer(
            self.d_qf, self.L_qf, self.L_qx, self.h_qf, self.f_qf, self.d_img, self.n_q,
            activation=self.query_activation,
        )  # fmt: skip

    def among(self, x: Tensor, seen: Tensor) -> Tensor:
        """Put what is seen before the words.

        Rows of the table that are narrower than the model take as many of its elements as fit: so
        its implementation does, though no such model was published.
        """
        if self.row == self.d:
            return super().among(x, seen)
        flat = view("(b n) t d -> b (n t d)", seen, b=x.shape[0])
        places = flat.shape[1] / self.d
        taken = narrow(flat, 1, 0, places * self.row)
        seen = view("b (t e) -> b t e", taken, t=places, e=self.row)
        return join([seen, narrow(x, 1, places, x.shape[1] - places)], axis=1)

    def project(self, seen: Tensor) -> Tensor:
        read = self.reading()(self.queries(seen.shape[0]), seen, name="qformer")
        return Linear(self.d_qf, self.d)(read, name="projection")


@dataclass(frozen=True)
class Blip2(OPT, Querying):
    """OPT with images: a vision transformer, of which learned queries read what words begin with.

    Source: Li et al., *BLIP-2* (2023), section 3.
    """

    head: Answer = "lm"

    title: ClassVar[str] = "OPT with images, read by learned queries, one map"
    assumptions: ClassVar[dict[Size, Expr]] = {**OPT.assumptions, **ASSUMED}
    definitions: ClassVar[dict[Size, Expr]] = {**GRID}
    references: ClassVar[tuple[str, ...]] = (LI,)
