"""Attention whose queries, keys and values come from three sequences, each of its own width."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.attention.dot_product import VASWANI, ScaledDotProduct
from symledger.components.maps.linear import Linear
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import expand, join, param, table, view
from symledger.sizes import Size


@dataclass(frozen=True)
class SourcedAttention(Component):
    """Multi-head attention to keys and values that may be of other widths than the queries.

    With ``out_bias`` the last map has a bias though the others have none. With ``bias_kv`` one
    learned key and value more are attended to, with ``zero_kv`` one of zeros.
    Source: Vaswani et al. (2017), section 3.2.2; PyTorch's ``nn.MultiheadAttention`` with kdim,
    vdim, add_bias_kv and add_zero_attn.
    """

    d: Expr = sizes.d
    h: Expr = sizes.h
    d_h: Expr = sizes.d_h
    d_key: Expr = sizes.d_key
    d_val: Expr = sizes.d_val
    bias: bool = False
    bias_kv: bool = False
    zero_kv: bool = False
    dropout: bool = False
    out_bias: bool = False

    signature: ClassVar[str] = "B T d, B S d_key, B S d_val -> B T d"
    title: ClassVar[str] = "multi-head attention to keys and values of other widths"
    assumptions: ClassVar[dict[Size, Expr]] = {
        sizes.d_h: sizes.d / sizes.h, sizes.d_key: sizes.d, sizes.d_val: sizes.d, sizes.S: sizes.T,
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        VASWANI + ".2", "PyTorch 2.13, torch.nn.MultiheadAttention",
    )  # fmt: skip

    def forward(self, x: Tensor, key: Tensor, value: Tensor) -> Steps:
        q = self.heads("Q", x)
        k = self.longer("k", self.heads("K", key))
        v = self.longer("v", self.heads("V", value))
        core = ScaledDotProduct(self.h, self.h, self.d_h, self.d_h, dropout=self.dropout)
        z = core(q, k, v, name="core")
        merged = view("B T h v -> B T (h v)", z)
        y = Linear(self.h * self.d_h, self.d, self.bias or self.out_bias)(merged, name="O")
        return steps(q=q, k=k, v=v, z=z, y=y)

    def heads(self, name: str, x: Tensor) -> Tensor:
        """Map x affinely and split the result into heads."""
        wide = Linear(x.shape[-1], self.h * self.d_h, self.bias)(x, name=name)
        return view("B T (h k) -> B T h k", wide, h=self.h, k=self.d_h)

    def longer(self, name: str, x: Tensor) -> Tensor:
        """Append what is learned, and zeros, to keys or values, where there is any."""
        one = (x.shape[0], ONE, *x.shape[2:])
        further = []
        if self.bias_kv:
            learned = param(f"bias_{name}", self.h * self.d_h)
            further.append(expand(view("(h k) -> () () h k", learned, h=self.h, k=self.d_h), one))
        if self.zero_kv:
            further.append(table("zeros", lambda *places: Integer(0), *one))
        return join([x, *further], axis=1) if further else x
