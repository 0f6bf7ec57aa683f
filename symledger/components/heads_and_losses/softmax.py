"""Softmax, shifted by the maximum so that no exponential overflows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from symledger.ir.region import Values
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, maximum, total


@dataclass(frozen=True)
class Softmax(Component):
    """Exponentials along the last axis, divided by their sum.

    Fused: the backward pass is written in the result alone, as implementations do.
    Source: Goodfellow, Bengio, Courville, *Deep Learning* (2016), section 4.1.
    """

    signature: ClassVar[str] = "... n -> ... n"
    title: ClassVar[str] = "exponentials along the last axis, divided by their sum"
    references: ClassVar[tuple[str, ...]] = (
        "Goodfellow, Bengio, Courville, Deep Learning (2016), section 4.1",
    )

    def forward(self, x: Tensor) -> Steps:
        e = apply("exp", x - maximum(x))
        return steps(y=e / total(e))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back: dx = y (dy − Σ dy y)."""
        return {"x": at.y * (dy - total(dy * at.y))}
