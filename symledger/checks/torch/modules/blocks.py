"""Transformer blocks once more, written in PyTorch as PyTorch's users write them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it

from symledger.checks.torch.case import Case
from symledger.checks.torch.modules.attention import HEADS, Attention
from symledger.checks.torch.modules.feed_forward import FeedForward, GatedFeedForward
from symledger.checks.torch.modules.norms import norm
from symledger.checks.torch.names import layer_names
from symledger.checks.torch.parts import EPSILON, Options, Sizes, dropout, recomputed
from symledger.checks.torch.uses import in_block, in_recomputed


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


class Modulation(nn.Module):
    """Several vectors from one condition."""

    def __init__(self, d: int, number: int) -> None:
        super().__init__()
        self.number, self.map = number, nn.Linear(d, number * d)

    def forward(self, c: Tensor) -> tuple[Tensor, ...]:
        """Return the vectors, each beside a sequence."""
        return self.map(F.silu(c))[:, None].chunk(self.number, -1)


class Conditioned(nn.Module):
    """A transformer block whose norms a condition scales and shifts."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        d = s["d"]
        self.modulation = Modulation(d, 6)
        own = {**s, "h_kv": s["h"], "d_k": s["d_h"], "d_v": s["d_h"], "S": s["T"]}
        self.attention = Attention(own, {"bias": True})
        self.feed_forward = FeedForward(s, {"activation": "gelu_tanh", "bias": True})
        self.norm = nn.LayerNorm(d, EPSILON, elementwise_affine=False)

    def forward(self, x: Tensor, c: Tensor) -> Tensor:
        """Attend, then feed forward."""
        shift_1, scale_1, gate_1, shift_2, scale_2, gate_2 = self.modulation(c)
        x = x + gate_1 * self.attention(self.norm(x) * (scale_1 + 1) + shift_1)
        return x + gate_2 * self.feed_forward(self.norm(x) * (scale_2 + 1) + shift_2)


class Step(nn.Module):
    """A step of a diffusion as a vector."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        half = s["d_f"] // 2
        rates = 10000.0 ** (-torch.arange(half).double() / half)
        self.register_buffer("rates", rates)
        self.add_module("1", nn.Linear(s["d_f"], s["d"]))
        self.add_module("2", nn.Linear(s["d"], s["d"]))

    def forward(self, step: Tensor) -> Tensor:
        """Map its sines and cosines."""
        turned = step[:, None] * self.rates
        waves = torch.cat((turned.cos(), turned.sin()), -1)
        return self.get_submodule("2")(F.silu(self.get_submodule("1")(waves)))


def _blocks(pre: bool) -> tuple[Case, ...]:
    return (
        Case("the block written with torch.nn", lambda s, o: Block(s, o, pre),
             uses=in_block, equal={"d_v": "d_k", "S": "T"}),
        Case("nn.TransformerEncoderLayer", lambda s, o: nn.TransformerEncoderLayer(
            s["d"], s["h"], s["d_ff"], 0.0, F.gelu, batch_first=True, norm_first=pre),
            lambda s, o: layer_names("", ""), in_block, HEADS, {"flash": True, "causal": False}),
    )  # fmt: skip


def _arranged(
    kind: Callable[[Sizes, Options], nn.Module], norms: Callable[[Options], int]
) -> tuple[Case, ...]:
    """A block whose parts and norms stand otherwise, with so many norms."""
    return (
        Case("the block written with torch.nn", kind, uses=lambda o: in_block(o, norms=norms(o)),
             equal={"d_v": "d_k", "S": "T"}),
    )  # fmt: skip


CASES: Mapping[str, tuple[Case, ...]] = {
    "pre_ln_block": _blocks(pre=True),
    "post_ln_block": _blocks(pre=False),
    "parallel_block": _arranged(Parallel, lambda o: 1 + o["two_norms"]),
    "sandwich_block": _arranged(Sandwich, lambda o: 4),
    "reordered_block": _arranged(Reordered, lambda o: 2),
    "checkpointed_block": (Case(
        "the block written with torch.nn, under torch.utils.checkpoint", Checkpointed,
        uses=in_recomputed, equal={"d_v": "d_k", "S": "T"}),),
    "conditioned_block": (Case("the block written with torch.nn", Conditioned,
                               given={"flash": False}),),
    "step_embedding": (Case("the embedding written with torch.nn", Step),),
}  # fmt: skip
