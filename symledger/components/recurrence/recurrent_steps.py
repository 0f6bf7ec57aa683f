"""One step of a recurrent network: a cell, and the map of its input that layers do beforehand.

There are two bias vectors, as over time: of the map of the input (ih) and of the state (hh).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.components.maps.linear import Linear
from symledger.components.recurrence.cells import GRUCell, LSTMCell, Nonlinearity, RNNCell
from symledger.components.recurrence.recurrent import GRU, LSTM, PYTORCH, RNN
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps


@dataclass(frozen=True)
class Step(Component):
    """What steps share: the widths of input and state, and the map of the input."""

    d_in: Expr = sizes.d_in
    d_s: Expr = sizes.d_s
    bias: bool = True

    signature: ClassVar[str] = "B d_in, B d_s -> B d_s"

    def mapped(self, x: Tensor, gates: int) -> Tensor:
        """Map the input to so many gates."""
        return Linear(self.d_in, gates * self.d_s, self.bias)(x, name="ih")


@dataclass(frozen=True)
class RNNStep(Step):
    """One step of the plain recurrent network.

    Source: Elman, *Finding Structure in Time* (1990); two biases as in PyTorch's nn.RNNCell.
    """

    nonlinearity: Nonlinearity = "tanh"

    title: ClassVar[str] = "one step of a plain recurrent network, tanh or ReLU"
    references: ClassVar[tuple[str, ...]] = (RNN.references[0], PYTORCH + "RNNCell")

    def forward(self, x: Tensor, h: Tensor) -> Steps:
        u = self.mapped(x, 1)
        new, _ = RNNCell(self.d_s, self.nonlinearity, self.bias).apply(h, u, name="cell")
        return steps(u=u, new=new)


@dataclass(frozen=True)
class GRUStep(Step):
    """One step of gated recurrent units.

    Source: Cho et al. (2014), section 2.3; reset after the map of the state, as in PyTorch.
    """

    title: ClassVar[str] = "one step of gated recurrent units"
    references: ClassVar[tuple[str, ...]] = (GRU.references[0], PYTORCH + "GRUCell")

    def forward(self, x: Tensor, h: Tensor) -> Steps:
        u = self.mapped(x, 3)
        new, _ = GRUCell(self.d_s, self.bias).apply(h, u, name="cell")
        return steps(u=u, new=new)


@dataclass(frozen=True)
class LSTMStep(Step):
    """One step of long short-term memory.

    Source: Hochreiter, Schmidhuber (1997); the forget gate: Gers et al. (2000).
    """

    signature: ClassVar[str] = "B d_in, B d_s, B d_s -> B d_s, B d_s"
    title: ClassVar[str] = "one step of long short-term memory"
    references: ClassVar[tuple[str, ...]] = (*LSTM.references[:2], PYTORCH + "LSTMCell")

    def forward(self, x: Tensor, h: Tensor, c: Tensor) -> Steps:
        u = self.mapped(x, 4)
        shown, cell, _ = LSTMCell(self.d_s, bias=self.bias).apply(h, c, u, name="cell")
        return steps(u=u, shown=shown, cell=cell)
