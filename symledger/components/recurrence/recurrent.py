"""Recurrent networks over time: plain, GRU and LSTM, in layers, in one or both directions.

A layer maps its whole input at once, then scans it step by step: the state is carried, from zeros
on. There are two bias vectors, of the map of the input (ih) and of the map of the state (hh): one
would do, but implementations have both.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.heads_and_losses.dropout import Dropout
from symledger.components.maps.linear import Linear
from symledger.components.recurrence.cells import GRUCell, LSTMCell, Nonlinearity, RNNCell
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import join, scan, state, table, view
from symledger.sizes import Size

PYTORCH = "PyTorch 2.13, torch.nn."
AS_WIDE: dict[str, dict[Size, Expr | int]] = {
    "input as wide as the state": {sizes.d_in: sizes.d_s},
}



def beside(ways: Sequence[Tensor], axis: int = -1) -> Tensor:
    """What both directions give, joined; or what one direction gives, as it is."""
    return ways[0] if len(ways) == 1 else join(list(ways), axis)


@dataclass(frozen=True)
class Layer(Component):
    """A cell over time, from the first step to the last, and beside it from the last to the first.

    ``gates`` is the width of the mapped input, ``widths`` are those of what is carried. It gives
    what the cell gives at all steps (of both directions side by side), and its last states.
    """

    d_in: Expr
    gates: Expr
    widths: tuple[Expr, ...]
    cell: Component
    bias: bool = True
    bidirectional: bool = False
    dropout: bool = False

    signature: ClassVar[str] = "B T d_in -> B T width, directions B d_h"

    def forward(self, x: Tensor) -> Steps:
        x = Dropout()(x, name="dropout") if self.dropout else x
        ways = [self.over_time(x, "")]
        if self.bidirectional:
            ways.append(self.over_time(x, "_reverse"))
        *last, y = zip(*ways, strict=True)
        ends = [beside([view("b s -> () b s", s) for s in way], axis=0) for way in last]
        return steps(y=beside(y), **dict(zip("hc", ends, strict=False)))

    def over_time(self, x: Tensor, way: str) -> tuple[Tensor, ...]:
        """Scan in one direction; return the last states and what the cell gives at all steps."""
        u = Linear(self.d_in, self.gates, self.bias)(x, name=f"ih{way}")
        start = tuple(
            table(f"{name}0", lambda b, s: Integer(0), x.shape[0], width)
            for name, width in zip("hc", self.widths, strict=False)
        )
        return scan(self.cell, x.shape[1], start, name=f"cell{way}", over=(u,), axis=1,
                    shared=True, reverse=bool(way))  # fmt: skip


@dataclass(frozen=True)
class LSTMLayer(Layer):
    """A layer that carries a cell state beside its state."""

    signature: ClassVar[str] = "B T d_in -> B T width, directions B d_h, directions B d_c"


@dataclass(frozen=True)
class Recurrent(Component, ABC):
    """What recurrent networks share: the first layer reads the input, L − 1 more read each other.

    It gives the results of the last layer at all steps, and the last states of all layers, which
    is what decoding step by step keeps. Where it is not ``stacked`` there is one layer. Dropout is
    that of what each layer after the first reads.
    """

    d_in: Expr = sizes.d_in
    d_s: Expr = sizes.d_s
    L: Expr = sizes.L
    bias: bool = True
    bidirectional: bool = False
    stacked: bool = True
    dropout: bool = False

    signature: ClassVar[str] = "B T d_in -> B T width, layers B d_s"
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = AS_WIDE

    @property
    def width(self) -> Expr:
        """The width of what a layer gives at each step, both directions side by side."""
        return 2 * self.d_s if self.bidirectional else self.d_s

    @abstractmethod
    def layer(self, d_in: Expr) -> Layer:
        """Return a layer that reads an input of that width."""

    def forward(self, x: Tensor) -> Steps:
        y, *ends = self.layer(self.d_in).apply(x, name="first_layer")
        if self.stacked:
            layer = replace(self.layer(self.width), dropout=self.dropout)
            y, *more = scan(layer, self.L - 1, (y,), name="layer")
            above = [view("l n b s -> (l n) b s", each) for each in more]
            ends = [join(list(pair), axis=0) for pair in zip(ends, above, strict=True)]
        if not self.bidirectional:
            ends = [state(end) for end in ends]
        return steps(y=y, **dict(zip("hc", ends, strict=False)))


@dataclass(frozen=True)
class RNN(Recurrent):
    """The plain recurrent network: h_t = tanh(x_t W + b + h_{t−1} U + c).

    Source: Elman, *Finding Structure in Time* (1990); two biases as in PyTorch's nn.RNN.
    """

    nonlinearity: Nonlinearity = "tanh"

    title: ClassVar[str] = "plain recurrent network over time, tanh or ReLU"
    references: ClassVar[tuple[str, ...]] = (
        "Elman, Finding Structure in Time (1990), Cognitive Science 14", PYTORCH + "RNN",
    )  # fmt: skip

    def layer(self, d_in: Expr) -> Layer:
        """Return a layer of plain cells."""
        cell = RNNCell(self.d_s, self.nonlinearity, self.bias)
        return Layer(d_in, self.d_s, (self.d_s,), cell, self.bias, self.bidirectional)


@dataclass(frozen=True)
class GRU(Recurrent):
    """Gated recurrent units: one gate resets what is seen of the state, one says what is updated.

    Source: Cho et al. (2014), section 2.3; reset after the map of the state, as in PyTorch.
    """

    title: ClassVar[str] = "gated recurrent units over time"
    references: ClassVar[tuple[str, ...]] = (
        "Cho et al., Learning Phrase Representations using RNN Encoder-Decoder (2014), section 2.3",
        PYTORCH + "GRU",
    )

    def layer(self, d_in: Expr) -> Layer:
        """Return a layer of gated recurrent units."""
        cell = GRUCell(self.d_s, self.bias)
        return Layer(d_in, 3 * self.d_s, (self.d_s,), cell, self.bias, self.bidirectional)


@dataclass(frozen=True)
class LSTM(Recurrent):
    """Long short-term memory: a cell state that gates write, forget and show, maybe projected.

    Source: Hochreiter, Schmidhuber (1997); the forget gate: Gers et al. (2000); the projection of
    what is shown: Sak et al. (2014), section 2.
    """

    d_p: Expr = sizes.d_p
    projected: bool = False

    signature: ClassVar[str] = "B T d_in -> B T width, layers B shown, layers B d_s"
    title: ClassVar[str] = "long short-term memory over time"
    references: ClassVar[tuple[str, ...]] = (
        "Hochreiter, Schmidhuber, Long Short-Term Memory (1997), Neural Computation 9",
        "Gers et al., Learning to Forget: Continual Prediction with LSTM (2000)",
        "Sak et al., Long Short-Term Memory Based Recurrent Neural Network Architectures (2014)",
        PYTORCH + "LSTM",
    )

    @property
    def shown(self) -> Expr:
        """The width of the state that the cell shows."""
        return self.d_p if self.projected else self.d_s

    @property
    def width(self) -> Expr:
        """The width of what a layer gives at each step, both directions side by side."""
        return 2 * self.shown if self.bidirectional else self.shown

    def layer(self, d_in: Expr) -> Layer:
        """Return a layer of LSTM cells."""
        cell = LSTMCell(self.d_s, self.d_p, self.bias, self.projected)
        widths = (self.shown, self.d_s)
        return LSTMLayer(d_in, 4 * self.d_s, widths, cell, self.bias, self.bidirectional)
