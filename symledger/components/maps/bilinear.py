"""The bilinear map: affine in each of two vectors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.ir.region import Values
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import einsum, param, reduce, view


@dataclass(frozen=True)
class Bilinear(Component):
    """A map that is affine in each of two vectors: y_o = Σ x_i W_oij z_j + b_o.

    First x is mapped by each of the matrices W_o, then the results are multiplied by z. Fused: it
    keeps both vectors, and maps x again.
    Source: Sutskever, Tenenbaum, Salakhutdinov, *Modelling Relational Data* (2009), for the form;
    PyTorch's ``nn.Bilinear``.
    """

    d_1: Expr = sizes.d_1
    d_2: Expr = sizes.d_2
    d_out: Expr = sizes.d_out
    bias: bool = True

    signature: ClassVar[str] = "... d_1, ... d_2 -> ... d_out"
    title: ClassVar[str] = "map that is affine in each of two vectors"
    references: ClassVar[tuple[str, ...]] = (
        "Sutskever et al., Modelling Relational Data using Bayesian Clustered Tensor "
        "Factorization (2009)", "PyTorch 2.13, torch.nn.Bilinear",
    )  # fmt: skip

    def forward(self, x: Tensor, z: Tensor) -> Steps:
        W = param("W", self.d_out, self.d_1, self.d_2)
        y = einsum("... o j, ... j -> ... o", self.mapped(x, W), z)
        if not self.bias:
            return steps(W=W, y=y)
        b = param("b", self.d_out)
        return steps(W=W, b=b, y=y + b)

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back: with v_oj = dy_o z_j, dx_i = Σ W_oij v_oj and dW_oij = Σ x_i v_oj."""
        column, row = view("... o -> ... o ()", dy), view("... j -> ... () j", at.z)
        v = einsum("... o one, ... one j -> ... o j", column, row)
        found = {
            "x": einsum("... o j, o i j -> ... i", v, at.W),
            "W": einsum("... i, ... o j -> o i j", at.x, v),
            "z": einsum("... o j, ... o -> ... j", self.mapped(at.x, at.W), dy),
        }
        return {**found, "b": reduce(dy, tuple(range(dy.rank - 1)))} if self.bias else found

    def mapped(self, x: Tensor, W: Tensor) -> Tensor:
        """Map x by each of the matrices."""
        return einsum("... i, o i j -> ... o j", x, W)
