"""GLM-4: LLaMA's blocks with QKV biases, and half of each head turned by its position."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.attention.attention import Attention
from symledger.components.blocks.blocks import Block, SandwichBlock
from symledger.models.shared.gated import GatedDecoder


@dataclass(frozen=True)
class Glm(GatedDecoder):
    """The decoder-only transformer of GLM-4-9B; d_rot elements of each head are turned.

    That gate and up are one matrix in the implementation changes no count.
    Source: GLM Team, *ChatGLM* (2024).
    """

    d_rot: Expr = sizes.d_rot
    partly: bool = True
    qkv_bias: bool = True

    title: ClassVar[str] = "decoder-only transformer, pre-LN RMSNorm, SwiGLU, partly rotary"
    references: ClassVar[tuple[str, ...]] = ("GLM Team, ChatGLM (2024)",)

    def attention(self) -> Attention:
        return replace(
            super().attention(), bias=self.qkv_bias, unbiased=("O",),
            d_rot=self.d_rot if self.partly else None,
        )  # fmt: skip


@dataclass(frozen=True)
class Glm4(Glm):
    """The decoder-only transformer of GLM-4-0414: norms also after each part.

    Source: GLM Team, *GLM-4-0414* (2025), implementation.
    """

    title: ClassVar[str] = "decoder-only transformer, sandwich norms, SwiGLU, partly rotary"
    references: ClassVar[tuple[str, ...]] = ("GLM Team, GLM-4-0414 (2025), implementation",)

    def block(self) -> Block:
        return SandwichBlock(
            self.d, norm="rms", attention=self.attention(), network=self.network()
        )
