"""Recurrent networks over time, as PyTorch has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from symledger.checks.torch.parts import Options, Sizes


def seq_first(x: Tensor) -> Tensor:
    """Put the sequence before the batch, as PyTorch's layers have it, in memory too."""
    return x.transpose(0, 1).contiguous()


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
