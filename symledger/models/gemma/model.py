"""Gemma, Gemma 2 and 3 (text), VaultGemma: wide heads, GeGLU, scaled embeddings, a tied head."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from sympy import Integer, sqrt

from symledger.components.attention.attention import Attention
from symledger.components.attention.dot_product import ScaledDotProduct
from symledger.components.blocks.blocks import Block, PreLNBlock, SandwichBlock
from symledger.components.feed_forward.nonlinearities import Activation
from symledger.errors import DefinitionError
from symledger.ir.tensor import Tensor
from symledger.models.shared.decoder import LanguageModel
from symledger.models.shared.gated import GatedDecoder
from symledger.models.shared.windows import WindowedDecoder, Windows
from symledger.notation.verbs import apply

CAP = Integer(30)
"""What capped logits stay below; any other number would be counted the same."""


@dataclass(frozen=True)
class Gemma(GatedDecoder):
    """The decoder-only transformer of Gemma: a token's vector is multiplied by √d at the start.

    That norms scale by 1 + g, not by g, changes neither parameters nor contractions.
    Source: Gemma Team, *Gemma* (2024), section 2 and table 1.
    """

    tied: bool = True
    attention_bias: bool = False
    activation: Activation = "gelu_tanh"

    title: ClassVar[str] = "decoder-only transformer, pre-LN RMSNorm, GeGLU, scaled embeddings"
    references: ClassVar[tuple[str, ...]] = ("Gemma Team, Gemma (2024), section 2 and table 1",)

    def embed(self, tokens: Tensor, E: Tensor) -> Tensor:
        scaled: Tensor = super().embed(tokens, E) * sqrt(self.d)
        return scaled

    def attention(self) -> Attention:
        return replace(super().attention(), bias=self.attention_bias)


@dataclass(frozen=True)
class Gemma2(Gemma, WindowedDecoder):
    """The decoder-only transformer of Gemma 2: every second layer looks back at a window only.

    Norms stand before and after each part; scores and logits are capped.
    Source: Gemma Team, *Gemma 2* (2024), section 2 and table 1.
    """

    windows: Windows = "some"
    capped_scores: bool = True
    capped_logits: bool = True

    title: ClassVar[str] = "decoder-only transformer, sandwich norms, GeGLU, windows, soft caps"
    references: ClassVar[tuple[str, ...]] = ("Gemma Team, Gemma 2 (2024), section 2 and table 1",)

    def attention(self) -> Attention:
        plain = super().attention()
        if not self.capped_scores:
            return plain
        heads = (self.h, self.h_kv, self.d_h, self.d_h)
        return replace(plain, mixing=ScaledDotProduct(*heads, causal=True, capped=True))

    def block(self) -> Block:
        return SandwichBlock(
            self.d, norm="rms", attention=self.attention(), network=self.network()
        )

    def score(self, x: Tensor, E: Tensor) -> Tensor:
        y = super().score(x, E)
        return apply("tanh", y * (1 / CAP)) * CAP if self.caps(y) else y

    def caps(self, y: Tensor) -> bool:
        """Whether these scores are capped: only those of the next token are."""
        return self.capped_logits and self.head == "lm"


@dataclass(frozen=True)
class VaultGemma(Gemma2):
    """The decoder-only transformer of VaultGemma: Gemma 2 without the norms after each part.

    Source: VaultGemma Team, *VaultGemma: A Differentially Private Gemma Model* (2025), section 2.
    """

    title: ClassVar[str] = "decoder-only transformer, pre-LN RMSNorm, GeGLU, windows, soft caps"
    references: ClassVar[tuple[str, ...]] = (
        "VaultGemma Team, VaultGemma: A Differentially Private Gemma Model (2025), section 2",
    )

    def block(self) -> Block:
        return PreLNBlock(self.d, norm="rms", attention=self.attention(), network=self.network())


@dataclass(frozen=True)
class Gemma3(Gemma2):
    """The decoder-only transformer of Gemma 3: five of six layers look back at a window only.

    Norms of queries and keys have taken the place of the caps. Where tokens see ``both_ways``, as
    in an encoder of texts, windows lie on either side, and nothing is decoded.
    Source: Gemma Team, *Gemma 3* (2025), section 2; *EmbeddingGemma* (2025), section 2.1.
    """

    capped_scores: bool = False
    capped_logits: bool = False
    both_ways: bool = False

    title: ClassVar[str] = "decoder-only transformer, sandwich norms, GeGLU, windows, QK norms"
    references: ClassVar[tuple[str, ...]] = (
        "Gemma Team, Gemma 3 (2025), section 2",
        "Vera et al., EmbeddingGemma: Powerful and Lightweight Text Representations (2025)",
    )

    @property
    def decoding(self) -> Mapping[str, str]:  # type: ignore[override]  # a choice decides
        """What enters in a step of decoding, where there is one."""
        return {} if self.both_ways else LanguageModel.decoding

    def attention(self) -> Attention:
        if self.both_ways and self.cached:
            raise DefinitionError(
                "both_ways with cached is not supported: what comes after a token, and is seen by "
                "it, cannot be remembered from before. Choose one of them."
            )
        if self.both_ways and self.capped_scores:
            raise DefinitionError("both_ways with capped_scores is not supported. Choose one.")
        return replace(super().attention(), qk_norm="rms", causal=not self.both_ways)
