"""A small decoder with a gated network whose width is rounded: the file of the lesson."""

from torch import nn
from torch.nn import functional as F


class Layer(nn.Module):
    def __init__(self, dim, heads, multiple):
        super().__init__()
        width = multiple * ((8 * dim // 3 + multiple - 1) // multiple)
        self.heads = heads
        self.norm_1, self.norm_2 = nn.RMSNorm(dim), nn.RMSNorm(dim)
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.gate, self.up = nn.Linear(dim, width), nn.Linear(dim, width)
        self.down = nn.Linear(width, dim)

    def forward(self, x):
        q, k, v = (
            y.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for y in self.qkv(self.norm_1(x)).chunk(3, dim=-1)
        )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).flatten(2))
        y = self.norm_2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Decoder(nn.Module):
    def __init__(self, vocab=32000, dim=512, depth=6, heads=8, multiple=64, pad=0):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=pad)
        self.layers = nn.ModuleList(Layer(dim, heads, multiple) for _ in range(depth))
        self.norm, self.head = nn.RMSNorm(dim), nn.Linear(dim, vocab, bias=False)

    def forward(self, ids):
        x = self.embed(ids)
        for layer in self.layers:
            x = layer(x)
        return F.cross_entropy(self.head(self.norm(x[:, :-1])).flatten(0, 1), ids[:, 1:].flatten())
