"""The components and models once more, written in PyTorch as PyTorch's users write them.

Nothing here knows a formula or a program of ours. ``s`` holds sizes, ``o`` choices, by name.
Tables (rotary angles, causal masks) are buffers: they are computed, not activations.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it
from torch.utils.checkpoint import checkpoint, set_checkpoint_early_stop

Sizes = Mapping[str, int]
Options = Mapping[str, Any]

EPSILON = 1e-5
ACTIVATIONS: Mapping[str, Any] = {
    "relu": F.relu, "gelu": F.gelu, "silu": F.silu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "gelu_new": lambda x: x * 0.5 * (
        torch.tanh((x + torch.pow(x, 3) * 0.044715) * math.sqrt(2 / math.pi)) + 1
    ),
}  # fmt: skip


class Function(nn.Module):
    """A function without weights, as a module."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor) -> Tensor:
        """Apply the function."""
        return self.function(*inputs)


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

    def __init__(self, length: int, width: int) -> None:
        super().__init__()
        i = torch.arange(width // 2).double()
        turn = torch.arange(length).double()[:, None, None] / 10000 ** (2 * i / width)
        self.register_buffer("cos", turn.cos())
        self.register_buffer("sin", turn.sin())

    def forward(self, x: Tensor) -> Tensor:
        """Turn."""
        a, b = x.chunk(2, -1)
        return torch.cat((a * self.cos - b * self.sin, a * self.sin + b * self.cos), -1)


class DotProduct(nn.Module):
    """Scaled dot-product attention of heads, eager or by PyTorch's fused function."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.causal, self.flash = o.get("causal", False), o.get("flash", False)
        hidden = torch.full((s["T"], s["S"]), -torch.inf).triu(1 + s["S"] - s["T"])
        self.register_buffer("mask", hidden)

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Mix the values; query heads share key/value heads in groups."""
        if self.flash:
            q, k, v = (x.transpose(1, 2) for x in (q, k, v))
            z = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal, enable_gqa=True)
            return z.transpose(1, 2)
        grouped = q.unflatten(2, (k.shape[2], -1))
        scores = torch.einsum("btgrk,bsgk->bgrts", grouped, k) / q.shape[-1] ** 0.5
        a = F.softmax(scores + self.mask if self.causal else scores, -1)
        z = torch.einsum("bgrts,bsgv->bgrtv", a, v)
        return z.permute(0, 3, 1, 2, 4).flatten(2, 3)


class Attention(nn.Module):
    """Affine maps to queries, keys and values, and back."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        bias, self.widths = o.get("bias", False), (s["d_k"], s["d_v"])
        self.Q = nn.Linear(s["d"], s["h"] * s["d_k"], bias)
        self.K = nn.Linear(s["d"], s["h_kv"] * s["d_k"], bias)
        self.V = nn.Linear(s["d"], s["h_kv"] * s["d_v"], bias)
        self.O = nn.Linear(s["h"] * s["d_v"], s["d"], bias)
        rotary = o.get("rotary", False)
        self.turn_q = Rotary(s["T"], s["d_k"]) if rotary else nn.Identity()
        self.turn_k = Rotary(s["S"], s["d_k"]) if rotary else nn.Identity()
        self.core = DotProduct(s, o)

    def forward(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        """Attend to x itself or to a memory."""
        source, (d_k, d_v) = x if memory is None else memory, self.widths
        q = self.turn_q(self.Q(x).unflatten(-1, (-1, d_k)))
        k = self.turn_k(self.K(source).unflatten(-1, (-1, d_k)))
        return self.O(self.core(q, k, self.V(source).unflatten(-1, (-1, d_v))).flatten(-2))


class MultiheadAttention(nn.MultiheadAttention):
    """PyTorch's own, of a sequence to itself."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__(s["d"], s["h"], bias=o["bias"], batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        """Attend, by the fused function."""
        return super().forward(x, x, x, need_weights=False)[0]


class FeedForward(nn.Module):
    """Widen, act, return."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.act = ACTIVATIONS[o["activation"]]
        self.add_module("1", nn.Linear(s["d"], s["d_ff"], o["bias"]))
        self.add_module("2", nn.Linear(s["d_ff"], s["d"], o["bias"]))

    def forward(self, x: Tensor) -> Tensor:
        """Apply both maps."""
        hidden = self.act(self.get_submodule("1")(x))
        return self.get_submodule("2")(hidden)


class GatedFeedForward(nn.Module):
    """Widen twice, multiply, return."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.act = ACTIVATIONS[o["activation"]]
        self.gate, self.up = (nn.Linear(s["d"], s["d_ff"], o["bias"]) for _ in range(2))
        self.down = nn.Linear(s["d_ff"], s["d"], o["bias"])

    def forward(self, x: Tensor) -> Tensor:
        """Apply all three maps."""
        return self.down(self.act(self.gate(x)) * self.up(x))


def norm(s: Sizes, o: Options) -> nn.Module:
    """Return a norm of the kind that is chosen."""
    if o["norm"] == "layer":
        return nn.LayerNorm(s["d"], eps=EPSILON, bias=o.get("norm_bias", True))
    return (ComposedRMSNorm if o["norm"] == "rms_composed" else nn.RMSNorm)(s["d"], eps=EPSILON)


class ComposedRMSNorm(nn.RMSNorm):
    """The RMS norm operation by operation, as handwritten implementations have it."""

    def forward(self, x: Tensor) -> Tensor:
        """Divide by the root mean square, then scale."""
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps))


class Block(nn.Module):
    """A transformer block, its norms before (pre) or after each part."""

    def __init__(self, s: Sizes, o: Options, pre: bool = True) -> None:
        super().__init__()
        self.pre = pre
        self.norm_1, self.norm_2 = norm(s, o), norm(s, o)
        self.attention = Attention(s, o)
        self.feed_forward = (GatedFeedForward if o["gated"] else FeedForward)(s, o)

    def forward(self, x: Tensor) -> Tensor:
        """Attend, then feed forward, each beside a residual path."""
        if self.pre:
            x = x + self.attention(self.norm_1(x))
            return x + self.feed_forward(self.norm_2(x))
        x = self.norm_1(x + self.attention(x))
        return self.norm_2(x + self.feed_forward(x))


def recomputed(block: nn.Module, x: Tensor) -> Tensor:
    """Apply a block that keeps x alone; all of it is run again, to its last product."""
    with set_checkpoint_early_stop(False):
        made: Tensor = checkpoint(block, x, use_reentrant=False)
    return made


class Checkpointed(nn.Module):
    """A pre-norm block that is recomputed."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.block = Block(s, o)

    def forward(self, x: Tensor) -> Tensor:
        """Apply the block."""
        return recomputed(self.block, x)


class Tied(nn.Module):
    """One table, used for embedding and head."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(s["V"], s["d"])

    def forward(self, tokens: Tensor) -> Tensor:
        """Embed and score."""
        return F.linear(self.token_embedding(tokens), self.token_embedding.weight)


class Decoder(nn.Module):
    """A decoder-only model: embedding, positions, L blocks, a norm, a head."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(s["V"], s["d"])
        kind = o["positions"]
        other = Sinusoids(s) if kind == "sinusoidal" else nn.Identity()
        self.positions = Positions(s) if kind == "learned" else other
        self.block = nn.ModuleList(Block(s, o) for _ in range(s["L"]))
        self.recompute = o.get("recompute", False)
        self.final_norm = norm(s, o)
        self.head = None if o["tied"] else Head(s)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the logits."""
        x = self.positions(self.token_embedding(tokens))
        for block in self.block:
            x = recomputed(block, x) if self.recompute else block(x)
        x = self.final_norm(x)
        return self.head(x) if self.head else F.linear(x, self.token_embedding.weight)
