"""What is drawn at random: dropout of all kinds, and noise; none of it has a gradient."""

from __future__ import annotations

from typing import Any

from sympy import Expr, sqrt

from symledger.components.heads_and_losses.dropout import Dropout
from symledger.ir.functions import SELU, SELU_ALPHA
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.verbs import drawn, noise
from symledger.traces.graph import DRAWN
from symledger.traces.rules.table import At, Made, number, rule
from symledger.traces.rules.views import reshaped


@rule("dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout")
def dropout(at: At, input: Tensor, p: Any, training: Any, inplace: Any = False) -> Made:  # noqa: A002  # PyTorch's name
    """Set elements, or whole channels, to zero (to the least that SELU gives), while training."""
    chance = number(p)
    if not training or chance == 0:
        return input
    if chance == ONE:
        raise at.refused("dropout of everything is not understood: give p below 1.")
    if at.operation == "dropout":
        x = reshaped(at, input, (ONE,)) if input.rank == 0 else input
        return reshaped(at, Dropout(chance)(x, name="dropout"), at.shape)
    mask = noise("mask", 1 - chance, *_drawn_for(at, input.shape))
    if "alpha" in at.operation:
        return _self_normalized(input, mask, chance)
    made: Tensor = input * (mask * (1 / (1 - chance)))  # PyTorch keeps the product of the two
    return made


def _self_normalized(x: Tensor, mask: Tensor, p: Expr) -> Tensor:
    """Put the least of SELU where a mask is 0; PyTorch keeps the mask as a factor, a value."""
    least = -SELU * SELU_ALPHA
    scale = 1 / sqrt((1 - p) * (1 + p * least**2))
    made: Tensor = x * (mask * scale) + ((1 - mask) * least - p * least) * scale
    return made


def _drawn_for(at: At, shape: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """Return the shape of a mask: one element for each, or for each channel of each example."""
    if not at.operation.startswith("feature"):
        return shape
    return (*shape[:2], *(ONE for _ in shape[2:]))


@rule("aten.native_dropout")
def native_dropout(at: At, input: Tensor, p: Any, train: Any) -> Made:  # noqa: A002
    """Set elements to zero; the mask is a result, too."""
    return dropout(at, input, p, train)


@rule("aten.bernoulli")
def bernoulli(at: At, self: Any, p: Any = None, **others: Any) -> Made:
    """Ones with a chance that is a number, and zeros."""
    if p is None:
        raise at.refused("chances that are tensors are not understood: draw with a number p.")
    return noise("mask", number(p), *at.shape)


@rule(*(name for name in DRAWN if name != "aten.bernoulli"))
def random(at: At, **others: Any) -> Made:
    """Random numbers."""
    return drawn("noise", *at.shape)
