"""The real-gated linear recurrent unit once more, written in PyTorch."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it

from symledger.checks.torch.case import Case
from symledger.checks.torch.modules.state_spaces import CausalConvolution
from symledger.checks.torch.parts import Options, Sizes


class RealGatedRecurrence(nn.Module):
    """Gates of blocks of channels, and a recurrence token after token."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        h, width = s["h"], s["d_i"] // s["h"]
        self.L = nn.Parameter(torch.randn(s["d_i"]))
        for name in ("input", "decay"):
            self.register_parameter(f"W_{name}", nn.Parameter(torch.randn(h, width, width)))
            self.register_parameter(f"b_{name}", nn.Parameter(torch.randn(h, width)))

    def forward(self, x: Tensor) -> Tensor:
        """Start from zeros; the first token is taken as it is."""
        taken, kept = (torch.sigmoid(self.mapped(x, name)) for name in ("input", "decay"))
        log = kept * -8 * F.softplus(self.L)
        decay = torch.exp(log)
        share = torch.sqrt(torch.exp(log * 2) * -1 + 1)
        first = torch.zeros(x.shape[1], 1, dtype=x.dtype)
        first[0] = 1
        u = x * taken * (share * (1 - first) + first)
        hidden, read = torch.zeros_like(u[:, 0]), []
        for t in range(x.shape[1]):
            hidden = decay[:, t] * hidden + u[:, t]
            read.append(hidden)
        return torch.stack(read, 1)

    def mapped(self, x: Tensor, name: str) -> Tensor:
        """Map each block by itself."""
        W, b = self.get_parameter(f"W_{name}"), self.get_parameter(f"b_{name}")
        blocks = x.unflatten(-1, (W.shape[0], -1)).flatten(0, 1).transpose(0, 1)
        y = torch.bmm(blocks, W).transpose(0, 1) + b
        return y.unflatten(0, x.shape[:2]).flatten(2)


class RealGated(nn.Module):
    """Convolve and remember beside a gate, multiply, return."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.gate = nn.Linear(s["d"], s["d_i"])
        self.add_module("in", nn.Linear(s["d"], s["d_i"]))
        self.convolution = CausalConvolution({"C": s["d_i"], "K": s["K"]}, {"bias": True})
        self.recurrence = RealGatedRecurrence(s, o)
        self.out = nn.Linear(s["d_i"], s["d"])

    def forward(self, x: Tensor) -> Tensor:
        """Mix."""
        gate = F.gelu(self.gate(x), approximate="tanh")
        u = self.convolution(self.get_submodule("in")(x)).contiguous()
        return self.out(self.recurrence(u) * gate)


CASES: Mapping[str, tuple[Case, ...]] = {
    "real_gated_recurrence": (Case(
        "a loop of products", RealGatedRecurrence, equal={"d_i": "3*h"}, given={"cached": False},
        uses=lambda o: {"tables": "4*T"}),),
    "real_gated_mixer": (Case(
        "nn.Linear around a loop of products", RealGated, equal={"d_i": "3*h"},
        given={"cached": False}, uses=lambda o: {
            "groups": "2*B*(T + K - 1)*K*d_i*(d_i - 1)", "tables": "4*T",
            "states": "B*T*d_i"}),),
}  # fmt: skip
