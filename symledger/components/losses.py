"""The loss that language models are trained on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.softmax import LogSoftmax
from symledger.core.component import Component, Steps, steps
from symledger.core.notation import gather, reduce
from symledger.core.tensor import ONE, Tensor


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
