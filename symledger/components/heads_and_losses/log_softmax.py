"""The logarithm of softmax, and softmin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from symledger.components.heads_and_losses.softmax import Softmax
from symledger.ir.region import Values
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, maximum, total


@dataclass(frozen=True)
class LogSoftmax(Component):
    """The logarithm of softmax, computed without forming it.

    Fused: the backward pass keeps the result alone.
    Source: PyTorch 2.13, ``torch.nn.LogSoftmax``.
    """

    signature: ClassVar[str] = "... n -> ... n"
    title: ClassVar[str] = "the logarithm of softmax"
    references: ClassVar[tuple[str, ...]] = ("PyTorch 2.13, torch.nn.LogSoftmax",)

    def forward(self, x: Tensor) -> Steps:
        shifted = x - maximum(x)
        return steps(y=shifted - apply("log", total(apply("exp", shifted))))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back: dx = dy − softmax(x) Σ dy."""
        return {"x": dy - apply("exp", at.y) * total(dy)}


@dataclass(frozen=True)
class Softmin(Component):
    """Softmax of what is negated: the smallest element has the largest share."""

    signature: ClassVar[str] = "... n -> ... n"
    title: ClassVar[str] = "softmax of what is negated"
    references: ClassVar[tuple[str, ...]] = ("PyTorch 2.13, torch.nn.Softmin",)

    def forward(self, x: Tensor) -> Steps:
        return steps(y=Softmax()(-x, name="softmax"))
