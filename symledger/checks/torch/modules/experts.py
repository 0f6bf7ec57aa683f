"""Mixtures of experts once more, written in PyTorch."""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it

from symledger.checks.torch.modules.attention import Attention
from symledger.checks.torch.modules.models import FeedForward, GatedFeedForward, norm
from symledger.checks.torch.parts import ACTIVATIONS, Head, Options, Sizes, recomputed


class Experts(nn.Module):
    """Feed-forward networks side by side, as batched products."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.act, self.gated = ACTIVATIONS[o["activation"]], o["gated"]
        self.clamped, self.bias = o.get("clamped", False), o.get("bias", False)
        if self.bias:
            self.b_up, self.b_gate = (nn.Parameter(torch.randn(s["E"], s["d_ff"])) for _ in "ug")
            self.b_down = nn.Parameter(torch.randn(s["E"], s["d"]))
        wide = (s["E"], s["d"], s["d_ff"])
        if self.gated:
            self.W_gate = nn.Parameter(torch.randn(wide))
        self.W_up = nn.Parameter(torch.randn(wide))
        self.W_down = nn.Parameter(torch.randn(s["E"], s["d_ff"], s["d"]))

    def forward(self, x: Tensor) -> Tensor:
        """Map the rows of each expert."""
        up = self.map("up", x)
        z = self.gate(self.map("gate", x), up) if self.gated else self.act(up)
        return self.map("down", z)

    def gate(self, gate: Tensor, up: Tensor) -> Tensor:
        """Multiply by the gate, both cut off first where that is chosen."""
        if not self.clamped:
            return self.act(gate) * up
        gate, up = gate.clamp(max=7), up.clamp(-7, 7)
        return gate * torch.sigmoid(gate * 1.702) * (up + 1)

    def map(self, name: str, x: Tensor) -> Tensor:
        """Map the rows of each expert by its matrix."""
        y = x @ getattr(self, f"W_{name}")
        return y + getattr(self, f"b_{name}")[:, None] if self.bias else y


class Router(nn.Module):
    """How much the experts that rows were sent to count."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.W = nn.Parameter(torch.randn(s["d"], s["E"]))
        self.b = nn.Parameter(torch.randn(s["E"])) if o.get("bias") else None

    def forward(self, x: Tensor, slots: Tensor) -> Tensor:
        """Return the weight of each slot."""
        logits = x @ self.W if self.b is None else x @ self.W + self.b
        return F.softmax(logits, -1).T.gather(1, slots)[..., None]


class Mixture(nn.Module):
    """Rows are sent to experts, and what these give is weighted and added."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.experts = Experts(s, o)
        self.router = Router(s, o) if o.get("router", True) else None
        if o.get("shared"):
            kind = GatedFeedForward if o["gated"] else FeedForward
            self.shared_experts = kind({**s, "d_ff": s["E_s"] * s["d_ff"]}, {**o, "bias": False})

    def forward(self, x: Tensor, slots: Tensor) -> Tensor:
        """Send, map, weight, add."""
        rows = x.flatten(0, 1)
        made = self.experts(rows[slots])
        if self.router:
            made = made * self.router(rows, slots)
        y = torch.zeros_like(rows).index_put((slots,), made, accumulate=True).view_as(x)
        return y + self.shared_experts(x) if hasattr(self, "shared_experts") else y


class MixtureBlock(nn.Module):
    """A block with a mixture of experts in place of its feed-forward network."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.norm_1, self.norm_2 = norm(s, o), norm(s, o)
        self.attention, self.feed_forward = Attention(s, o), Mixture(s, o)

    def forward(self, x: Tensor, slots: Tensor) -> Tensor:
        """Attend, then mix, each beside a residual path."""
        x = x + self.attention(self.norm_1(x))
        return x + self.feed_forward(self.norm_2(x), slots)


class Mixtral(nn.Module):
    """A decoder of such blocks."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(s["V"], s["d"])
        self.block = nn.ModuleList(MixtureBlock(s, o) for _ in range(s["L"]))
        self.recompute = o["recompute"]
        self.final_norm = norm(s, o)
        self.head = None if o["tied"] else Head(s)

    def forward(self, tokens: Tensor, slots: Tensor) -> Tensor:
        """Return the logits."""
        x = self.token_embedding(tokens)
        for block, given in zip(self.block, slots, strict=True):
            sent = partial(block, slots=given)  # the choice is no input of what is run again
            x = recomputed(sent, x) if self.recompute else sent(x)
        x = self.final_norm(x)
        return self.head(x) if self.head else F.linear(x, self.token_embedding.weight)
