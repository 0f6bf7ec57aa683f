"""Norms, softmax and dropout."""

from __future__ import annotations

from typing import Any

from symledger.components.heads_and_losses.dropout import Dropout
from symledger.components.heads_and_losses.softmax import Softmax
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.traces.kernels.norms import LayerNormed
from symledger.traces.rules.table import At, Made, axis_of, number, rule
from symledger.traces.rules.views import permuted, reshaped


@rule("aten.native_layer_norm")
def native_layer_norm(
    at: At, input: Tensor, normalized_shape: Any, weight: Tensor | None, bias: Tensor | None,  # noqa: A002
    eps: Any,
) -> Made:  # fmt: skip
    """Centre and scale the last axes."""
    last = len(normalized_shape)
    if last != 1:
        raise at.refused("a norm over several axes is not understood.")
    kernel = LayerNormed(input.shape[-1], number(eps), weight is not None, bias is not None)
    return kernel(input, weight, bias, name="norm")


@rule("aten._softmax")
def softmax(at: At, self: Tensor, dim: Any, half_to_float: Any = False) -> Made:
    """Exponentials along an axis, divided by their sum."""
    place = axis_of(dim, self.rank)
    order = [i for i in range(self.rank) if i != place] + [place]
    if place == self.rank - 1:
        return Softmax()(self, name="softmax")
    back = [order.index(i) for i in range(self.rank)]
    return permuted(Softmax()(permuted(self, order), name="softmax"), back)


@rule("dropout")
def dropout(at: At, input: Tensor, p: Any, training: Any, inplace: Any) -> Made:  # noqa: A002
    """Set elements to zero at random, while training."""
    if not training or number(p) == 0:
        return input
    if number(p) == ONE:
        raise at.refused("dropout of everything is not understood.")
    if input.rank == 0:
        return reshaped(at, Dropout(number(p))(reshaped(at, input, (ONE,)), name="dropout"), ())
    return Dropout(number(p))(input, name="dropout")
