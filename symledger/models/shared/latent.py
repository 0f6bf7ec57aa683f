"""Latent attention as several families have it: chosen by an indexer, not turned, behind a gate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger.components.attention.latent import LatentAttention
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.ir.building import leave_idle
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, join, narrow, remembered, state, view


@dataclass(frozen=True)
class IndexedLatentAttention(LatentAttention):
    """Latent attention to positions that an indexer chose.

    Operation by operation, its choice is a mask on all pairs; no gradient comes back through it.
    Source: DeepSeek-AI, *DeepSeek-V3.2* (2025), section 2.1.
    """

    indexer: Component | None = None

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


@dataclass(frozen=True)
class GatedIndexedAttention(IndexedLatentAttention):
    """Indexed latent attention whose queries, and a gate of what leaves, come from one map.

    It is given the latent vector of queries twice: normalized, and as it was.
    Source: transformers 5.23, ``AXK2Attention``.
    """

    title: ClassVar[str] = "latent attention chosen by an indexer, behind a gate"

    def forward(
        self, x: Tensor, past_c: Tensor | None = None, past_r: Tensor | None = None
    ) -> Steps:
        offset = Integer(0) if self.cached is None else self.cached - x.shape[1]
        down = Linear(self.d, self.d_q, self.bias)(x, name="Q_down")
        source = RMSNorm(self.d_q)(down, name="norm_Q")
        self.choose(x, source, offset)
        width = self.d_h + self.d_rot
        both = Linear(2 * self.d_q, self.h * (width + self.d_v), bias=False)(
            join([source, down]), name="Q"
        )  # fmt: skip
        split = view("B T (h k) -> B T h k", both, h=self.h, k=width + self.d_v)
        gate = view("B T h v -> B T (h v)", narrow(split, -1, width, self.d_v))
        q = narrow(split, -1, 0, self.d_h)
        q_r = self.turned("Q", narrow(split, -1, self.d_h, self.d_rot), offset)
        c, r = self.latents(x, offset)
        if self.cached is not None:
            c = join([remembered("past_c", x.shape[0], offset, self.d_c), c], axis=1)
            r = join([remembered("past_r", x.shape[0], offset, self.d_rot), r], axis=1)
        c, r = state(c), state(r)
        z = self.expanding(q, q_r, c, r)
        merged = view("B T h v -> B T (h v)", z) * apply("sigmoid", gate)
        y = Linear(self.h * self.d_v, self.d, self.bias)(merged, name="O")
        return steps(q=q, q_r=q_r, c=c, r=r, z=z, y=y)
