"""The indexer: scores of all positions before a query, by which attention chooses among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, sqrt

from symledger import sizes
from symledger.components.embeddings.rotary import RotaryPositions
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, einsum, join, narrow, remembered, state, view

DEEPSEEK = "DeepSeek-AI, DeepSeek-V3.2 (2025), section 2.1"


@dataclass(frozen=True)
class Indexer(Component):
    """How much each position counts for each query: n_i small heads, one key for all of them.

    score(t, s) = Σ_j w_{t,j} ReLU(q_{t,j} · k_s): queries are mapped from a latent vector of width
    d_q, keys (normalized) and weights of heads from x; as much as d_rot of queries and keys is
    turned by its position. The best positions are attended to: that choice is no function with a
    gradient, so where scores are used for nothing else, nothing comes back. Decoding remembers the
    keys; with ``cached`` the T positions come after others.
    Source: DeepSeek-AI, *DeepSeek-V3.2* (2025), section 2.1, equation 1; transformers 5.23,
    ``DeepseekV32Indexer``.
    """

    d: Expr = sizes.d
    d_q: Expr = sizes.d_q
    n_i: Expr = sizes.n_i
    d_x: Expr = sizes.d_x
    d_rot: Expr = sizes.d_rot
    cached: Expr | None = None

    signature: ClassVar[str] = "B T d, B T d_q -> B T S"
    title: ClassVar[str] = "scores of positions, by which attention chooses among them"
    references: ClassVar[tuple[str, ...]] = (
        f"{DEEPSEEK}, equation 1", "transformers 5.23, DeepseekV32Indexer",
    )  # fmt: skip

    def forward(self, x: Tensor, source: Tensor) -> Steps:
        offset = Integer(0) if self.cached is None else self.cached - x.shape[1]
        wide = Linear(self.d_q, self.n_i * self.d_x, bias=False)(source, name="Q")
        q = self.turned("Q", view("B T (h k) -> B T h k", wide, h=self.n_i, k=self.d_x), offset)
        mapped = LayerNorm(self.d_x)(Linear(self.d, self.d_x, bias=False)(x, name="K"), name="norm")
        k = self.turned("K", view("B T k -> B T () k", mapped), offset)
        k = view("B T one k -> B T (one k)", k)
        if self.cached is not None:
            k = join([remembered("past_index", x.shape[0], offset, self.d_x), k], axis=1)
        k = state(k)
        scores = einsum("B T h k, B S k -> B T h S", q, k) * (1 / sqrt(self.d_x))
        weights = Linear(self.d, self.n_i, bias=False)(x, name="weights") * (1 / sqrt(self.n_i))
        y = einsum("B T h, B T h S -> B T S", weights, apply("relu", scores))
        return steps(q=q, k=k, scores=scores, weights=weights, y=y)

    def turned(self, name: str, x: Tensor, offset: Expr) -> Tensor:
        """Turn the beginning of each head by its position."""
        turned = RotaryPositions(self.d_rot, offset)(narrow(x, -1, 0, self.d_rot),
                                                     name=f"rotary_{name}")  # fmt: skip
        return join([turned, narrow(x, -1, self.d_rot, self.d_x - self.d_rot)])
