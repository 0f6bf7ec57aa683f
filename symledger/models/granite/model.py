"""Granite: LLaMA's blocks, whose embeddings, additions and logits are multiplied by constants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Integer, Rational

from symledger.components.blocks.blocks import Block, PreLNBlock
from symledger.ir.tensor import Tensor
from symledger.models.llama.model import Llama

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
