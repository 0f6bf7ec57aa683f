"""Decoders once more, with experts and without, written in PyTorch as users of it write them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it

from symledger.checks.torch.artefacts import Uses
from symledger.checks.torch.case import Case
from symledger.checks.torch.modules.attention import Attention
from symledger.checks.torch.modules.blocks import Block
from symledger.checks.torch.modules.embeddings import Head, Positions, Sinusoids
from symledger.checks.torch.modules.feed_forward import Mixture
from symledger.checks.torch.modules.norms import norm
from symledger.checks.torch.parts import Options, Sizes, dropout, recomputed
from symledger.checks.torch.uses import counted, in_layers

PREFILL = {"head": "lm", "cached": False}
"""The choices under which a decoder is written with torch.nn: all tokens at once, logits of all."""


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


class MixtureBlock(nn.Module):
    """A block with a mixture of experts in place of its feed-forward network."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.norm_1, self.norm_2 = norm(s, o), norm(s, o)
        self.attention, self.feed_forward = Attention(s, o), Mixture(s, o)

    def forward(self, x: Tensor, slots: Tensor) -> Tensor:
        """Attend, then mix, each beside a residual path."""
        x = x + self.attention(self.norm_1(x))
        return x + self.feed_forward(self.norm_2(x), slots)


class Mixtral(nn.Module):
    """A decoder of such blocks."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(s["V"], s["d"])
        self.block = nn.ModuleList(MixtureBlock(s, o) for _ in range(s["L"]))
        self.recompute = o["recompute"]
        self.final_norm = norm(s, o)
        self.head = None if o["tied"] else Head(s)

    def forward(self, tokens: Tensor, slots: Tensor) -> Tensor:
        """Return the logits."""
        x = self.token_embedding(tokens)
        for block, given in zip(self.block, slots, strict=True):
            sent = partial(block, slots=given)  # the choice is no input of what is run again
            x = recomputed(sent, x) if self.recompute else sent(x)
        x = self.final_norm(x)
        return self.head(x) if self.head else F.linear(x, self.token_embedding.weight)


def in_decoder(o: Options) -> Uses:
    """What occurs in a decoder."""
    around = counted(
        fused_norm="B*T*d" * (o["norm"] == "rms"), noise="B*T*d" * bool(o.get("dropout"))
    )
    return in_layers(o, around)


def _family(given: Mapping[str, Any] | None = None, **fixed: Any) -> Case:
    """A decoder with some choices that its family makes."""
    return Case(
        "the model written with torch.nn",
        lambda s, o: Decoder(s, _chosen(fixed, o)),
        uses=lambda o: in_decoder({**fixed, **o}),
        equal={"S": "T", "d_k": "d_h", "d_v": "d_h", **({} if fixed["gated"] else {"h_kv": "h"})},
        given={**PREFILL, **(given or {})},
    )


def _chosen(fixed: Options, o: Options) -> Options:
    chosen = {**fixed, **o}
    if o.get("composed"):
        chosen["activation"] = "gelu_new"
    return {**chosen, "rotary": chosen["positions"] == "rotary"}


CASES: Mapping[str, tuple[Case, ...]] = {
    "mini_gpt": (_family(norm="rms", activation="gelu", gated=False, causal=True),),
    "gpt2": (_family(norm="layer", activation="gelu_tanh", gated=False, causal=True,
                     positions="learned"),),
    "llama": (_family({"attention_bias": False, "mlp_bias": False}, norm="rms", activation="silu",
                      gated=True, causal=True, bias=False, positions="rotary"),),
    "mixtral": (Case("the model written with torch.nn", lambda s, o: Mixtral(s, {
        **o, "norm": "rms", "gated": True, "bias": False, "causal": True,
        "rotary": True}), uses=lambda o: in_decoder({**o, "norm": "rms"}),
        equal={"S": "T", "d_k": "d_h", "d_v": "d_h"}, given={**PREFILL, "windows": "none"}),),
}  # fmt: skip
