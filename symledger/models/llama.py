"""LLaMA: pre-LN blocks with RMSNorm, SwiGLU and rotary positions; no biases, untied head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.blocks import PreLNBlock
from symledger.components.embedding import LMHead, TokenEmbedding
from symledger.components.norms import RMSNorm
from symledger.core.component import Component, Steps, steps
from symledger.core.notation import param, repeat
from symledger.core.tensor import Tensor
from symledger.sizes import Size


@dataclass(frozen=True)
class Llama(Component):
    """The decoder-only transformer of LLaMA, with key/value heads that queries may share.

    Source: Touvron et al., *LLaMA* (2023), section 2.2; *Llama 2* (2023) for grouped heads.
    """

    V: Expr = sizes.V
    d: Expr = sizes.d
    L: Expr = sizes.L
    h: Expr = sizes.h
    h_kv: Expr = sizes.h_kv
    d_h: Expr = sizes.d_h
    d_ff: Expr = sizes.d_ff
    tied: bool = False
    flash: bool = False

    signature: ClassVar[str] = "B T in V -> B T V"
    title: ClassVar[str] = "decoder-only transformer, pre-LN RMSNorm, SwiGLU, rotary positions"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.h_kv: sizes.h, sizes.d_h: sizes.d / sizes.h,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "Touvron et al., LLaMA: Open and Efficient Foundation Language Models (2023), section 2.2",
    )

    def forward(self, tokens: Tensor) -> Steps:
        E = param("E", self.V, self.d)
        x = TokenEmbedding(self.V, self.d)(tokens, E, name="token_embedding")
        x = repeat(self.block(), self.L, x, name="block")
        x = RMSNorm(self.d)(x, name="final_norm")
        return steps(x=x, logits=LMHead(self.V, self.d)(x, E if self.tied else None, name="head"))

    def block(self) -> Component:
        """Return the block that is repeated L times."""
        return PreLNBlock(
            self.d, self.h, self.h_kv, self.d_h, self.d_h, self.d_ff,
            norm="rms", activation="silu", gated=True, bias=False, rotary=True, flash=self.flash,
        )  # fmt: skip


CONFIGURATIONS = {
    "llama-7b": {
        "V": 32000, "d": 4096, "L": 32, "h": 32, "d_ff": 11008, "T": 2048, "B": 1,
    },
}  # fmt: skip
