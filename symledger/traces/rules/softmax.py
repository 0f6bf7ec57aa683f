"""Softmax and its logarithm, along any axis."""

from __future__ import annotations

from typing import Any

from symledger.components.heads_and_losses.log_softmax import LogSoftmax
from symledger.components.heads_and_losses.softmax import Softmax
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component
from symledger.traces.rules.table import At, Made, axis_of, rule
from symledger.traces.rules.views import permuted


@rule("aten._softmax", "aten._safe_softmax", "aten._log_softmax")
def softmax(at: At, self: Tensor, dim: Any, half_to_float: Any = False) -> Made:
    """Exponentials along an axis, divided by their sum; or the logarithm of that."""
    plain = at.operation != "aten._log_softmax"
    kernel: Component = Softmax() if plain else LogSoftmax()
    name = "softmax" if plain else "log_softmax"
    place = axis_of(dim, self.rank)
    if place == self.rank - 1:
        return kernel(self, name=name)
    order = [i for i in range(self.rank) if i != place] + [place]
    back = [order.index(i) for i in range(self.rank)]
    return permuted(kernel(permuted(self, order), name=name), back)
