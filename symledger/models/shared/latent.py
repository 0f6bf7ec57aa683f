"""Latent attention as several families have it: chosen by an indexer, not turned, behind a gate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger.components.attention.indexed import Indexer
from symledger.components.attention.latent import LatentAttention
from symledger.components.maps.linear import Linear
from symledger.ir.building import leave_idle
from symledger.ir.tensor import Tensor
from symledger.notation.verbs import apply, view


@dataclass(frozen=True)
class IndexedLatentAttention(LatentAttention):
    """Latent attention to positions that an indexer chose.

    Operation by operation, its choice is a mask on all pairs; no gradient comes back through it.
    Source: DeepSeek-AI, *DeepSeek-V3.2* (2025), section 2.1.
    """

    indexer: Indexer | None = None

    title: ClassVar[str] = "latent attention to positions that an indexer chose"

    def choose(self, x: Tensor, source: Tensor, offset: Expr) -> None:
        if self.indexer is not None:
            leave_idle(self.indexer(x, source, name="indexer"))


@dataclass(frozen=True)
class UnturnedLatentAttention(LatentAttention):
    """Latent attention that is told no positions: what would be turned is not.

    With ``gated``, each head is multiplied by a sigmoid of a map of x.
    Source: Kimi Team, *Kimi Linear* (2025), section 4; transformers 5.23, ``KimiLinearAttention``.
    """

    rotary: bool = False
    gated: bool = False

    title: ClassVar[str] = "latent attention without positions"

    def turned(self, name: str, x: Tensor, offset: Expr) -> Tensor:
        return super().turned(name, x, offset) if self.rotary else x

    def leaving(self, x: Tensor, source: Tensor, z: Tensor) -> Tensor:
        if self.gated:
            gate = apply("sigmoid", Linear(self.d, self.h, bias=False)(x, name="gate"))
            z = z * view("B T h -> B T h ()", gate)
        return super().leaving(x, source, z)
