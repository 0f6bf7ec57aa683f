"""A linear map that is adapted: its weight stays as it is, and a low-rank update is trained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import einsum, param
from symledger.sizes import Size

ALPHA = Integer(16)
"""The update is scaled by this over its rank; a number that no count depends on."""


@dataclass(frozen=True)
class LoRALinear(Component):
    """An affine map whose weight is frozen, plus a trained product of two thin matrices.

    y = xW + b + (α/d_r) x A B. Gradients and optimizer state are those of A and B alone, no
    gradient of W is computed, and x is kept for A's.
    Source: Hu et al., *LoRA: Low-Rank Adaptation of Large Language Models* (2021), section 4.1.
    """

    d_in: Expr = sizes.d_in
    d_out: Expr = sizes.d_out
    d_r: Expr = sizes.d_r
    bias: bool = True

    signature: ClassVar[str] = "... d_in -> ... d_out"
    title: ClassVar[str] = "affine map with a frozen weight and a trained low-rank update"
    corollaries: ClassVar[dict[str, dict[Size, Expr]]] = {
        "square": {sizes.d_in: sizes.d, sizes.d_out: sizes.d},
    }
    references: ClassVar[tuple[str, ...]] = (
        "Hu et al., LoRA: Low-Rank Adaptation of Large Language Models (2021), section 4.1",
    )

    def forward(self, x: Tensor) -> Steps:
        W = param("W", self.d_in, self.d_out, trainable=False)
        frozen = einsum("... i, i o -> ... o", x, W)
        if self.bias:
            frozen = frozen + param("b", self.d_out, trainable=False)
        narrow = einsum("... i, i r -> ... r", x, param("A", self.d_in, self.d_r))
        update = einsum("... r, r o -> ... o", narrow, param("B", self.d_r, self.d_out))
        return steps(frozen=frozen, narrow=narrow, y=frozen + update * (ALPHA / self.d_r))
