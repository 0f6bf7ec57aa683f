"""T5: pre-LN stacks with RMS norms and no biases, whose layers share biases of distances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.attention.relative import BiasedAttention
from symledger.components.embeddings.embedding import TokenEmbedding
from symledger.components.feed_forward.feed_forward import FeedForward, GatedFeedForward
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.ir.tensor import Tensor
from symledger.models.shared.encoder_decoder import EncoderDecoder, PartedBlock
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import gather, indices, param, repeat, view
from symledger.sizes import Size

RAFFEL = "Raffel et al., Exploring the Limits of Transfer Learning (2020), section 2.1"


@dataclass(frozen=True)
class EncoderBlock(PartedBlock):
    """A block of the encoder; its attention is given the biases that all layers share."""

    signature: ClassVar[str] = "B T d, h T K -> B T d"

    def forward(self, x: Tensor, bias: Tensor | None = None) -> Steps:
        own = self.beside(x, 1, "attention", self.attention, bias=bias)
        return steps(own=own, y=self.beside(own, 2, "feed_forward", self.network))


@dataclass(frozen=True)
class DecoderBlock(PartedBlock):
    """A block of the decoder; its attention to itself is given the biases that layers share."""

    signature: ClassVar[str] = "B T d, h T K, B S d -> B T d"

    def forward(
        self, x: Tensor, bias: Tensor | None = None, memory: Tensor | None = None
    ) -> Steps:
        own = self.beside(x, 1, "attention", self.attention, bias=bias)
        other = self.beside(own, 2, "cross_attention", self.crossed, memory)
        return steps(own=own, other=other, y=self.beside(other, 3, "feed_forward", self.network))


def biases(name: str, n_b: Expr, h: Expr, T: Expr, S: Expr) -> Tensor:
    """Look up a learned bias for each head and bucket of distances, from a table of its own."""
    found = gather(param(name, n_b, h), indices("bucket_" + name, n_b, T, S))
    return view("T S h -> h T S", found)


@dataclass(frozen=True)
class T5(EncoderDecoder):
    """The encoder-decoder transformer of T5; that of version 1.1 is gated, with a head of its own.

    Heads may be wider together than the model. Each stack has one table of biases, for buckets of
    distances, that all its layers use.
    Source: Raffel et al. (2020), section 2.1; Shazeer (2020) for version 1.1.
    """

    n_b: Expr = sizes.n_b
    gated: bool = False

    title: ClassVar[str] = "encoder-decoder transformer, pre-LN RMSNorm, shared biases of distances"
    references: ClassVar[tuple[str, ...]] = (
        RAFFEL, "Shazeer, GLU Variants Improve Transformer (2020), section 3",
    )  # fmt: skip

    def block(self, kind: type[PartedBlock], causal: bool) -> Component:
        """Return a block of the encoder, or of the decoder."""
        own = BiasedAttention(self.h, self.h, self.d_h, self.d_h, causal)
        to_source = BiasedAttention(self.h, self.h, self.d_h, self.d_h)
        network = GatedFeedForward if self.gated else FeedForward
        return kind(
            self.d, norm="rms",
            attention=self.attention(self.h, self.d_h, causal, mixing=own, bias=False),
            crossed=self.attention(self.h, self.d_h, crossed=True, mixing=to_source, bias=False),
            network=network(self.d, self.d_ff, self.activation, bias=False),
        )  # fmt: skip

    def read(self, x: Tensor) -> Tensor:
        """Let every token of the source see all others."""
        R = biases("R_enc", self.n_b, self.h, self.S, self.S)
        x = self.stack(self.block(EncoderBlock, causal=False), self.L_enc, "encoder", x, R)
        return RMSNorm(self.d)(x, name="encoder_norm")

    def write(self, x: Tensor, memory: Tensor | None) -> Tensor:
        """Let every token see those before it, and the source."""
        T = x.shape[1]
        R = biases("R_dec", self.n_b, self.h, T, self.T_k if self.cached else T)
        given = (x, R) if memory is None else (x, R, memory)
        x = self.stack(self.block(DecoderBlock, causal=True), self.L_dec, "decoder", *given)
        return RMSNorm(self.d)(x, name="decoder_norm")


@dataclass(frozen=True)
class T5Encoder(Component):
    """The encoder of T5 alone, or with scores of classes for each token.

    Source: Raffel et al. (2020), section 2.1.
    """

    V: Expr = sizes.V
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    n_b: Expr = sizes.n_b
    Y: Expr = sizes.Y

    head: Literal["bare", "tokens"] = "bare"
    activation: Activation = "relu"
    gated: bool = False
    recompute: bool = False

    title: ClassVar[str] = "the encoder of T5 alone"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.d_h: sizes.d / sizes.h}
    references: ClassVar[tuple[str, ...]] = T5.references

    @property
    def signature(self) -> str:  # type: ignore[override]  # what comes out depends on the head
        """The type line."""
        return f"B T in V -> B T {'d' if self.head == 'bare' else 'Y'}"

    def forward(self, tokens: Tensor) -> Steps:
        """Look the tokens up, let them see all others, and answer."""
        x = TokenEmbedding(self.V, self.d)(tokens, name="token_embedding")
        T = tokens.shape[1]
        R = biases("R_enc", self.n_b, self.h, T, T)
        whole = T5(
            d=self.d, h=self.h, d_h=self.d_h, d_ff=self.d_ff, activation=self.activation,
            gated=self.gated,
        )  # fmt: skip
        block = whole.block(EncoderBlock, causal=False)
        x = repeat(block, self.L, x, R, name="encoder", recompute=self.recompute)
        x = RMSNorm(self.d)(x, name="encoder_norm")
        if self.head == "bare":
            return steps(x=x)
        return steps(x=x, logits=Linear(self.d, self.Y)(x, name="classifier"))
