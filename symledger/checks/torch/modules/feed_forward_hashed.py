"""A mixture whose experts a table says, once more in PyTorch."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it

from symledger.checks.torch.case import Case
from symledger.checks.torch.modules.feed_forward import Experts
from symledger.checks.torch.parts import Options, Sizes


class Limited(Experts):
    """Experts whose values are cut off."""

    def gate(self, gate: Tensor, up: Tensor) -> Tensor:
        """Cut both off and multiply."""
        return self.act(gate.clamp(max=7)) * up.clamp(-7, 7)


class Shares(nn.Module):
    """Shares of the scores of the experts that rows are sent to."""

    def __init__(self, s: Sizes) -> None:
        super().__init__()
        self.W = nn.Parameter(torch.randn(s["d"], s["E"]))

    def forward(self, x: Tensor, chosen: Tensor, slots: Tensor) -> Tensor:
        """Score, add up what was chosen, divide."""
        scores = F.softplus(x @ self.W).sqrt()
        sums = scores.gather(1, chosen).sum(1)
        return (scores.T.gather(1, slots) / sums[slots])[..., None]


class HashRouted(nn.Module):
    """Rows are sent to the experts that a table says, or that were chosen."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.hashed = o["hashed"]
        self.router, self.experts = Shares(s), Limited(s, {**o, "gated": True})

    def forward(self, x: Tensor, slots: Tensor, *said: Tensor) -> Tensor:
        """Look up, weigh, send, add."""
        chosen = said[0][said[1]] if self.hashed else said[0]
        rows = x.flatten(0, 1)
        made = self.experts(rows[slots]) * self.router(rows, chosen, slots)
        return torch.zeros_like(rows).index_put((slots,), made, accumulate=True).view_as(x)


CASES: Mapping[str, tuple[Case, ...]] = {
    "hash_routed_mixture": (Case("indexing and index_put", HashRouted),),
}
