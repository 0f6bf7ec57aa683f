"""A GPT without biases, as the states of optimizers were measured on, and a network of images."""

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, d: int, h: int) -> None:
        super().__init__()
        self.h = h
        self.q, self.k, self.v, self.o = (nn.Linear(d, d, bias=False) for _ in range(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, t, d = x.shape
        q, k, v = (m(x).view(b, t, self.h, d // self.h).transpose(1, 2)
                   for m in (self.q, self.k, self.v))  # fmt: skip
        a = torch.softmax(q @ k.transpose(-1, -2) * (d // self.h) ** -0.5, -1)
        return self.o((a @ v).transpose(1, 2).reshape(b, t, d))


class Block(nn.Module):
    def __init__(self, d: int, h: int) -> None:
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.attention = Attention(d, h)
        self.up, self.down = nn.Linear(d, 4 * d, bias=False), nn.Linear(4 * d, d, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.n1(x))
        return x + self.down(nn.functional.gelu(self.up(self.n2(x))))


class GPT(nn.Module):
    def __init__(  # as symbols are written
        self, d: int = 64, h: int = 4, L: int = 3, V: int = 256, T_max: int = 32,
    ) -> None:  # fmt: skip
        super().__init__()
        self.wte, self.wpe = nn.Embedding(V, d), nn.Embedding(T_max, d)
        self.blocks = nn.ModuleList(Block(d, h) for _ in range(L))
        self.nf, self.head = nn.LayerNorm(d), nn.Linear(d, V, bias=False)

    def forward(self, idx: torch.Tensor) -> torch.Tensor:
        x = self.wte(idx) + self.wpe(torch.arange(idx.shape[1], device=idx.device))
        for block in self.blocks:
            x = block(x)
        return self.head(self.nf(x))


class Images(nn.Module):
    def __init__(self, c: int = 6, y: int = 10) -> None:
        super().__init__()
        self.first, self.norm = nn.Conv2d(3, c, 5), nn.GroupNorm(2, c)
        self.last = nn.Linear(c, y)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.norm(self.first(x)).mean((2, 3)))
