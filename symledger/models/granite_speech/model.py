"""Granite Speech: a conformer over chunks of a spectrum, windows that queries read, Granite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sympy import Expr, floor

from symledger import sizes
from symledger.components.attention.sourced import SourcedAttention
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom
from symledger.components.heads_and_losses.softmax import Softmax
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.tensor import Tensor
from symledger.models.blip2.model import QFormer, QueryBlock
from symledger.models.clip.model import Told
from symledger.models.granite.model import EMBEDDING, Granite
from symledger.models.llama.model import Llama
from symledger.models.shared.conformer import (
    GULATI,
    ConformerBlock,
    ConformerConvolution,
    NearnessAttention,
)
from symledger.models.shared.listening import Answer, Listening
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import expand, join, narrow, pad, param, repeat, scan, view
from symledger.sizes import Q, Size, T_f, n_c

SAON = "Saon et al., Granite-speech: open-source speech-aware LLMs (2025), section 2"
CUT: dict[Size, Expr] = {
    n_c: floor((T_f + Q - 1) / Q), sizes.L_mid: floor(sizes.L_snd / 2),
}  # fmt: skip
"""How many chunks there are, the last filled up, and how deep half the encoder is."""


@dataclass(frozen=True)
class ChunkedAttention(Component):
    """Attention inside chunks of Q frames, the last filled up, told distances by a table.

    What fills up is mapped and attended to like frames, and left out before the last map.
    Source: Saon et al. (2025), section 2.1; Shaw et al. (2018), section 3.2, for the table.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    Q: Expr = sizes.Q
    n_c: Expr = sizes.n_c
    n_r: Expr = sizes.n_r

    signature: ClassVar[str] = "B T d -> B T d"
    title: ClassVar[str] = "attention inside chunks, told distances by a table"
    references: ClassVar[tuple[str, ...]] = (SAON,)

    def forward(self, x: Tensor) -> Steps:
        full = pad(x, 1, 0, self.n_c * self.Q)
        q, k, v = (
            view("b (n t) (h e) -> (b n) t h e", y, n=self.n_c, h=self.h)
            for y in (Linear(self.d, self.h * self.d_h, bias=False)(full, name=x) for x in "QKV")
        )
        mixing = NearnessAttention(self.h, self.h, self.d_h, self.d_h, self.n_r)
        z = view("(b n) t h e -> b (n t) (h e)", mixing(q, k, v, name="core"), n=self.n_c)
        return steps(y=Linear(self.h * self.d_h, self.d)(narrow(z, 1, 0, x.shape[1]), name="O"))


@dataclass(frozen=True)
class ChunkedBlock(ConformerBlock):
    """A conformer's block whose attention stays inside chunks, and whose convolution is wider.

    Source: Gulati et al., *Conformer* (2020), section 2.4; Saon et al. (2025), section 2.1.
    """

    c: Expr = sizes.c_snd

    title: ClassVar[str] = "conformer block whose attention stays inside chunks"

    def attention(self) -> Component:
        assert self.mixing is not None
        return self.mixing

    def convolution(self) -> ConformerConvolution:
        return ConformerConvolution(self.d, self.K, wide=self.c, mapped=True)


@dataclass(frozen=True)
class GraniteEncoder(Component):
    """A conformer that guesses letters half-way, and is told what it guessed.

    T_f vectors of d_in numbers enter, two frames each. The chances of V_snd letters, behind L_mid
    blocks, are mapped back and added. Where vectors of L_rd further blocks are read as well
    (``beside``), they are laid side by side with the last; which blocks changes no count.
    Source: Saon et al. (2025), section 2.1; Gulati et al., *Conformer* (2020), section 2.
    """

    d_in: Expr = sizes.d_in
    d_snd: Expr = sizes.d_snd
    L_snd: Expr = sizes.L_snd
    h_snd: Expr = sizes.h_snd
    e_snd: Expr = sizes.e_snd
    f_snd: Expr = sizes.f_snd
    c_snd: Expr = sizes.c_snd
    V_snd: Expr = sizes.V_snd
    K: Expr = sizes.K
    n_r: Expr = sizes.n_r
    Q: Expr = sizes.Q
    L_rd: Expr = sizes.L_rd
    beside: bool = False

    title: ClassVar[str] = "conformer over chunks, told the letters that it guesses half-way"
    definitions: ClassVar[dict[Size, Expr]] = CUT
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.e_snd: sizes.d_snd / sizes.h_snd, sizes.f_snd: 4 * sizes.d_snd,
        sizes.c_snd: 2 * sizes.d_snd,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (SAON, f"{GULATI}, section 2")

    @property
    def signature(self) -> str:  # type: ignore[override]  # wider where more is read
        """The type line."""
        return f"B T_f d_in -> B T_f {'wide' if self.beside else 'd_snd'}"

    @property
    def wide(self) -> Expr:
        """How wide what is read is."""
        return self.L_rd * self.d_snd + self.d_snd if self.beside else self.d_snd

    def forward(self, x: Tensor) -> Steps:
        d, h, e = self.d_snd, self.h_snd, self.e_snd
        mixing = ChunkedAttention(d, h, e, self.Q, n_c, self.n_r)
        block = ChunkedBlock(mixing, d, h, h, e, self.f_snd, self.K, c=self.c_snd)
        half = sizes.L_mid
        heard = repeat(block, half, Linear(self.d_in, d)(x, name="in"), name="first_block")
        chances = Softmax()(Linear(d, self.V_snd)(heard, name="guess"), name="softmax")
        told = heard + Linear(self.V_snd, d)(chances, name="back")
        rest = self.L_snd - half
        if not self.beside:
            return steps(heard=heard, chances=chances, y=repeat(block, rest, told, name="block"))
        told, read = scan(Told(block), self.L_rd, (told,), name="read_block")
        last = repeat(block, rest - self.L_rd, told, name="block")
        y = join([view("l b t d -> b t (l d)", read), last], axis=-1)
        return steps(heard=heard, chances=chances, y=y)


@dataclass(frozen=True)
class AskedOnce(SourcedAttention):
    """Attention of one set of queries to several memories: they are mapped once.

    Source: transformers 5.23, ``GraniteSpeechEncoderProjector``.
    """

    memories: Expr = sizes.B

    signature: ClassVar[str] = "one T d, B S d_key, B S d_val -> B T d"
    title: ClassVar[str] = "attention of one set of queries to several memories"

    def heads(self, name: str, x: Tensor) -> Tensor:
        split = super().heads(name, x)
        return expand(split, (self.memories, *split.shape[1:])) if name == "Q" else split


@dataclass(frozen=True)
class FirstBlock(QueryBlock):
    """The first block: what queries say to one another is the same whatever they read next.

    Source: transformers 5.23, ``GraniteSpeechEncoderProjector``.
    """

    signature: ClassVar[str] = "one T d, B S d_img -> B T d"

    def crossed(self, asked: Tensor, memory: Tensor) -> Tensor:
        cross = AskedOnce(
            self.d, self.h, self.d / self.h, self.d_img, self.d_img, True,
            memories=memory.shape[0],
        )  # fmt: skip
        read = cross(asked, memory, memory, name="cross_attention")
        return LayerNorm(self.d)(expand(asked, read.shape) + read, name="norm_2")


@dataclass(frozen=True)
class SoundQFormer(QFormer):
    """The Q-Former, whose queries are the same for all windows until they have read one.

    Source: Saon et al. (2025), section 2.2; transformers 5.23, ``GraniteSpeechEncoderProjector``.
    """

    signature: ClassVar[str] = "one n_q d, B T_img d_img -> B n_q d"
    title: ClassVar[str] = "learned queries that read windows of what was heard"

    def forward(self, queries: Tensor, memory: Tensor) -> Steps:  # type: ignore[override]  # no words
        x = LayerNorm(self.d)(queries, name="norm")
        first = FirstBlock(
            self.d, self.h, self.d_ff, self.d_img, self.n_q, self.activation, crossing=True
        )
        x = first(x, memory, name="first_block")
        x = repeat(self.block(True), self.L_qx - 1, x, memory, name="crossing_block")
        return steps(y=repeat(self.block(False), self.L - self.L_qx, x, memory, name="block"))


@dataclass(frozen=True)
class GraniteSpeech(Granite, Listening):
    """Granite with sounds: a conformer, and n_q learned queries that read each window of w_qf.

    A sound is cut into n_win windows, the last filled up; each leaves n_q vectors in the sequence.
    Source: Saon et al. (2025), section 2.
    """

    d_in: Expr = sizes.d_in
    e_snd: Expr = sizes.e_snd
    c_snd: Expr = sizes.c_snd
    V_snd: Expr = sizes.V_snd
    K: Expr = sizes.K
    n_r: Expr = sizes.n_r
    Q: Expr = sizes.Q
    L_rd: Expr = sizes.L_rd
    w_qf: Expr = sizes.w_qf
    n_q: Expr = sizes.n_q
    d_qf: Expr = sizes.d_qf
    L_qf: Expr = sizes.L_qf
    L_qx: Expr = sizes.L_qx
    h_qf: Expr = sizes.h_qf
    f_qf: Expr = sizes.f_qf
    head: Answer = "lm"
    tied: bool = True
    activation: Gating = "silu"
    flash: Annotated[bool, Seldom()] = False
    attention_bias: Annotated[bool, Seldom()] = False
    mlp_bias: Annotated[bool, Seldom()] = False
    beside: Annotated[bool, Seldom()] = False
    query_activation: Plain = "gelu"

    signature: ClassVar[str] = "B T in V, B n_snd T_f d_in -> B T out"
    whole: ClassVar[dict[str, str]] = {"tokens": "B T in V", "sounds": "B n_snd T_f d_in"}
    title: ClassVar[str] = "Granite with sounds: a conformer, read by learned queries"
    definitions: ClassVar[dict[Size, Expr]] = {
        sizes.n_win: floor((T_f + sizes.w_qf - 1) / sizes.w_qf),
        sizes.L_mid: CUT[sizes.L_mid], **CUT,
    }  # fmt: skip
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Granite.assumptions, **GraniteEncoder.assumptions, sizes.f_qf: 4 * sizes.d_qf,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        SAON, "Granite Team, Granite 3.0 Language Models (2024)",
    )  # fmt: skip

    def ear(self) -> GraniteEncoder:
        return GraniteEncoder(
            self.d_in, self.d_snd, self.L_snd, self.h_snd, self.e_snd, self.f_snd, self.c_snd,
            self.V_snd, self.K, self.n_r, self.Q, self.L_rd, self.beside,
        )  # fmt: skip

    def project(self, heard: Tensor) -> Tensor:
        full = pad(heard, 1, 0, sizes.n_win * self.w_qf)
        windows = view("b (n w) d -> (b n) w d", full, n=sizes.n_win)
        queries = view("q d -> () q d", param("queries", self.n_q, self.d_qf))
        reading = SoundQFormer(
            self.d_qf, self.L_qf, self.L_qx, self.h_qf, self.f_qf, self.ear().wide, self.n_q,
            activation=self.query_activation,
        )  # fmt: skip
        read = reading(queries, windows, name="qformer")
        joined = view("(b n) q d -> b (n q) d", read, n=sizes.n_win)
        return Linear(self.d_qf, self.d)(joined, name="projection")

    def embed(self, tokens: Tensor, E: Tensor) -> Tensor:
        """Look up rows, which are scaled with what was heard."""
        return Llama.embed(self, tokens, E)

    def ended(self, x: Tensor, E: Tensor) -> Steps:
        return super().ended(x * EMBEDDING, E)

    def score(self, x: Tensor, E: Tensor) -> Tensor:
        """Return scores, which no constant divides here."""
        return Llama.score(self, x, E)
