"""Norms: elements centred, scaled, and weighted."""

from __future__ import annotations

from typing import Any

from symledger.components.norms import norms
from symledger.ir.shapes import ONE, product
from symledger.ir.tensor import Tensor
from symledger.traces.kernels.channels import ByChannel, ByRunning
from symledger.traces.kernels.norms import LayerNormed, RMSNormed, WeightNormed
from symledger.traces.rules.table import At, Made, axis_of, number, rule
from symledger.traces.rules.views import permuted, reshaped


@rule("aten.native_layer_norm")
def native_layer_norm(
    at: At, input: Tensor, normalized_shape: Any, weight: Tensor | None, bias: Tensor | None,  # noqa: A002
    eps: Any,
) -> Made:  # fmt: skip
    """Centre and scale the last axes, as one."""
    x, g, b = merged(at, len(normalized_shape), input, weight, bias)
    kernel = LayerNormed(x.shape[-1], number(eps), g is not None, b is not None)
    return reshaped(at, kernel(x, g, b, name="norm"), at.shape)


@rule("aten._fused_rms_norm")
def fused_rms_norm(
    at: At, input: Tensor, normalized_shape: Any, weight: Tensor | None, eps: Any = None  # noqa: A002
) -> Made:
    """Scale the last axes, as one, to unit root mean square."""
    x, g = merged(at, len(normalized_shape), input, weight)
    epsilon = number(2.0**-23 if eps is None else eps)
    kernel = RMSNormed(x.shape[-1], epsilon, g is not None)
    return reshaped(at, kernel(x, g, name="norm"), at.shape)


def merged(at: At, last: int, x: Tensor, *weights: Tensor | None) -> tuple[Any, ...]:
    """Return a tensor and its weights with their last axes made one."""
    if last == 1:
        return x, *weights
    one = (product(x.shape[-last:]),)
    return (
        reshaped(at, x, (*x.shape[:-last], *one)),
        *(None if w is None else reshaped(at, w, one) for w in weights),
    )


@rule("aten.native_group_norm")
def native_group_norm(
    at: At, input: Tensor, weight: Tensor | None, bias: Tensor | None, group: Any, eps: Any,  # noqa: A002
) -> Made:  # fmt: skip
    """Centre and scale each group of channels of each example."""
    kernel = ByChannel(number(group), number(eps), weight is not None, bias is not None)
    return reshaped(at, kernel(rows(at, input), weight, bias, name="norm"), at.shape)


@rule("aten.native_batch_norm", "aten._native_batch_norm_legit", "aten.cudnn_batch_norm",
      "aten._native_batch_norm_legit_no_training")  # fmt: skip
def native_batch_norm(
    at: At, input: Tensor, weight: Tensor | None, bias: Tensor | None,  # noqa: A002
    running_mean: Tensor | None = None, running_var: Tensor | None = None, training: Any = False,
    momentum: Any = None, eps: Any = norms.EPSILON,
) -> Made:  # fmt: skip
    """Centre and scale each channel: by the batch in training, else by running averages."""
    x, stated = rows(at, input), (number(eps), weight is not None, bias is not None)
    if training or running_mean is None or running_var is None:
        y = ByChannel(None, *stated)(x, weight, bias, name="norm")
    else:
        y = ByRunning(*stated)(x, running_mean, running_var, weight, bias, name="norm")
    return reshaped(at, y, at.shape)


def rows(at: At, x: Tensor) -> Tensor:
    """Return a tensor with all positions of a channel on one axis."""
    return reshaped(at, x, (*x.shape[:2], product(x.shape[2:])))


@rule("aten._weight_norm_interface", "aten._weight_norm")
def weight_norm(at: At, v: Tensor, g: Tensor, dim: Any = 0) -> Made:
    """Give each slice of a weight along an axis a length of its own."""
    place = axis_of(dim, v.rank)
    n = v.shape[place]
    order = [place, *(i for i in range(v.rank) if i != place)]
    rows = reshaped(at, permuted(v, order), (n, v.size / n))
    made = WeightNormed()(rows, reshaped(at, g, (n, ONE)), name="weight")
    opened = reshaped(at, made, tuple(v.shape[i] for i in order))
    return permuted(opened, [order.index(i) for i in range(v.rank)])
