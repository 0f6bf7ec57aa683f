"""Gated networks that cut values off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symledger.components.feed_forward.experts import cut_off
from symledger.components.feed_forward.feed_forward import GatedFeedForward
from symledger.components.feed_forward.nonlinearities import act
from symledger.components.maps.linear import Linear
from symledger.ir.tensor import Tensor
from symledger.notation.component import Steps, steps


@dataclass(frozen=True)
class CutFeedForward(GatedFeedForward):
    """A gated network whose gate is cut off above, and what it multiplies on both sides.

    Source: transformers 5.23, ``DeepseekV4MLP`` and ``Glm5NextTextMLP``.
    """

    title: ClassVar[str] = "gated network that cuts values off"

    def forward(self, x: Tensor) -> Steps:
        gate, up = (Linear(self.d, self.d_ff, self.bias)(x, name=n) for n in ("gate", "up"))
        gate, up = cut_off(gate, up)
        z = act(self.activation, gate) * up
        return steps(z=z, y=Linear(self.d_ff, self.d, self.bias)(z, name="down"))
