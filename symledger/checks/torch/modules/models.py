"""Blocks and models once more, written in PyTorch as PyTorch's users write them."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it

from symledger.checks.torch.modules.attention import Attention
from symledger.checks.torch.parts import (
    ACTIVATIONS,
    EPSILON,
    Head,
    Options,
    Positions,
    Sinusoids,
    Sizes,
    dropout,
    recomputed,
)


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
