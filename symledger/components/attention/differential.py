"""Attention whose weights are differences of two softmaxes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, Rational

from symledger import sizes
from symledger.components.attention.dot_product import SEEN, HeadAttention, ScaledDotProduct
from symledger.components.norms.norms import RMSNorm
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Steps, steps
from symledger.notation.verbs import apply, join, narrow, param, total, view
from symledger.sizes import Size

YE = "Ye et al., Differential Transformer (2024), section 2.1"
TWO = Integer(2)
FIRST = Rational(8, 10)
"""What the factor starts from; it differs from layer to layer, which changes no count."""


@dataclass(frozen=True)
class DifferentialAttention(HeadAttention):
    """Heads in pairs: of what one mixes, a learned share of what the other mixes is taken away.

    Values are twice as wide, two heads of them side by side; each pair is normalized without
    weights. The share is exp(λ_q1·λ_k1) − exp(λ_q2·λ_k2) and a constant. As in the implementation
    attention is run once for either half of the values, so that scores are made twice.
    Source: Ye et al., *Differential Transformer* (2024), section 2.1; transformers,
    ``DiffLlamaAttention``.
    """

    causal: bool = True

    signature: ClassVar[str] = SEEN
    title: ClassVar[str] = "differential attention: one softmax less a share of another"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.h_kv: sizes.h, sizes.d_v: sizes.d_k, sizes.S: sizes.T,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (YE,)

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Steps:
        core = ScaledDotProduct(self.h, self.h_kv, self.d_k, self.d_v, self.causal)
        mixed = [core(q, k, join([x, x], axis=2), name=f"core_{i + 1}")
                 for i, x in enumerate(halves(v))]  # fmt: skip
        z = join(mixed, axis=-1)
        share = self.factor(1) - self.factor(2) + FIRST
        first, second = halves(z)
        less = first - share * second
        normed = RMSNorm(TWO * self.d_v, affine=False)(less, name="pair_norm") * (1 - FIRST)
        return steps(z=z, less=less, y=view("B T g (r v) -> B T (g r) v", normed, r=TWO))

    def factor(self, number: int) -> Tensor:
        """Return the exponential of a product of two learned vectors, one number."""
        a, b = (param(f"λ_{x}{number}", self.d_k) for x in "qk")
        return apply("exp", total(a * b))


def halves(x: Tensor) -> list[Tensor]:
    """Return the first and the second half of the heads."""
    split = view("B T (r g) v -> B T r g v", x, r=TWO)
    return [view("B T one g v -> B T (one g) v", narrow(split, 2, Integer(i), ONE)) for i in (0, 1)]
