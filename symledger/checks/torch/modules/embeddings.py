"""Tables of tokens and positions once more, in PyTorch, and the head."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it

from symledger.checks.torch.case import Case
from symledger.checks.torch.parts import Options, Sizes


class Head(nn.Linear):
    """Logits: a linear map without bias, its weight one row for each token."""

    def __init__(self, s: Sizes) -> None:
        super().__init__(s["d"], s["V"], bias=False)


class Positions(nn.Embedding):
    """A learned row for each position, added."""

    def __init__(self, s: Sizes) -> None:
        super().__init__(s["T_max"], s["d"])

    def forward(self, x: Tensor) -> Tensor:
        """Add the rows of the positions that are there."""
        return x + self.weight[: x.shape[1]]


class Sinusoids(nn.Module):
    """Sines at even and cosines at odd places, added."""

    def __init__(self, s: Sizes) -> None:
        super().__init__()
        t, i = torch.arange(s["T"]).double()[:, None], torch.arange(s["d"])
        turn = t / 10000 ** (2 * (i // 2).double() / s["d"])
        self.register_buffer("table", torch.where(i % 2 == 0, turn.sin(), turn.cos()))

    def forward(self, x: Tensor) -> Tensor:
        """Add the table."""
        return x + self.table


class Rotary(nn.Module):
    """Pairs (i, i + half) turned by an angle that grows with the position."""

    def __init__(self, length: int, width: int, start: int = 0) -> None:
        super().__init__()
        i = torch.arange(width // 2).double()
        turn = torch.arange(start, start + length).double()[:, None, None] / (
            10000 ** (2 * i / width)
        )
        self.register_buffer("cos", turn.cos())
        self.register_buffer("sin", turn.sin())

    def forward(self, x: Tensor) -> Tensor:
        """Turn."""
        a, b = x.chunk(2, -1)
        return torch.cat((a * self.cos - b * self.sin, a * self.sin + b * self.cos), -1)


class Tied(nn.Module):
    """One table, used for embedding and head."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(s["V"], s["d"])

    def forward(self, tokens: Tensor) -> Tensor:
        """Embed and score."""
        return F.linear(self.token_embedding(tokens), self.token_embedding.weight)


BAGS = {"sum": "3*B", "mean": "3*B + B*T + 1", "max": "2*B + B*T + 1"}
"""Whole numbers that nn.EmbeddingBag keeps beside the tokens and where the largest stand."""

CASES: Mapping[str, tuple[Case, ...]] = {
    "token_embedding": (Case("nn.Embedding", lambda s, o: nn.Embedding(s["V"], s["d"])),),
    "embedding_bag": (Case(
        "nn.EmbeddingBag", lambda s, o: nn.EmbeddingBag(s["V"], s["d"], mode=o["mode"]),
        uses=lambda o: {"bags": BAGS[o["mode"]]}),),
    "learned_positions": (Case("nn.Embedding", lambda s, o: Positions(s)),),
    "sinusoidal_positions": (Case("torch.sin and torch.cos", lambda s, o: Sinusoids(s)),),
    "rotary_positions": (Case("torch.sin and torch.cos", lambda s, o: Rotary(s["T"], s["d_k"])),),
    "lm_head": (Case("nn.Linear without bias", lambda s, o: Head(s)),),
    "tied_embedding": (Case("nn.Embedding and F.linear", Tied),),
}  # fmt: skip
