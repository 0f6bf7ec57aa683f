"""Cells of recurrent networks that are given their weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symledger.components.recurrence.cells import GRUGates, LSTMGates, Nonlinearity
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, einsum


def mapped(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Multiply by a matrix, and add a bias if there is one."""
    y = einsum("... i, o i -> ... o", x, weight)
    return y if bias is None else y + bias


@dataclass(frozen=True)
class PlainGiven(Component):
    """As ``RNNCell``."""

    nonlinearity: Nonlinearity = "tanh"

    signature: ClassVar[str] = "B s, B s, s i, s -> B s, B s"

    def forward(self, h: Tensor, u: Tensor, W: Tensor, b: Tensor | None = None) -> Steps:
        new = apply(self.nonlinearity, u + mapped(h, W, b))
        return steps(new=new, y=new)


@dataclass(frozen=True)
class GRUGiven(Component):
    """As ``GRUCell``."""

    signature: ClassVar[str] = "B s, B gates, gates s, gates -> B s, B s"

    def forward(self, h: Tensor, u: Tensor, W: Tensor, b: Tensor | None = None) -> Steps:
        new = GRUGates(h.shape[-1])(h, u, mapped(h, W, b), name="gates")
        return steps(new=new, y=new)


@dataclass(frozen=True)
class LSTMGiven(Component):
    """As ``LSTMCell``."""

    signature: ClassVar[str] = (
        "B shown, B s, B gates, gates shown, gates, shown s -> B shown, B s, B shown"
    )

    def forward(
        self, h: Tensor, c: Tensor, u: Tensor, W: Tensor, b: Tensor | None = None,
        P: Tensor | None = None,
    ) -> Steps:  # fmt: skip
        new, y = LSTMGates(c.shape[-1]).apply(c, u + mapped(h, W, b), name="gates")
        y = y if P is None else mapped(y, P, None)
        return steps(h=y, new=new, y=y)
