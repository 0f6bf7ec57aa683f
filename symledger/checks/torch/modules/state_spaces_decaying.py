"""The decaying average once more, written in PyTorch: a loop over tokens."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from symledger.checks.torch.case import Case
from symledger.checks.torch.parts import Options, Sizes


class DecayingAverage(nn.Module):
    """Two sums, divided by the exponential of the largest exponent."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.w, self.u = (nn.Parameter(torch.randn(s["d_i"])) for _ in "wu")

    def forward(self, k: Tensor, v: Tensor) -> Tensor:
        """Average, token after token."""
        decay = -torch.exp(self.w)
        above, below, top = (torch.zeros_like(k[:, 0]) for _ in range(3))
        y = torch.zeros_like(k)
        for t in range(k.shape[1]):
            over, under, _ = self.added(above, below, top, k[:, t] + self.u, v[:, t])
            y[:, t] = over / under
            above, below, top = self.added(above, below, top + decay, k[:, t], v[:, t])
        return y

    def added(
        self, above: Tensor, below: Tensor, top: Tensor, k: Tensor, v: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Add a token to both sums."""
        highest = torch.maximum(top, k)
        old, new = torch.exp(top - highest), torch.exp(k - highest)
        return old * above + new * v, old * below + new, highest


CASES: Mapping[str, tuple[Case, ...]] = {
    "decaying_average": (Case(
        "a loop of exponentials", DecayingAverage, given={"cached": False},
        uses=lambda o: {"zeros": "3*B*d_i"}),),
}  # fmt: skip
