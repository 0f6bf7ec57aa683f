"""The affine map, of which almost every weight in a network is a part, and the bilinear one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.core.component import Component, Steps, steps
from symledger.core.notation import einsum, param
from symledger.core.tensor import Tensor


@dataclass(frozen=True)
class Linear(Component):
    """An affine map of the last axis: y = xW + b.

    Source: Goodfellow, Bengio, Courville, *Deep Learning* (2016), section 6.1.
    """

    d_in: Expr = sizes.d_in
    d_out: Expr = sizes.d_out
    bias: bool = True

    signature: ClassVar[str] = "... d_in -> ... d_out"
    title: ClassVar[str] = "affine map of the last axis"
    references: ClassVar[tuple[str, ...]] = (
        "Goodfellow, Bengio, Courville, Deep Learning (2016), section 6.1",
    )

    def forward(self, x: Tensor) -> Steps:
        W = param("W", self.d_in, self.d_out)
        y = einsum("... i, i o -> ... o", x, W)
        return steps(y=y + param("b", self.d_out) if self.bias else y)


@dataclass(frozen=True)
class Bilinear(Component):
    """A map that is affine in each of two vectors: y_o = Σ x_i W_oij z_j + b_o.

    First x is mapped by each of the matrices W_o, then the results are multiplied by z.
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
        u = einsum("... i, o i j -> ... o j", x, W)
        y = einsum("... o j, ... j -> ... o", u, z)
        return steps(u=u, y=y + param("b", self.d_out) if self.bias else y)
