"""Mistral: LLaMA's blocks, with grouped heads and a window that all layers look back at; Moshi."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from symledger.components.attention.attention import Attention
from symledger.components.embeddings.embedding import TokenEmbedding
from symledger.ir.tensor import Tensor
from symledger.models.shared.gated import GatedDecoder
from symledger.models.shared.windows import WindowedDecoder, Windows
from symledger.notation.component import Steps
from symledger.notation.verbs import param


@dataclass(frozen=True)
class Mistral(GatedDecoder, WindowedDecoder):
    """The decoder-only transformer of Mistral; its later versions have no window.

    Source: Jiang et al., *Mistral 7B* (2023), section 2 and table 1.
    """

    flash: bool = False
    windows: Windows = "all"

    title: ClassVar[str] = "decoder-only transformer, pre-LN RMSNorm, SwiGLU, sliding window"
    references: ClassVar[tuple[str, ...]] = ("Jiang et al., Mistral 7B (2023), section 2",)

    def attention(self) -> Attention:
        return replace(super().attention(), flash=self.flash)


@dataclass(frozen=True)
class Moshi(Mistral):
    """The decoder of Moshi that reads and writes text: Mistral's, with a row more in its table.

    That row is no token that is written, so that the head, never tied, has none for it.
    Source: Défossez et al., *Moshi* (2024); transformers 5.23, ``MoshiForCausalLM``.
    """

    tied: Literal[False] = False
    flash: Literal[False] = False
    windows: Literal["all"] = "all"

    title: ClassVar[str] = "decoder-only transformer, SwiGLU, sliding window, a row for no token"
    references: ClassVar[tuple[str, ...]] = ("Défossez et al., Moshi (2024)",)

    def forward(self, tokens: Tensor) -> Steps:
        E = param("E", self.V + 1, self.row)
        return self.ended(self.embed(tokens, E), E)

    def embed(self, tokens: Tensor, E: Tensor) -> Tensor:
        return TokenEmbedding(self.V + 1, self.row)(tokens, E, name="token_embedding")
