"""Attention of Gemma 3n and 4: values normalized as well, keys and values lent to later layers."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Integer

from symledger.components.attention.attention import Attention
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import RMSNorm
from symledger.ir.tensor import Tensor
from symledger.notation.component import Steps, steps
from symledger.notation.verbs import join, state, view

TITLE = "attention whose keys and values later layers may use"


@dataclass(frozen=True)
class LendingAttention(Attention):
    """Attention with norms of queries, keys and (without weights) values.

    Where it ``borrows``, keys and values are given, and only queries are mapped; where it
    ``lends``, it gives its own besides. With ``alike``, values are what keys are before their
    norm. That scores are divided by 1, not by √d_k, changes no count.
    Source: transformers 5.23, ``Gemma4TextAttention``.
    """

    borrows: bool = False
    lends: bool = False
    alike: bool = False

    @property
    def signature(self) -> str:  # type: ignore[override]  # what enters depends on a choice
        """The type line."""
        lent = ", B S h_kv d_k, B S h_kv d_v"
        return f"B T d{lent * self.borrows} -> {'B S h_kv d_k, B S h_kv d_v, ' * self.lends}B T d"

    def forward(  # type: ignore[override]  # what enters are keys and values, ready
        self, x: Tensor, k: Tensor | None = None, v: Tensor | None = None
    ) -> Steps:
        offset = Integer(0) if self.cached is None else self.cached - x.shape[1]
        q = self.heads("Q", x, self.h, self.d_k, offset)
        if k is None or v is None:
            k, v = self.made(x, offset)
        z = self.core()(q, k, v, name="core")
        y = Linear(self.h * self.d_v, self.d, self.has_bias("O"))(self.leaving(x, z), name="O")
        return steps(q=q, z=z, k=k, v=v, y=y)

    def made(self, x: Tensor, offset: Expr) -> tuple[Tensor, Tensor]:
        """Map keys and values, normalize them, and put what is remembered before them."""
        width = self.h_kv * self.d_k
        mapped = Linear(self.d, width, self.has_bias("K"))(x, name="K")
        of_values = mapped if self.alike else Linear(self.d, width, self.has_bias("V"))(x, name="V")
        k, v = (view("B T (h k) -> B T h k", each, h=self.h_kv, k=self.d_k)
                for each in (mapped, of_values))  # fmt: skip
        k = self.turned("K", RMSNorm(self.d_k)(k, name="norm_K"), self.d_k, offset)
        v = RMSNorm(self.d_v, affine=False)(v, name="norm_V")
        if self.cached is not None:
            past_k, past_v = self.past(x, self.cached)
            k, v = join([past_k, k], axis=1), join([past_v, v], axis=1)
        if not self.causal:
            return k, v
        return state(k, self.window), state(v, self.window)
