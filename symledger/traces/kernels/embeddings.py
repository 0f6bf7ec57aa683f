"""Rows of a table that is given, one of which is padding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer, Piecewise

from symledger import sizes
from symledger.ir.region import Values
from symledger.ir.scalars import Scalar, X, Y
from symledger.ir.tensor import Tensor, pointwise
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import gather, scatter, view

FIRST = Integer(0)


@dataclass(frozen=True)
class PaddedRows(Component):
    """Pick rows of a table; the row of padding gets no gradient. Kept are the whole numbers."""

    V: Expr = sizes.V
    padding: Expr = FIRST

    signature: ClassVar[str] = "V d, ... -> ... d"

    def forward(self, E: Tensor, i: Tensor) -> Steps:
        return steps(y=gather(E, i))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Add dy to the rows that were picked, but for that of padding."""
        off = Y - self.padding
        apart = view("... -> ... ()", at.i)
        code = Scalar((X, Y), Piecewise((X, off < 0), (X, off > 0), (0, True)))
        return {"E": scatter(pointwise(code, dy, apart), at.i, at.E.shape)}
