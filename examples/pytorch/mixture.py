"""A decoder with a mixture of experts in every layer: each token is sent to two of eight."""

import torch
from torch import nn
from torch.nn import functional as F


class Experts(nn.Module):
    def __init__(self, d_model, d_ff, num_experts, top_k):
        super().__init__()
        self.top_k = top_k
        self.gate = nn.Linear(d_model, num_experts, bias=False)
        self.w1 = nn.Parameter(torch.empty(num_experts, d_model, d_ff))
        self.w2 = nn.Parameter(torch.empty(num_experts, d_ff, d_model))

    def forward(self, x):
        rows = x.reshape(-1, x.shape[-1])
        weights, chosen = F.softmax(self.gate(rows), dim=-1).topk(self.top_k, dim=-1)
        hidden = F.silu(torch.einsum("nd,nkdf->nkf", rows, self.w1[chosen]))
        y = torch.einsum("nkf,nkfd->nkd", hidden, self.w2[chosen])
        return (y * weights[..., None]).sum(1).view_as(x)


class Layer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, num_experts, top_k):
        super().__init__()
        self.n_heads = n_heads
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.qkv, self.out = nn.Linear(d_model, 3 * d_model), nn.Linear(d_model, d_model)
        self.experts = Experts(d_model, d_ff, num_experts, top_k)

    def forward(self, x):
        B, T, d = x.shape
        q, k, v = self.qkv(self.norm_1(x)).view(B, T, 3, self.n_heads, -1).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(B, T, d))
        return x + self.experts(self.norm_2(x))


class Mixture(nn.Module):
    def __init__(self, vocab_size=32000, d_model=512, n_layers=8, n_heads=8, d_ff=1024,
                 num_experts=8, top_k=2):  # fmt: skip
        super().__init__()
        self.embed = nn.Embedding(vocab_size, d_model)
        self.layers = nn.ModuleList(
            Layer(d_model, n_heads, d_ff, num_experts, top_k) for _ in range(n_layers)
        )
        self.head = nn.Linear(d_model, vocab_size, bias=False)

    def forward(self, ids):
        x = self.embed(ids)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)
