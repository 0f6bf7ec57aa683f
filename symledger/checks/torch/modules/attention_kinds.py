"""Attention inside chunks, by differences and to told distances, once more in PyTorch."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it

from symledger.checks.torch.case import Case
from symledger.checks.torch.modules.attention import DotProduct
from symledger.checks.torch.parts import EPSILON, Options, Sizes, causal_mask


class Chunked(DotProduct):
    """Attention inside chunks of w positions."""

    def __init__(self, s: Sizes, o: Options) -> None:
        chunk = torch.arange(s["T"]) // s["Q"]
        other = torch.where(chunk[:, None] == chunk, 0.0, -torch.inf).double()
        super().__init__(s, o, other + causal_mask(s["T"], s["T"]))


class ContentRelative(nn.Module):
    """Attention whose queries say how much each distance counts."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.core = DotProduct(s, {**o, "causal": True})
        self.R = nn.Parameter(torch.randn(s["n_r"], s["d_rel"]))
        far = torch.arange(s["T"])[:, None] - torch.arange(s["S"]) + s["S"] - s["T"]
        self.register_buffer("rows", torch.arange(s["T"])[:, None])
        self.register_buffer("far", far.clamp(0, s["n_r"] - 1))
        self.register_buffer("reached", ((far >= 0) & (far < s["n_r"])).double())

    def forward(self, q: Tensor, k: Tensor, v: Tensor, r: Tensor) -> Tensor:
        """Make the profile of each query, pick its number for each key, mix the values."""
        profile = torch.einsum("bthe,ne->bhtn", r, self.R)
        return self.core(q, k, v, profile[:, :, self.rows, self.far] * self.reached)


class Differential(nn.Module):
    """Heads in pairs, of one of which a learned share of the other is taken away."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        hidden = causal_mask(s["T"], s["S"]) if o["causal"] else torch.zeros(s["T"], s["S"])
        self.register_buffer("hidden", hidden.double())
        for name in ("q1", "k1", "q2", "k2"):
            setattr(self, f"λ_{name}", nn.Parameter(torch.randn(s["d_k"])))

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Mix both halves of the values, take away, normalize."""
        B, T, h, _ = q.shape
        groups = q.unflatten(2, (k.shape[2], -1)).permute(0, 2, 3, 1, 4).flatten(2, 3)
        keys = k.permute(0, 2, 1, 3).contiguous()
        mixed = [self.mixed(groups, keys, x.repeat(1, 1, 2, 1), T) for x in v.chunk(2, 2)]
        first, second = torch.cat([x.view(B, h, T, -1) for x in mixed], -1).chunk(2, 1)
        λ = {name: getattr(self, f"λ_{name}") for name in ("q1", "k1", "q2", "k2")}
        share = (λ["q1"] * λ["k1"]).sum().exp() - (λ["q2"] * λ["k2"]).sum().exp() + 0.8
        less = first - share * second
        y = 0.2 * F.rms_norm(less, less.shape[-1:], eps=EPSILON)
        return y.transpose(1, 2).reshape(B, T, h, -1)

    def mixed(self, q: Tensor, k: Tensor, v: Tensor, T: int) -> Tensor:
        """Return what heads, which lie below each other in groups, mix of the values."""
        scores = q @ k.transpose(2, 3) / q.shape[-1] ** 0.5
        a = F.softmax(scores.unflatten(2, (-1, T)) + self.hidden, -1)
        return a.flatten(2, 3) @ v.permute(0, 2, 1, 3)


CASES: Mapping[str, tuple[Case, ...]] = {
    "chunk_attention": (Case("torch.einsum and F.softmax", Chunked, equal={"S": "T"}),),
    "content_relative_attention": (Case("torch.einsum and indexing", ContentRelative),),
    "differential_attention": (Case("torch.matmul and F.softmax", Differential,
                                    equal={"h_kv": "2*G", "h": "4*G"}),),
}  # fmt: skip
