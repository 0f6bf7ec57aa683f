"""Losses: what language models are trained on, and functions of two numbers, element by element."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.softmax import LogSoftmax
from symledger.core.component import Component, Steps, steps
from symledger.core.notation import gather, reduce
from symledger.core.scalars import LOSSES
from symledger.core.tensor import ONE, Tensor, pointwise


@dataclass(frozen=True)
class CrossEntropy(Component):
    """The mean over all positions of −log softmax(logits) at the target.

    Kept are the logarithms of the probabilities and the targets.
    Source: Goodfellow, Bengio, Courville, *Deep Learning* (2016), section 6.2.2.
    """

    V: Expr = sizes.V

    signature: ClassVar[str] = "B T V, B T in V ->"
    title: ClassVar[str] = "mean negative log-probability of the targets"
    references: ClassVar[tuple[str, ...]] = (
        "Goodfellow, Bengio, Courville, Deep Learning (2016), section 6.2.2",
    )

    def forward(self, logits: Tensor, targets: Tensor) -> Steps:
        log_p = LogSoftmax()(logits, name="log_softmax")
        picked = gather(log_p, targets, batch=2)
        B, T = targets.shape
        return steps(log_p=log_p, picked=picked, loss=reduce(picked, (0, 1)) * (-ONE / (B * T)))


@dataclass(frozen=True)
class ElementwiseLoss(Component):
    """The mean (or the sum) of a function of two numbers, over all elements of two tensors.

    Kept are both tensors. The functions are those of PyTorch, with the constants it has by default.
    Source: Goodfellow, Bengio, Courville, *Deep Learning* (2016), section 5.5; Huber, *Robust
    Estimation of a Location Parameter* (1964).
    """

    function: Literal["mse", "huber", "bce_with_logits"] = "mse"
    reduction: Literal["mean", "sum"] = "mean"

    signature: ClassVar[str] = "B n, B n ->"
    title: ClassVar[str] = "mean of a function of two numbers, over all elements"
    references: ClassVar[tuple[str, ...]] = (
        "Goodfellow, Bengio, Courville, Deep Learning (2016), section 5.5",
        "Huber, Robust Estimation of a Location Parameter (1964)",
    )

    def forward(self, x: Tensor, y: Tensor) -> Steps:
        each = pointwise(LOSSES[self.function], x, y)
        loss = reduce(each, (0, 1))
        return steps(each=each, loss=loss * (ONE / x.size) if self.reduction == "mean" else loss)
