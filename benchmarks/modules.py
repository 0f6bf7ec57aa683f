"""Modules that counters are asked about, beside the examples: each has one thing that is common."""

import torch
from torch import nn


class Encoder(nn.Module):
    """PyTorch's own encoder layers."""

    def __init__(self, d_model=64, nhead=4, num_layers=2):
        super().__init__()
        layer = nn.TransformerEncoderLayer(d_model, nhead, 4 * d_model, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers)

    def forward(self, x):
        return self.encoder(x)


class Shared(nn.Module):
    """One layer that is run several times, as ALBERT's, and a table that is the head, too."""

    def __init__(self, vocab_size=512, d_model=64, times=4):
        super().__init__()
        self.times = times
        self.embed = nn.Embedding(vocab_size, d_model)
        self.layer = nn.Sequential(nn.LayerNorm(d_model), nn.Linear(d_model, d_model), nn.GELU())
        self.head = nn.Linear(d_model, vocab_size, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, ids):
        x = self.embed(ids)
        for _ in range(self.times):
            x = x + self.layer(x)
        return self.head(x)


class Adapted(nn.Module):
    """A frozen map, and a product of two thin ones beside it that are plain parameters."""

    def __init__(self, d_model=64, r=8):
        super().__init__()
        self.base = nn.Linear(d_model, d_model)
        self.base.requires_grad_(False)
        self.down = nn.Parameter(torch.zeros(r, d_model))
        self.up = nn.Parameter(torch.zeros(d_model, r))

    def forward(self, x):
        return self.base(x) + torch.einsum("btr,dr->btd", x @ self.down.T, self.up)


class Stepped(nn.Module):
    """A cell that is run over time in a loop."""

    def __init__(self, d_model=64, hidden=64):
        super().__init__()
        self.cell, self.out = nn.GRUCell(d_model, hidden), nn.Linear(hidden, d_model)

    def forward(self, x):
        h = x.new_zeros(x.shape[0], self.cell.hidden_size)
        shown = []
        for t in range(x.shape[1]):
            h = self.cell(x[:, t], h)
            shown.append(h)
        return self.out(torch.stack(shown, 1))
