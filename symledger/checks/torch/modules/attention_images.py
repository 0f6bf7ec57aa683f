"""Attention among the places of images once more, as PyTorch's users write it."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it

from symledger.checks.torch.case import Case
from symledger.checks.torch.modules.attention import DotProduct
from symledger.checks.torch.parts import Options, Sizes


def ways(H: int, W: int) -> Tensor:
    """Return which row of a table says how far each place lies from each other one."""
    rows = (torch.arange(H), torch.arange(W))
    down, across = (x.flatten() for x in torch.meshgrid(*rows, indexing="ij"))
    far = down[:, None] - down[None] + H - 1
    return far * (2 * W - 1) + across[:, None] - across[None] + W - 1


class Grid(nn.Module):
    """Attention with a learned bias for each head and each way between two places."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        H, W = s["H_p"], s["W_p"]
        self.core = DotProduct(s, o)
        self.R = nn.Parameter(torch.randn((2 * H - 1) * (2 * W - 1), s["h"]))
        self.register_buffer("ways", ways(H, W))

    def forward(self, q: Tensor, k: Tensor, v: Tensor, hidden: Tensor | None = None) -> Tensor:
        """Mix the values."""
        bias = F.embedding(self.ways, self.R).permute(2, 0, 1)
        return self.core(q, k, v, bias if hidden is None else bias + hidden)


class Decomposed(nn.Module):
    """Attention whose scores have a part for the rows and one for the columns between places."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.H, self.W = s["H_p"], s["W_p"]
        self.core = DotProduct(s, o)
        for name, length in (("h", self.H), ("w", self.W)):
            setattr(self, f"R_{name}", nn.Parameter(torch.randn(2 * length - 1, s["d_k"])))
            places = torch.arange(length)
            self.register_buffer(f"far_{name}", places[:, None] - places[None] + length - 1)

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Mix the values."""
        placed = q.unflatten(1, (self.H, self.W)).permute(0, 3, 1, 2, 4)
        down = torch.einsum("bhijk,iak->bhija", placed, F.embedding(self.far_h, self.R_h))
        across = torch.einsum("bhijk,jck->bhijc", placed, F.embedding(self.far_w, self.R_w))
        bias = down[..., None] + across[..., None, :]
        return self.core(q, k, v, bias.flatten(4).flatten(2, 3))


class Inside(nn.Module):
    """Maps to queries, keys and values, attention inside each window, and a map back."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        d, inner, self.width = s["d"], s["h"] * s["d_k"], s["d_k"]
        self.Q, self.K, self.V = (nn.Linear(d, inner, o["bias"]) for _ in range(3))
        self.O = nn.Linear(inner, d)
        self.core = Grid({**s, "H_p": s["M"], "W_p": s["M"]}, o)

    def forward(self, x: Tensor, hidden: Tensor | None) -> Tensor:
        """Attend."""
        q, k, v = (f(x).unflatten(-1, (-1, self.width)) for f in (self.Q, self.K, self.V))
        return self.O(self.core(q, k, v, hidden).flatten(2))


class Windows(nn.Module):
    """Attention inside windows of an image, which may be rolled before, and back."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.M, self.shift = s["M"], s["M"] // 2 if o["shifted"] else 0
        self.shifted, self.attention = o["shifted"], Inside(s, o)

    def forward(self, x: Tensor) -> Tensor:
        """Fill up, roll, cut into windows, attend, and lay them back."""
        B, H, W, d = x.shape
        M = self.M
        x = F.pad(x, (0, 0, 0, -W % M, 0, -H % M))
        rows, columns = x.shape[1] // M, x.shape[2] // M
        if self.shifted:
            x = torch.roll(x, (-self.shift, -self.shift), (1, 2))
        x = x.reshape(B, rows, M, columns, M, d).transpose(2, 3).reshape(-1, M * M, d)
        hidden = self.apart(rows, columns).repeat(B, 1, 1, 1) if self.shifted else None
        x = self.attention(x, hidden).reshape(B, rows, columns, M, M, d)
        x = x.transpose(2, 3).reshape(B, rows * M, columns * M, d)
        if self.shifted:
            x = torch.roll(x, (self.shift, self.shift), (1, 2))
        return x[:, :H, :W]

    def apart(self, rows: int, columns: int) -> Tensor:
        """Return what hides from each other places that were far off before they were rolled."""
        M, image = self.M, torch.zeros(rows * self.M, columns * self.M)
        last = -self.shift
        cuts = (slice(0, -M), slice(-M, last), slice(last, None))
        for i, down in enumerate(cuts):
            for j, across in enumerate(cuts):
                image[down, across] = 3 * i + j
        parts = image.reshape(rows, M, columns, M).transpose(1, 2).reshape(-1, 1, M * M)
        return (-100 * (parts - parts.transpose(1, 2)) ** 2)[:, None]


class Deformable(nn.Module):
    """Attention to places that queries choose, between elements that are told."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        d, inner, looks = s["d"], s["h"] * s["d_h"], s["n_lev"] * s["n_pt"]
        self.heads, self.levels = s["h"], s["n_lev"]
        self.V, self.O = nn.Linear(d, inner), nn.Linear(inner, d)
        self.offsets = nn.Linear(d, s["h"] * looks * 2)
        self.scores = nn.Linear(d, s["h"] * looks)
        self.register_buffer("batch", torch.arange(s["B"]).view(-1, 1, 1, 1, 1))
        self.register_buffer("head", torch.arange(s["h"]).view(-1, 1, 1, 1))

    def forward(
        self, x: Tensor, memory: Tensor, places: Tensor, corner: Tensor, around: Tensor
    ) -> Tensor:
        """Take values around each place, the nearer the more, and weigh what was taken."""
        v = self.V(memory).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        moved = self.offsets(x).unflatten(-1, (self.heads, self.levels, -1, 2)).transpose(1, 2)
        down, across = ((moved + places[:, None, :, :, None]).flatten(3, 4) - corner).unbind(-1)
        shares = torch.stack([(1 - down) * (1 - across), (1 - down) * across,
                              down * (1 - across), down * across], dim=-1)  # fmt: skip
        picked = v[self.batch, self.head, around]
        between = (picked * shares[..., None]).sum(-2)
        scores = self.scores(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        z = (between * F.softmax(scores, dim=-1)[..., None]).sum(-2)
        return self.O(z.transpose(1, 2).flatten(2))


CASES: Mapping[str, tuple[Case, ...]] = {
    "grid_attention": (Case("torch.einsum and F.embedding", Grid),),
    "decomposed_attention": (Case("torch.einsum and F.embedding", Decomposed),),
    "windowed_image_attention": (Case("torch.roll and four nn.Linear", Windows),),
    "deformable_attention": (Case("indexing and four nn.Linear", Deformable),),
}
