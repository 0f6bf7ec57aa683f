"""Canary: Parakeet's conformer hears, and a decoder of pre-LN blocks writes, in any language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.decoder import PreLNDecoderBlock
from symledger.components.embeddings.embedding import LMHead, TokenEmbedding
from symledger.components.embeddings.positions import SinusoidalPositions
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.feed_forward.nonlinearities import Gating, Seldom
from symledger.components.norms.norms import LayerNorm
from symledger.ir.tensor import Tensor
from symledger.models.conformer.model import Parakeet
from symledger.notation.component import Steps, steps
from symledger.notation.verbs import param, repeat
from symledger.sizes import Size

ZELASKO = "Żelasko et al., Efficiency of Encoder-Decoder Speech Models (2025)"


@dataclass(frozen=True)
class Canary(Parakeet):
    """Parakeet, and a decoder of T_u words that attends to what it heard.

    Words are told their places by sines and cosines, and normalized. The head is the words' table,
    with a bias, unless it is not ``tied``. Without ``attention_bias`` no map of the decoder's
    attention has a bias; ``bare`` leaves its vectors.
    Source: Żelasko et al. (2025), section 2; Rekesh et al. (2023), section 3, for the encoder.
    """

    L_dec: Expr = sizes.L_dec
    h_dec: Expr = sizes.h_dec
    k_dec: Expr = sizes.k_dec
    d_k: Expr = sizes.d_k
    d_dec: Expr = sizes.d_dec
    T_u: Expr = sizes.T_u
    head: Literal["letters", "bare"] = "letters"
    tied: bool = True
    attention_bias: Annotated[bool, Seldom()] = True
    written_by: Gating = "relu"

    title: ClassVar[str] = "conformer of sound, and a decoder of text that attends to it"
    assumptions: ClassVar[dict[Size, Expr]] = {
        **Parakeet.assumptions, sizes.d_k: sizes.d / sizes.h_dec, sizes.k_dec: sizes.h_dec,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (f"{ZELASKO}, section 2", *Parakeet.references)

    @property
    def signature(self) -> str:  # type: ignore[override]  # words are read as well
        """The type line."""
        return f"B T_f C, B T_u in V -> B T_u {'V' if self.head == 'letters' else 'd'}"

    def written(self, words: Tensor, heard: Tensor, E: Tensor) -> Tensor:
        """Return what the decoder makes of words and of what was heard."""
        x = TokenEmbedding(self.V, self.d)(words, E, name="token_embedding")
        placed = SinusoidalPositions(self.d)(x, name="positions")
        x = LayerNorm(self.d)(placed, name="embedding_norm")
        heads = (self.d, self.h_dec, self.k_dec, self.d_k, self.d_k)
        block = PreLNDecoderBlock(
            *heads, bias=self.attention_bias,
            attention=Attention(*heads, self.attention_bias, causal=True),
            network=FeedForward(self.d, self.d_dec, self.written_by),
        )  # fmt: skip
        x = repeat(block, self.L_dec, x, heard, name="decoder")
        return LayerNorm(self.d)(x, name="final_norm")

    def forward(self, spectrum: Tensor, words: Tensor) -> Steps:  # type: ignore[override]  # words
        heard = self.read(self.shorten(spectrum))
        E = param("E", self.V, self.d)
        hidden = self.written(words, heard, E)
        if self.head == "bare":
            return steps(heard=heard, hidden=hidden)
        scores = LMHead(self.V, self.d)(hidden, *([E] if self.tied else []), name="head")
        return steps(heard=heard, hidden=hidden, logits=scores + param("b", self.V))
