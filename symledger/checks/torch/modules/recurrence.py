"""Recurrent networks over time and their cells, as PyTorch has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from symledger.checks.torch.artefacts import Uses
from symledger.checks.torch.case import SEVERAL, Case
from symledger.checks.torch.parts import Options, Sizes, seq_first
from symledger.checks.torch.uses import counted, summed

TWICE = {"L": "2*L"}
"""Layers on top of the first one, at every point."""


class Recurrent(nn.Module):
    """PyTorch's recurrent network of a kind, its last states beside its results."""

    def __init__(
        self, kind: type[nn.RNNBase], s: Sizes, o: Options, batch_first: bool = False
    ) -> None:
        super().__init__()
        more: dict[str, Any] = {}
        if o.get("projected"):
            more["proj_size"] = s["d_p"]
        if "nonlinearity" in o:
            more["nonlinearity"] = o["nonlinearity"]
        if o["dropout"]:
            more["dropout"] = 0.1
        layers = s["L"] if o["stacked"] else 1
        self.net = kind(s["d_in"], s["d_s"], layers, bias=o["bias"],
                        bidirectional=o["bidirectional"], batch_first=batch_first,
                        **more)  # fmt: skip

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        """Return what is shown at all steps, and the last states."""
        if self.net.batch_first:
            y, last = self.net(x)
        else:
            y, last = self.net(seq_first(x))
            y = y.transpose(0, 1)
        return (y, *(last if isinstance(last, tuple) else (last,)))


def recurrent_names(s: Sizes, o: Options) -> Mapping[str, tuple[str, ...]]:
    """Our weights behind PyTorch's: the first layer's, and those of the layers on top of it."""
    names = {}
    for i in range(s["L"] if o["stacked"] else 1):
        layer = f"layer.{i - 1}" if i else "first_layer"
        for way in ("", "_reverse"):
            cell = f"cell{way}"
            for kind, part in (("ih", f"ih{way}"), ("hh", f"{cell}.hh"), ("hr", f"{cell}.hr")):
                names[f"net.weight_{kind}_l{i}{way}"] = (f"{layer}.{part}.W'",)
                names[f"net.bias_{kind}_l{i}{way}"] = (f"{layer}.{part}.b",)
    return names


class LSTMCell(nn.LSTMCell):
    """PyTorch's own, its states one by one."""

    def forward(self, x: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        """Return what is shown and the cell state."""
        return super().forward(x, (h, c))


def in_recurrent(o: Options, kind: str, batch_first: bool = False) -> Uses:
    """What occurs in a recurrent network over time; both ways read what comes batch first."""
    layers, ways = "L" if o["stacked"] else "1", "2" if o["bidirectional"] else "1"
    shown = "d_p" if o.get("projected") else "d_s"
    between = f"(L - 1)*B*T*{ways}*{shown}" * o["stacked"]
    above = between * (not o["bidirectional"] and not o["dropout"])
    return counted(
        noise=between * o["dropout"],
        states=summed(f"{ways}*{layers}*B*d_s" * (kind == "RNN"), above),
        shown_cell=f"{ways}*{layers}*B*T*d_s" * (kind == "LSTM"),
        batch_first="B*T*d_in" * (batch_first and o["bidirectional"]),
    )


def _over_time(kind: type[nn.RNNBase], said: str = "") -> tuple[Case, ...]:
    name = kind.__name__

    def case(batch_first: bool, given: Options) -> Case:
        return Case(f"{said or f'nn.{name}'}{', batch first' * batch_first}",
                    lambda s, o: Recurrent(kind, s, o, batch_first), recurrent_names,
                    lambda o: in_recurrent(o, name, batch_first),
                    {**TWICE, **(SEVERAL if batch_first else {})}, given)  # fmt: skip

    return case(False, {}), case(True, {"bidirectional": True})


def _cell(kind: Any, **uses: str) -> tuple[Case, ...]:
    def build(s: Sizes, o: Options) -> nn.Module:
        chosen = {name: o[name] for name in ("bias", "nonlinearity") if name in o}
        return kind(s["d_in"], s["d_s"], **chosen)

    names = {f"{theirs}_{way}": (f"{part}.{ours}",)
             for theirs, ours in (("weight", "W'"), ("bias", "b"))
             for way, part in (("ih", "ih"), ("hh", "cell.hh"))}  # fmt: skip
    return (Case(f"nn.{kind.__name__}", build, lambda s, o: names, lambda o: uses),)


CASES: Mapping[str, tuple[Case, ...]] = {
    "rnn": _over_time(nn.RNN),
    "gru": _over_time(nn.GRU),
    "lstm": _over_time(nn.LSTM, "nn.LSTM without oneDNN"),
    "rnn_cell": _cell(nn.RNNCell),
    "gru_cell": _cell(nn.GRUCell),
    "lstm_cell": _cell(LSTMCell),
}  # fmt: skip
