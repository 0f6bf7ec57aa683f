"""Mixtral: LLaMA's blocks with a mixture of experts in place of the feed-forward network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.blocks import PreLNBlock
from symledger.components.experts import JIANG, MixtureOfExperts
from symledger.core.component import Component
from symledger.models.llama import Llama


@dataclass(frozen=True)
class Mixtral(Llama):
    """The decoder-only transformer of Mixtral: every token uses k of E experts in each layer.

    The weights of the chosen experts are softmax over all of them; that Mixtral divides them by
    their sum over the chosen ones changes neither parameters nor contractions.
    Source: Jiang et al., *Mixtral of Experts* (2024), section 2 and table 1.
    """

    E: Expr = sizes.E
    k: Expr = sizes.k

    title: ClassVar[str] = "decoder-only transformer, pre-LN RMSNorm, mixture of SwiGLU experts"
    references: ClassVar[tuple[str, ...]] = (f"{JIANG} and table 1",)

    def block(self) -> Component:
        experts = MixtureOfExperts(self.E, self.k, self.d, self.d_ff)
        return PreLNBlock(self.d, norm="rms", attention=self.attention(), network=experts)


CONFIGURATIONS = {
    "mixtral-8x7b": {
        "V": 32000, "d": 4096, "L": 32, "h": 32, "h_kv": 8, "d_ff": 14336, "E": 8, "k": 2,
        "T": 4096, "B": 1,
    },
}  # fmt: skip
