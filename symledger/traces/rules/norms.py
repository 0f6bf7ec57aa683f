"""Norms: elements centred, scaled, and weighted."""

from __future__ import annotations

from typing import Any

from symledger.ir.tensor import Tensor
from symledger.traces.kernels.norms import LayerNormed
from symledger.traces.rules.table import At, Made, number, rule


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
