"""Recurrent networks, kept whole: a scan over time for each layer and direction."""

from __future__ import annotations

from typing import Any

from symledger.components.heads_and_losses.dropout import Dropout
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component
from symledger.notation.verbs import copied, join, narrow, scan
from symledger.traces.kernels.recurrent import GRUGiven, LSTMGiven, PlainGiven, mapped
from symledger.traces.rules.table import At, Made, number, rule
from symledger.traces.rules.views import permuted, reshaped

CELLS: dict[str, Component] = {
    "lstm": LSTMGiven(), "gru": GRUGiven(), "rnn_tanh": PlainGiven(),
    "rnn_relu": PlainGiven("relu"),
}  # fmt: skip


@rule(*CELLS)
def recurrent(
    at: At, input: Tensor, hx: Any, params: Any, has_biases: Any, num_layers: Any, dropout: Any,  # noqa: A002  # PyTorch's names
    train: Any, bidirectional: Any, batch_first: Any,
) -> Made:  # fmt: skip
    """Go along a sequence, layer by layer, from states on."""
    if isinstance(hx, Tensor) and isinstance(params, bool):
        raise at.refused("packed sequences are not understood: their lengths are data.")
    starts = hx if isinstance(hx, tuple) else (hx,)
    ways, chance = 1 + bool(bidirectional), number(dropout)
    each = (4 if has_biases else 2) + (at.operation == "lstm" and projected(starts))
    x = input if batch_first else permuted(input, [1, 0, 2])
    ends: list[list[Tensor]] = [[] for _ in starts]
    for layer in range(int(num_layers)):
        if layer and train and chance != 0:
            x = Dropout(chance)(x, name=f"dropout_{layer}")
        shown = []
        for way in range(ways):
            k = layer * ways + way
            weights = params[k * each : (k + 1) * each]
            states = tuple(
                reshaped(at, narrow(s, 0, k, ONE), s.shape[1:]) for s in starts
            )
            *last, y = over_time(at, x, states, weights, bool(has_biases), f"layer_{layer}", way)
            shown.append(y)
            for end, state in zip(ends, last, strict=True):
                end.append(reshaped(at, state, (ONE, *state.shape)))
        x = shown[0] if ways == 1 else join(shown, -1)
    y = x if batch_first else permuted(x, [1, 0, 2])
    return (y, *(copied(end[0]) if len(end) == 1 else join(end, 0) for end in ends))


def projected(starts: tuple[Tensor, ...]) -> bool:
    """Whether what is shown is narrower than the cell state."""
    return bool(starts[0].shape[-1] != starts[1].shape[-1])


def over_time(
    at: At, x: Tensor, states: tuple[Tensor, ...], weights: tuple[Tensor, ...], biased: bool,
    name: str, way: int,
) -> tuple[Tensor, ...]:  # fmt: skip
    """Map a whole sequence, then scan it; return the last states and all that was shown."""
    ih, hh, *rest = weights
    u = mapped(x, ih, rest.pop(0) if biased else None)
    bias = [rest.pop(0)] if biased else []
    if rest and not bias:
        raise at.refused("projections without biases are not understood.")
    return scan(
        CELLS[at.operation], x.shape[1], states, hh, *bias, *rest, over=(u,), axis=1,
        shared=True, reverse=bool(way), name=f"{name}_reverse" if way else name,
    )  # fmt: skip


@rule("lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell")
def cell(
    at: At, input: Tensor, hx: Any, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None,  # noqa: A002
    b_hh: Tensor | None,
) -> Made:  # fmt: skip
    """One step from states on."""
    kind = CELLS[at.operation.removesuffix("_cell")]
    states = hx if isinstance(hx, tuple) else (hx,)
    u = mapped(input, w_ih, b_ih)
    found = kind.apply(*states, u, w_hh, b_hh, name="cell")
    return found[: len(states)] if len(states) > 1 else found[0]


