"""The components and models once more, written in PyTorch as PyTorch's users write them.

Nothing here knows a formula or a program of ours. ``s`` holds sizes, ``o`` choices, by name.
Tables (rotary angles, causal masks) are buffers: they are computed, not activations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it
from torch.utils.checkpoint import checkpoint, set_checkpoint_early_stop

Sizes = Mapping[str, int]
Options = Mapping[str, Any]

EPSILON = 1e-5
ACTIVATIONS: Mapping[str, Any] = {
    "relu": F.relu, "gelu": F.gelu, "silu": F.silu, "tanh": torch.tanh, "sigmoid": torch.sigmoid,
    "log_sigmoid": F.logsigmoid,
    "hardsigmoid": lambda x: F.relu6(x + 3) / 6,  # F.hardsigmoid has 1/6 in single precision
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "quick_gelu": lambda x: x * torch.sigmoid(x * 1.702),
    "gelu_new": lambda x: x * 0.5 * (
        torch.tanh((x + torch.pow(x, 3) * 0.044715) * math.sqrt(2 / math.pi)) + 1
    ),
}  # fmt: skip


def dropout(o: Options, name: str = "dropout") -> nn.Dropout:
    """Noise, where the option asks for it; none otherwise."""
    return nn.Dropout(0.1 if o.get(name) else 0.0)


def causal_mask(T: int, S: int) -> Tensor:
    """Zeros where a query may see a key, the last query all of them; −∞ elsewhere."""
    return torch.full((T, S), -torch.inf).triu(1 + S - T)


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


class DotProduct(nn.Module):
    """Scaled dot-product attention of heads, eager or by PyTorch's fused function.

    ``bias`` is a table that is added to the scores of every head, ``hidden`` one to all of them.
    Keys and values may be repeated for the query heads that share them.
    """

    def __init__(self, s: Sizes, o: Options, hidden: Tensor | None = None) -> None:
        super().__init__()
        self.flash, self.drop = o.get("flash", False), dropout(o)
        self.repeated, self.capped = o.get("repeated", False), o.get("capped", False)
        self.scaled = o.get("scaled", True)
        self.sinks = nn.Parameter(torch.randn(s["h"])) if o.get("sinks") else None
        if hidden is None and o.get("causal"):
            hidden = causal_mask(s["T"], s["S"])
        self.register_buffer("hidden", hidden)

    def forward(self, q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None = None) -> Tensor:
        """Mix the values; query heads share key/value heads in groups."""
        if self.flash:
            q, k, v = (x.transpose(1, 2) for x in (q, k, v))
            z = F.scaled_dot_product_attention(q, k, v, self.hidden, enable_gqa=True)
            return z.transpose(1, 2)
        if self.repeated:
            k, v = (x.repeat_interleave(q.shape[2] // k.shape[2], 2) for x in (k, v))
        grouped = q.unflatten(2, (k.shape[2], -1))
        scores = torch.einsum("btgrk,bsgk->bgrts", grouped, k)
        scores = scores / q.shape[-1] ** 0.5 if self.scaled else scores
        if self.capped:
            scores = torch.tanh(scores / 50) * 50
        if bias is not None:
            scores = scores + bias.unflatten(0, (k.shape[2], -1))
        a = self.shares(scores if self.hidden is None else scores + self.hidden)
        z = torch.einsum("bgrts,bsgv->bgrtv", self.drop(a), v)
        return z.permute(0, 3, 1, 2, 4).flatten(2, 3)

    def shares(self, scores: Tensor) -> Tensor:
        """Apply softmax; a learned score of each head takes its share away."""
        if self.sinks is None:
            return F.softmax(scores, -1)
        sinks = self.sinks.unflatten(0, scores.shape[1:3])[:, :, None, None]
        beside = sinks.expand(scores.shape[0], -1, -1, scores.shape[3], -1)
        return F.softmax(torch.cat((scores, beside), -1), -1)[..., :-1]


class Window(DotProduct):
    """Attention to the last w positions."""

    def __init__(self, s: Sizes, o: Options) -> None:
        early = torch.full((s["T"], s["T"]), -torch.inf).tril(-s["w"])
        super().__init__(s, o, early + causal_mask(s["T"], s["T"]))


class ALiBi(DotProduct):
    """Attention whose scores fall with the distance, in every head at its own rate."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__(s, {**o, "causal": True})
        rates = 2.0 ** (-8 * torch.arange(1, s["h"] + 1).double() / s["h"])
        behind = torch.arange(s["S"]) - torch.arange(s["T"])[:, None] + s["T"] - s["S"]
        self.register_buffer("falling", rates[:, None, None] * behind)

    def forward(self, q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None = None) -> Tensor:
        """Mix the values."""
        return super().forward(q, k, v, self.falling)


class Relative(nn.Module):
    """Attention with a learned bias for each head and each bucket of distances."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.core = DotProduct(s, o)
        self.R = nn.Parameter(torch.randn(s["n_b"], s["h"]))

    def forward(self, q: Tensor, k: Tensor, v: Tensor, bucket: Tensor) -> Tensor:
        """Mix the values."""
        return self.core(q, k, v, F.embedding(bucket, self.R).permute(2, 0, 1))


class Attention(nn.Module):
    """Affine maps to queries, keys and values, and back; past keys and values may come first."""

    def __init__(self, s: Sizes, o: Options, past: int = 0) -> None:
        super().__init__()
        bias, self.widths = o.get("bias", False), (s["d_k"], s["d_v"])
        self.Q = nn.Linear(s["d"], s["h"] * s["d_k"], bias)
        self.K = nn.Linear(s["d"], s["h_kv"] * s["d_k"], bias)
        self.V = nn.Linear(s["d"], s["h_kv"] * s["d_v"], bias)
        self.O = nn.Linear(s["h"] * s["d_v"], s["d"], bias)
        rotary, new = o.get("rotary", False), s["T"] if past else s["S"]
        self.turn_q = Rotary(s["T"], s["d_k"], past) if rotary else nn.Identity()
        self.turn_k = Rotary(new, s["d_k"], past) if rotary else nn.Identity()
        self.core = DotProduct(s, o)

    def forward(self, x: Tensor, *others: Tensor) -> Tensor:
        """Attend to x itself or to a memory, or to past keys and values as well."""
        source, (d_k, d_v) = others[0] if len(others) == 1 else x, self.widths
        q = self.turn_q(self.Q(x).unflatten(-1, (-1, d_k)))
        k = self.turn_k(self.K(source).unflatten(-1, (-1, d_k)))
        v = self.V(source).unflatten(-1, (-1, d_v))
        if len(others) == 2:
            k, v = (torch.cat((old, new), 1) for old, new in zip(others, (k, v), strict=True))
        return self.O(self.core(q, k, v).flatten(-2))


class Cached(Attention):
    """Attention of new tokens to a cache and to themselves."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__(s, o, past=s["S"] - s["T"])


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
        self.act, self.drop = ACTIVATIONS[o["activation"]], dropout(o, "hidden_dropout")
        self.add_module("1", nn.Linear(s["d"], s["d_ff"], o["bias"]))
        self.add_module("2", nn.Linear(s["d_ff"], s["d"], o["bias"]))

    def forward(self, x: Tensor) -> Tensor:
        """Apply both maps."""
        hidden = self.act(self.get_submodule("1")(x))
        return self.get_submodule("2")(self.drop(hidden))


class GatedFeedForward(nn.Module):
    """Widen twice, multiply, return."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.act, self.drop = ACTIVATIONS[o["activation"]], dropout(o, "hidden_dropout")
        self.gate, self.up = (nn.Linear(s["d"], s["d_ff"], o["bias"]) for _ in range(2))
        self.down = nn.Linear(s["d_ff"], s["d"], o["bias"])

    def forward(self, x: Tensor) -> Tensor:
        """Apply all three maps."""
        return self.down(self.drop(self.act(self.gate(x)) * self.up(x)))


def norm(s: Sizes, o: Options) -> nn.Module:
    """Return a norm of the kind that is chosen."""
    if o["norm"] in ("layer", "layer_plain"):
        weighted = o["norm"] == "layer"
        return nn.LayerNorm(s["d"], EPSILON, weighted, o.get("norm_bias", True))
    return (ComposedRMSNorm if o["norm"] == "rms_composed" else nn.RMSNorm)(s["d"], eps=EPSILON)


class ComposedRMSNorm(nn.RMSNorm):
    """The RMS norm operation by operation, as handwritten implementations have it."""

    def forward(self, x: Tensor) -> Tensor:
        """Divide by the root mean square, then scale."""
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps))


class Parts(nn.Module):
    """What a transformer block is made of: two norms or another number of them, and two parts."""

    def __init__(self, s: Sizes, o: Options, norms: int = 2) -> None:
        super().__init__()
        for number in range(1, norms + 1):
            setattr(self, f"norm_{number}", norm(s, o))
        self.attention = Attention(s, o)
        self.feed_forward = (GatedFeedForward if o["gated"] else FeedForward)(s, o)
        self.drop = dropout(o)


class Block(Parts):
    """A transformer block, its norms before (pre) or after each part."""

    def __init__(self, s: Sizes, o: Options, pre: bool = True) -> None:
        super().__init__(s, o)
        self.pre = pre

    def forward(self, x: Tensor) -> Tensor:
        """Attend, then feed forward, each beside a residual path."""
        if self.pre:
            x = x + self.drop(self.attention(self.norm_1(x)))
            return x + self.drop(self.feed_forward(self.norm_2(x)))
        x = self.norm_1(x + self.drop(self.attention(x)))
        return self.norm_2(x + self.drop(self.feed_forward(x)))


class Parallel(Parts):
    """A transformer block whose parts read the same input, through one norm or through two."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__(s, o, 1 + o["two_norms"])

    def forward(self, x: Tensor) -> Tensor:
        """Add what both parts make of the input."""
        n = self.norm_1(x)
        attended = self.drop(self.attention(n))
        own = getattr(self, "norm_2", None)
        return x + attended + self.drop(self.feed_forward(own(x) if own else n))


class Sandwich(Parts):
    """A transformer block with norms before and after each part."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__(s, o, 4)

    def forward(self, x: Tensor) -> Tensor:
        """Attend, then feed forward, each between two norms."""
        x = x + self.norm_2(self.drop(self.attention(self.norm_1(x))))
        return x + self.norm_4(self.drop(self.feed_forward(self.norm_3(x))))


class Reordered(Parts):
    """A transformer block whose norms follow the parts, inside the residual path."""

    def forward(self, x: Tensor) -> Tensor:
        """Attend, then feed forward, each before its norm."""
        x = x + self.norm_1(self.drop(self.attention(x)))
        return x + self.norm_2(self.drop(self.feed_forward(x)))


def recomputed(part: Callable[..., Tensor], *inputs: Tensor, early: bool = False) -> Tensor:
    """Apply a part that keeps its inputs alone; all of it is run again, to its last product.

    ``early``: no further than to the last value that the backward pass needs.
    """
    with set_checkpoint_early_stop(early):
        made: Tensor = checkpoint(part, *inputs, use_reentrant=False)
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
        self.drop = dropout(o)
        self.block = nn.ModuleList(Block(s, o) for _ in range(s["L"]))
        self.recompute = o.get("recompute", False)
        self.final_norm = norm(s, o)
        self.head = None if o["tied"] else Head(s)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the logits."""
        x = self.drop(self.positions(self.token_embedding(tokens)))
        for block in self.block:
            x = recomputed(block, x) if self.recompute else block(x)
        x = self.final_norm(x)
        return self.head(x) if self.head else F.linear(x, self.token_embedding.weight)
