"""Losses: functions of a prediction and a target, their mean or their sum."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Piecewise, Rational, exp, log

from symledger.ir.scalars import Scalar, X, Y, Z
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor, pointwise
from symledger.notation.verbs import reduce
from symledger.traces.kernels.losses import NegativeLikelihood, Reduction
from symledger.traces.rules.table import At, Made, number, rule
from symledger.traces.rules.views import permuted, reshaped

REDUCTIONS: tuple[Reduction, ...] = ("none", "mean", "sum")
"""As PyTorch numbers them."""
HALF = Rational(1, 2)


def reduced(each: Tensor, reduction: Any) -> Tensor:
    """Return losses as they are, their mean, or their sum."""
    kind = REDUCTIONS[int(reduction)]
    if kind == "none":
        return each
    whole = reduce(each, tuple(range(each.rank)))
    return whole * (1 / each.size) if kind == "mean" else whole


@rule("aten.nll_loss_forward", "aten.nll_loss2d_forward")
def nll_loss(
    at: At, self: Tensor, target: Tensor, weight: Any, reduction: Any, ignore_index: Any
) -> Made:  # fmt: skip
    """Minus what stands at the targets; classes along axis 1, or along the only axis."""
    x, kind = self, REDUCTIONS[int(reduction)]
    place = min(1, x.rank - 1)
    V, order = x.shape[place], [i for i in range(x.rank) if i != place] + [place]
    rows = reshaped(at, permuted(x, order) if place != x.rank - 1 else x, (target.size, V))
    kernel = NegativeLikelihood(V, number(ignore_index), kind, weight is not None)
    entering = (rows, reshaped(at, target, (target.size,)), *([] if weight is None else [weight]))
    return reshaped(at, kernel(*entering, name="loss"), at.shape)


@rule("aten.mse_loss")
def mse_loss(at: At, self: Tensor, target: Tensor, reduction: Any = 1) -> Made:
    """Squared differences."""
    return reduced(pointwise(Scalar((X, Y), (X - Y) ** 2), self, target), reduction)


@rule("aten.huber_loss")
def huber_loss(at: At, self: Tensor, target: Tensor, reduction: Any = 1, delta: Any = 1) -> Made:
    """Half of squared differences, which grow in a straight line from δ on."""
    n = number(delta)
    return reduced(pointwise(huber(n, HALF, n), self, target), reduction)


@rule("aten.smooth_l1_loss")
def smooth_l1_loss(
    at: At, self: Tensor, target: Tensor, reduction: Any = 1, beta: Any = 1
) -> Made:  # fmt: skip
    """The same divided by δ."""
    n = number(beta)
    return reduced(pointwise(huber(n, HALF / n, ONE), self, target), reduction)


def huber(n: Expr, square: Expr, line: Expr) -> Scalar:
    """A parabola up to a distance n, and lines beyond it."""
    return Scalar((X, Y), Piecewise(
        (line * (X - Y - n * HALF), X - Y - n > 0), (line * (Y - X - n * HALF), X - Y + n < 0),
        (square * (X - Y) ** 2, True),
    ))  # fmt: skip


@rule("aten.binary_cross_entropy")
def binary_cross_entropy(
    at: At, self: Tensor, target: Tensor, weight: Any = None, reduction: Any = 1
) -> Made:  # fmt: skip
    """Minus the logarithm of the chance of a truth."""
    each = pointwise(Scalar((X, Y), -Y * log(X) - (1 - Y) * log(1 - X)), self, target)
    return reduced(each if weight is None else each * weight, reduction)


@rule("aten.binary_cross_entropy_with_logits")
def binary_cross_entropy_with_logits(
    at: At, self: Tensor, target: Tensor, weight: Any = None, pos_weight: Any = None,
    reduction: Any = 1,
) -> Made:  # fmt: skip
    """The same of logits; truths may count more than the rest."""
    smooth = log(1 + exp(-X))
    if pos_weight is None:
        each = pointwise(Scalar((X, Y), smooth + (1 - Y) * X), self, target)
    else:
        code = Scalar((X, Y, Z), (1 - Y) * X + (1 + (Z - 1) * Y) * smooth)
        each = pointwise(code, self, target, pos_weight)
    return reduced(each if weight is None else each * weight, reduction)


@rule("aten.soft_margin_loss")
def soft_margin_loss(at: At, self: Tensor, target: Tensor, reduction: Any = 1) -> Made:
    """The logarithm of one and an exponential of minus the product."""
    return reduced(pointwise(Scalar((X, Y), log(1 + exp(-X * Y))), self, target), reduction)
