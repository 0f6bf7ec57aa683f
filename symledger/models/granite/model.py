"""Granite and HyperCLOVA X: LLaMA's blocks, with constants on embeddings, additions and logits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from sympy import Integer, Rational

from symledger.components.attention.attention import Attention
from symledger.components.attention.dot_product import ScaledDotProduct
from symledger.components.blocks.blocks import Block, PreLNBlock, SandwichBlock
from symledger.ir.tensor import Tensor
from symledger.models.llama.model import Llama
from symledger.models.shared.windows import WindowedDecoder, Windows
from symledger.notation.component import Steps, steps

EMBEDDING, RESIDUAL, LOGITS = Integer(12), Rational(22, 100), Integer(8)
"""The constants of Granite 3; any others would be counted the same."""


@dataclass(frozen=True)
class ScaledBlock(PreLNBlock):
    """A block whose parts add only a fraction of what they give."""

    def attend(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        scaled: Tensor = super().attend(x, memory) * RESIDUAL
        return scaled

    def feed(self, x: Tensor) -> Tensor:
        scaled: Tensor = super().feed(x) * RESIDUAL
        return scaled


@dataclass(frozen=True)
class Granite(Llama):
    """The decoder-only transformer of Granite 3: four constants keep its values in range.

    That of attention stands in the place of 1/√d_h.
    Source: Granite Team, *Granite 3.0 Language Models* (2024); Yang et al., *Tensor
    Programs V* (2022), for the constants.
    """

    title: ClassVar[str] = "decoder-only transformer, pre-LN RMSNorm, SwiGLU, scaled by constants"
    references: ClassVar[tuple[str, ...]] = (
        "Granite Team, Granite 3.0 Language Models (2024)",
    )

    def embed(self, tokens: Tensor, E: Tensor) -> Tensor:
        scaled: Tensor = super().embed(tokens, E) * EMBEDDING
        return scaled

    def block(self) -> Block:
        return ScaledBlock(self.d, norm="rms", attention=self.attention(), network=self.network())

    def score(self, x: Tensor, E: Tensor) -> Tensor:
        y = super().score(x, E)
        return y * (1 / LOGITS) if self.head == "lm" else y


@dataclass(frozen=True)
class GraniteSwa(Granite, WindowedDecoder):
    """Granite with a window in three of four layers, and a learned sink for every head.

    Source: Granite Team (2026); transformers, ``GraniteSWAForCausalLM``.
    """

    tied: bool = True
    flash: Literal[False] = False
    windows: Windows = "some"

    title: ClassVar[str] = "decoder-only transformer, scaled by constants, windows, sinks"
    references: ClassVar[tuple[str, ...]] = ("transformers, GraniteSWAForCausalLM (2026)",)

    def attention(self) -> Attention:
        mixing = ScaledDotProduct(self.h, self.h_kv, self.d_h, self.d_h, causal=True, sinks=True)
        return replace(super().attention(), mixing=mixing)


@dataclass(frozen=True)
class ScaledSandwich(SandwichBlock):
    """A block whose parts are normalized after they acted, and add only a fraction of that."""

    def forward(self, x: Tensor) -> Steps:
        attended = self.normalize(self.attend(self.normalize(x, 1)), 2)
        middle = x + attended * RESIDUAL
        fed = self.normalize(self.feed(self.normalize(middle, 3)), 4)
        return steps(middle=middle, y=middle + fed * RESIDUAL)


@dataclass(frozen=True)
class HyperClovaX(Granite):
    """The decoder-only transformer of HyperCLOVA X SEED: Granite's constants, and sandwich norms.

    Without ``post_norm`` they stand before each part only.
    Source: NAVER Cloud, *HyperCLOVA X THINK Technical Report* (2025), section 2.
    """

    post_norm: bool = True

    title: ClassVar[str] = "decoder-only transformer, sandwich norms, scaled by constants"
    references: ClassVar[tuple[str, ...]] = (
        "NAVER Cloud, HyperCLOVA X THINK Technical Report (2025), section 2",
    )

    def block(self) -> Block:
        kind = ScaledSandwich if self.post_norm else ScaledBlock
        return kind(self.d, norm="rms", attention=self.attention(), network=self.network())
