"""DeBERTa: attention in which what a token is and where it stands are kept apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.dot_product import HeadAttention
from symledger.components.attention.masks import EVERYTHING
from symledger.components.blocks.blocks import PostLNBlock
from symledger.components.convolution.convolution import Conv1d
from symledger.components.embeddings.embedding import TokenEmbedding
from symledger.components.feed_forward.nonlinearities import Plain, Seldom, act
from symledger.components.heads_and_losses.dropout import Dropout
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.models.shared.encoder import Encoder, Trained
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import einsum, gather, indices, param, repeat, view
from symledger.sizes import Size

HE = "He et al., DeBERTa (2021), section 3.1"


@dataclass(frozen=True)
class DisentangledAttention(HeadAttention):
    """Attention whose scores are of content to content, of content to distance, and the reverse.

    P has a row for each distance, or for each bucket of them. What queries and keys are to a
    distance is mapped from it, ``shared`` with the maps of tokens or by maps of its own; every
    product of a token with a distance is made, and those that are meant are picked.
    Source: He et al., *DeBERTa* (2021), section 3.1, equations 2 to 4, and section 3.2.
    """

    d: Expr = sizes.d
    c2p: bool = True
    p2c: bool = True
    shared: bool = True
    dropout: bool = False

    signature: ClassVar[str] = "B T d, n d -> B T d"
    title: ClassVar[str] = "attention to content and to distances, kept apart"
    references: ClassVar[tuple[str, ...]] = (f"{HE}, equations 2 to 4",)

    def forward(self, x: Tensor, P: Tensor | None = None) -> Steps:
        maps = {name: self.weights(name) for name in "QKV"}
        q, k, v = (self.heads(x, *maps[name]) for name in "QKV")
        bias = None
        if P is not None and self.c2p:
            keys = self.heads(P, *(maps["K"] if self.shared else self.weights("K_P")))
            bias = self.picked(q, keys, "to_distance", "T S B (g r) -> B g r T S")
        if P is not None and self.p2c:
            queries = self.heads(P, *(maps["Q"] if self.shared else self.weights("Q_P")))
            found = self.picked(k, queries, "from_distance", "S T B (g r) -> B g r T S")
            bias = found if bias is None else bias + found
        z = self.mixed(q, k, v, EVERYTHING, bias, self.dropout).named["z"]
        merged = view("B T h v -> B T (h v)", z)
        return steps(q=q, k=k, v=v, z=z, y=Linear(self.h * self.d_v, self.d)(merged, name="O"))

    def weights(self, name: str) -> tuple[Tensor, Tensor]:
        """Return a map to all heads: its matrix and its bias."""
        width = self.h * self.d_k
        return param(f"W_{name}", self.d, width), param(f"b_{name}", width)

    def heads(self, x: Tensor, W: Tensor, b: Tensor) -> Tensor:
        """Map tokens or distances, and split the result into heads."""
        mapped = einsum("... i, i o -> ... o", x, W) + b
        return view("... (h k) -> ... h k", mapped, h=self.h)

    def picked(self, x: Tensor, P: Tensor, name: str, order: str) -> Tensor:
        """Multiply tokens by all distances, and pick that of each pair of tokens."""
        products = einsum("B t h k, n h k -> B h t n", x, P)
        index = indices(name, P.shape[0], x.shape[1], x.shape[1])
        pairs = gather(view("B h t n -> t n B h", products), index, batch=1)
        return view(order, pairs, g=self.h_kv)


@dataclass(frozen=True)
class DisentangledBlock(PostLNBlock):
    """A post-LN block whose attention is given the table of distances."""

    signature: ClassVar[str] = "B T d, n d -> B T d"

    def forward(self, x: Tensor, P: Tensor | None = None) -> Steps:
        assert self.attention is not None
        attended = self.attention(x, P, name="attention")
        if self.dropout:
            attended = Dropout()(attended, name="attention_dropout")
        middle = self.normalize(x + attended, 1)
        return steps(middle=middle, y=self.normalize(middle + self.feed(middle), 2))


@dataclass(frozen=True)
class Deberta(Encoder):
    """BERT with disentangled attention: distances enter every layer, from one table of n_r rows.

    In what was published first, positions are not added at the entrance (``absolute``), there are
    no ``segments``, and distances share the maps of tokens. The largest ones have a convolution
    of the entrance beside the first layer. Of v3 the discriminator is meant, without its head.
    Where the table of scores is not ``tied`` there is a second bias, unused, as in BERT.
    Source: He et al., *DeBERTa* (2021), section 3; *DeBERTaV3* (2023), and their implementation.
    """

    head: Trained = "bare"
    n_r: Expr = sizes.n_r
    K: Expr = sizes.K
    G: Expr = sizes.G
    relative: bool = True
    c2p: bool = True
    p2c: bool = True
    shared: bool = True
    normalized: bool = True
    absolute: bool = False
    segments: bool = False
    convolved: bool = False
    tied: Annotated[bool, Seldom()] = True
    convolved_by: Plain = "tanh"
    pooled_by: Plain = "gelu"  # type: ignore[misc]  # a choice here

    spares: ClassVar[bool] = True
    pools: ClassVar[bool] = False
    title: ClassVar[str] = "encoder-only transformer with disentangled attention"
    assumptions: ClassVar[dict[Size, Expr]] = {**Encoder.assumptions, sizes.G: ONE}
    references: ClassVar[tuple[str, ...]] = (HE, "He et al., DeBERTaV3 (2023), section 3")

    def forward(self, tokens: Tensor) -> Steps:
        """Look up the tokens, apply L blocks that know all distances, and answer."""
        E = param("E", self.V, self.d)
        x = self.look_up(tokens, E)
        if self.segments:
            row = indices("segments", self.V_seg, *tokens.shape)
            x = x + TokenEmbedding(self.V_seg, self.d)(row, name="segment_embedding")
        return self.ended(self.place(x) if self.absolute else x, E)

    @property
    def shares(self) -> bool:
        """Whether the scores of masked tokens use the table at the entrance."""
        return self.tied

    def block(self) -> Component:
        attention = DisentangledAttention(
            self.h, self.h, self.d_h, self.d_h, self.d,
            self.c2p, self.p2c, self.shared, self.dropout,
        )  # fmt: skip
        return DisentangledBlock(
            self.d, self.h, self.h, self.d_h, self.d_h, self.d_ff,
            norm="layer", activation=self.activation, dropout=self.dropout, attention=attention,
        )  # fmt: skip

    def through(self, x: Tensor) -> Tensor:
        """Let every token see all others and how far they are, L times."""
        given = self.distances()
        if not self.convolved:
            return self.again(x, given, self.L)
        first = self.block()(x, *given, name="first_block", recompute=self.recompute)
        return self.again(self.convolve(x, first), given, self.L - 1)

    def again(self, x: Tensor, given: tuple[Tensor, ...], times: Expr) -> Tensor:
        """Apply the block several times."""
        return repeat(self.block(), times, x, *given, name="block", recompute=self.recompute)

    def distances(self) -> tuple[Tensor, ...]:
        """Return the table of distances, if there is one."""
        if not self.relative:
            return ()
        P = param("P", self.n_r, self.d)
        return (LayerNorm(self.d)(P, name="distance_norm") if self.normalized else P,)

    def convolve(self, entered: Tensor, x: Tensor) -> Tensor:
        """Add a convolution of what entered the first block to what it gave."""
        kernel = Conv1d(
            C_in=self.d, C_out=self.d, G=self.G, K=self.K, s=ONE, p=(self.K - 1) / 2, r=ONE,
            T_o=x.shape[1],
        )  # fmt: skip
        seen = kernel(view("B T d -> B d T", entered), name="convolution")
        if self.dropout:
            seen = Dropout()(seen, name="convolution_dropout")
        seen = act(self.convolved_by, view("B d T -> B T d", seen))
        return LayerNorm(self.d)(x + seen, name="convolution_norm")
