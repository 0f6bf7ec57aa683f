"""Residual paths that are more than a sum, and several streams, once more in PyTorch."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from symledger.checks.torch.case import Case
from symledger.checks.torch.modules.feed_forward import FeedForward
from symledger.checks.torch.parts import EPSILON, Options, Sizes
from symledger.checks.torch.uses import counted


class LowRank(nn.Module):
    """What enters, and a map of it of low rank."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.down = nn.Linear(s["d"], s["d_r"], bias=False)
        self.up = nn.Linear(s["d_r"], s["d"], bias=False)
        self.norm = nn.RMSNorm(s["d"], eps=EPSILON) if o["normed"] else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        """Add both."""
        return x + self.norm(self.up(self.down(x)))


class StreamRouter(nn.Module):
    """A number for each stream, from a token."""

    def __init__(self, s: Sizes) -> None:
        super().__init__()
        self.W_router = nn.Parameter(torch.randn(s["d"], s["n_s"]))
        self.g_router = nn.Parameter(torch.randn(s["d"]))

    def forward(self, x: Tensor) -> Tensor:
        """Normalize, scale and map."""
        normed = nn.functional.rms_norm(x, x.shape[-1:], eps=EPSILON)
        return torch.tanh(normed * self.g_router / x.shape[-1] @ self.W_router)


class Coefficients(nn.Module):
    """Numbers that sums of streams are weighted by: learned, or mapped from those of a token."""

    def __init__(self, name: str, n: int, shape: tuple[int, ...], routed: bool) -> None:
        super().__init__()
        total = torch.Size(shape).numel()
        made = nn.Linear(n, total, bias=False) if routed else nn.Parameter(torch.randn(shape))
        self.name, self.routed = name, routed
        setattr(self, name, made)

    def forward(self, chosen: Tensor | None) -> Tensor:
        """Return them."""
        own: Tensor = getattr(self, self.name)
        return self.get_submodule(self.name)(chosen) if self.routed else own


class Alternating(nn.Module):
    """Predict all streams, compute one, correct all."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        n = s["n_s"]
        self.before = StreamRouter(s) if o["routed"] else None
        self.predict = Coefficients("P", n, (n, n), o["routed"])
        self.correct = Coefficients("g", n, (n,), o["routed"])
        self.network = FeedForward(s, o)

    def forward(self, x: Tensor) -> Tensor:
        """Predict, compute, correct."""
        n = len(x)
        if self.before is None:
            expected = (self.predict(None) @ x.flatten(1)).view_as(x)
            how_far = self.correct(None)[:, None, None, None]
            computed = self.network(expected[0])
        else:
            p = self.predict(self.before(x[0])).unflatten(-1, (n, n))
            expected = x + (p @ x.permute(1, 2, 0, 3)).permute(2, 0, 1, 3)
            computed = self.network(expected[0])
            how_far = (self.correct(self.before(computed)) + 1).permute(2, 0, 1)[..., None]
        return expected + (computed - expected[0]) * how_far


class StreamReading(nn.Module):
    """Weights that streams of each token are read by and written by."""

    def __init__(self, s: Sizes) -> None:
        super().__init__()
        n = s["n_s"]
        self.W = nn.Parameter(torch.randn(n * s["d"], 2 * n))
        self.b, self.a = nn.Parameter(torch.randn(2 * n)), nn.Parameter(torch.randn(2))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Map what all streams hold; read."""
        flat = x.flatten(2)
        mapped = nn.functional.rms_norm(flat, flat.shape[-1:], eps=EPSILON) @ self.W
        parts = zip(mapped.chunk(2, -1), self.a, self.b.chunk(2), strict=True)
        reading, writing = (torch.sigmoid(w * a + b) for w, a, b in parts)
        return writing * 2 + 1e-6, (x * (reading + 1e-6)[..., None]).sum(2)


class Mixing(nn.Module):
    """Weights that streams of each token are read by, written by and mixed by."""

    def __init__(self, s: Sizes) -> None:
        super().__init__()
        n = s["n_s"]
        self.n, self.times = n, s["n_n"]
        self.W = nn.Parameter(torch.randn(n * s["d"], n * (n + 2)))
        self.b, self.a = nn.Parameter(torch.randn(n * (n + 2))), nn.Parameter(torch.randn(3))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Map what all streams hold; make the matrix doubly stochastic; read."""
        n, flat = self.n, x.flatten(2)
        mapped = nn.functional.rms_norm(flat, flat.shape[-1:], eps=EPSILON) @ self.W
        parts = zip(mapped.split((n, n, n * n), -1), self.a, self.b.split((n, n, n * n)),
                    strict=True)  # fmt: skip
        read, write, mix = (w * a + b for w, a, b in parts)
        mixing = torch.softmax(mix.unflatten(-1, (n, n)), -1) + 1e-6
        mixing = mixing / (mixing.sum(-2, keepdim=True) + 1e-6)
        for _ in range(self.times):
            for axis in (-1, -2):
                mixing = mixing / (mixing.sum(axis, keepdim=True) + 1e-6)
        reading = torch.sigmoid(read) + 1e-6
        return torch.sigmoid(write) * 2, mixing, (x * reading[..., None]).sum(2)


class Hyper(nn.Module):
    """A network that reads a sum of streams, and writes to all of them."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.streams = Mixing(s) if o["mixed"] else StreamReading(s)
        self.network = FeedForward(s, o)

    def forward(self, x: Tensor) -> Tensor:
        """Read, compute, write beside what is kept, mixed or not."""
        if isinstance(self.streams, StreamReading):
            writing, read = self.streams(x)
            return writing[..., None] * self.network(read)[:, :, None] + x
        writing, mixing, read = self.streams(x)
        return writing[..., None] * self.network(read)[:, :, None] + mixing.mT @ x


CASES: Mapping[str, tuple[Case, ...]] = {
    "low_rank_residual": (Case(
        "two nn.Linear", LowRank, uses=lambda o: counted(fused_norm="B*T*d" * o["normed"])),),
    "alternating_updates": (Case("sums of streams around two nn.Linear", Alternating),),
    "hyper_connections": (Case("sums and products of streams around two nn.Linear", Hyper),),
}  # fmt: skip
