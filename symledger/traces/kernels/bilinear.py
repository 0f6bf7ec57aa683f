"""A product of two inputs with a tensor of three axes, as PyTorch's kernel keeps and sends back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.ir.region import Values
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import einsum, reduce, view


@dataclass(frozen=True)
class BilinearGiven(Component):
    """Bilinear, of a weight that is given: it keeps what enters alone, and maps the first again."""

    d_out: Expr = sizes.d_out
    d_1: Expr = sizes.d_1
    d_2: Expr = sizes.d_2

    signature: ClassVar[str] = "... d_1, d_out d_1 d_2, ... d_2 -> ... d_out"

    def forward(self, x: Tensor, W: Tensor, z: Tensor) -> Steps:
        return steps(y=einsum("... o j, ... j -> ... o", self.mapped(x, W), z))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back as Bilinear does; no product of two elements sums anything."""
        each = view("... o -> ... o ()", dy)
        v = each * view("... j -> ... () j", at.z)
        mapped = self.mapped(at.x, at.W) * each
        return {
            "x": einsum("... o j, o i j -> ... i", v, at.W),
            "W": einsum("... i, ... o j -> o i j", at.x, v),
            "z": reduce(mapped, (mapped.rank - 2,)),
        }

    def mapped(self, x: Tensor, W: Tensor) -> Tensor:
        """Map x by each of the matrices."""
        return einsum("... i, o i j -> ... o j", x, W)
