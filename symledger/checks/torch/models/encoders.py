"""Encoders once more, written in PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from symledger.checks.torch.artefacts import Uses
from symledger.checks.torch.case import Case
from symledger.checks.torch.modules.blocks import Block
from symledger.checks.torch.modules.embeddings import Positions
from symledger.checks.torch.modules.heads_and_losses import MaskedHead, Pooler
from symledger.checks.torch.parts import ACTIVATIONS, EPSILON, Options, Sizes, dropout, recomputed
from symledger.checks.torch.uses import counted, in_layers, summed


class Encoder(nn.Module):
    """An encoder like BERT's, its tables maybe narrower, with the head that is chosen."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        back = o.get("causal", False) and o["head"] != "sequences"
        choices = {**o, "norm": "layer", "gated": False, "bias": True, "causal": back}
        table = {**s, "d": s["d_e"] if o["narrow"] else s["d"]}
        self.token_embedding = nn.Embedding(s["V"], table["d"])
        if o["segments"]:
            self.segment_embedding = nn.Embedding(s["V_seg"], table["d"])
        self.positions = Positions(table)
        self.first = o["first"]
        self.embedding_norm = nn.LayerNorm(table["d"], eps=EPSILON)
        self.drop = dropout(o)
        self.projection = nn.Linear(s["d_e"], s["d"]) if o["narrow"] else nn.Identity()
        self.block = nn.ModuleList(Block(s, choices, False) for _ in range(s["L"]))
        self.recompute, self.head, self.pools = o["recompute"], o["head"], o["pooler"]
        if self.head in ("sequences", "pretraining") or (self.head == "bare" and self.pools):
            self.pooler = Pooler(s, {"activation": o["pooled_by"]})
        if self.head in ("masked", "pretraining"):
            self.masked_head = MaskedHead(s, o, o.get("tied", True), table["d"])
            if o["spares"] and not o["tied"]:
                self.b_idle = nn.Parameter(torch.zeros(s["V"]))
        if self.head == "pretraining":
            self.next_head = nn.Linear(s["d"], o.get("relations", 2))
        if self.head in ("sequences", "tokens"):
            self.classifier = nn.Linear(s["d"], s["Y"])

    def forward(
        self, tokens: Tensor, segments: Tensor | None = None
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Return what the head gives."""
        x = self.token_embedding(tokens)
        x = x if segments is None else x + self.segment_embedding(segments)
        x = x + self.positions.weight[self.first : self.first + x.shape[1]]
        x = self.projection(self.drop(self.embedding_norm(x)))
        for block in self.block:
            x = recomputed(block, x) if self.recompute else block(x)
        if self.head == "pretraining":
            pooled = self.pooler(x)
            return self.masked_head(x, self.token_embedding.weight), self.next_head(pooled)
        if self.head == "masked":
            return self.masked_head(x, self.token_embedding.weight)
        if self.head == "bare":
            return (x, self.pooler(x)) if self.pools else x
        return self.classifier(self.drop(self.pooler(x) if self.head == "sequences" else x))


class Electra(Encoder):
    """An encoder that tells which tokens were replaced, or one with another head."""

    def __init__(self, s: Sizes, o: Options) -> None:
        found = o["head"] == "pretraining"
        super().__init__(s, {**o, "head": "bare"} if found else o)
        if found:
            self.act = ACTIVATIONS[o["activation"]]
            self.replaced_map = nn.Linear(s["d"], s["d"])
            self.replaced_head = nn.Linear(s["d"], 1)

    def forward(self, *inputs: Tensor) -> Tensor | tuple[Tensor, ...]:
        """Return what the head gives."""
        x = super().forward(*inputs)
        if not hasattr(self, "act"):
            return x
        return self.replaced_head(self.act(self.replaced_map(x)))[..., 0]


class Group(nn.Module):
    """Layers that are applied one after the other, again and again."""

    def __init__(self, layers: list[nn.Module], times: int, recompute: bool) -> None:
        super().__init__()
        self.group = nn.Module()
        self.group.layer = nn.ModuleList(layers)
        self.times, self.recompute = times, recompute

    def through(self, x: Tensor) -> Tensor:
        """Apply all layers once."""
        for layer in self.group.layer:
            x = layer(x)
        return x

    def forward(self, x: Tensor) -> Tensor:
        """Apply them as often as is said."""
        for _ in range(self.times):
            x = recomputed(self.through, x) if self.recompute else self.through(x)
        return x


class Albert(Encoder):
    """An encoder whose layers share weights, in groups."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__({**s, "L": 0}, {**o, "relations": s["Y"]})
        choices = {**o, "norm": "layer", "gated": False, "bias": True}
        self.groups = nn.ModuleList(
            Group([Block(s, choices, False) for _ in range(s["L_in"])], s["L"] // s["L_g"],
                  o["recompute"])
            for _ in range(s["L_g"])
        )  # fmt: skip
        del self.block
        self.block = self.groups
        self.recompute = False


def in_encoder(o: Options) -> Uses:
    """What occurs in BERT's encoder and in what stands on it."""
    classified = {"sequences": "B*d", "tokens": "B*T*d"}.get(o["head"], "")
    noise = summed(f"B*T*{'d_e' if o['narrow'] else 'd'}", classified)
    return in_layers(
        {**o, "norm": "layer"}, counted(noise=noise * bool(o["dropout"])), o.get("times", "L")
    )


def _encoders(
    kind: Callable[[Sizes, Options], nn.Module] = Encoder,
    equal: Mapping[str, str] | None = None, given: Options | None = None, **fixed: Any,
) -> tuple[Case, ...]:  # fmt: skip
    """An encoder like BERT's, with what its family chooses."""
    alike = {"S": "T", "h_kv": "h", "d_k": "d_h", "d_v": "d_h", **(equal or {})}
    usual = {"narrow": False, "segments": True, "first": 0, "pooler": True, "pooled_by": "tanh",
             "spares": True}  # fmt: skip
    return (Case("the model written with torch.nn",
                 lambda s, o: kind(s, {**usual, **fixed, **o}),
                 uses=lambda o: in_encoder({**usual, **fixed, **o}),
                 given=given or {}, equal=alike),)  # fmt: skip


WHOLE: Options = {"cached": False}
"""What is written in PyTorch of an encoder that may be a decoder: no step of decoding."""

CASES: Mapping[str, tuple[Case, ...]] = {
    **dict.fromkeys(("bert", "bert_pretraining"), _encoders(given=WHOLE)),
    "bert_classifier": _encoders(),
    "roberta": _encoders(equal={"T_max": "2*T"}, given=WHOLE, first=2),
    "albert": _encoders(Albert, {"L": "2*L_g"}, narrow=True, times="L*L_in"),
    "electra": _encoders(Electra, given=WHOLE, pooler=False, pooled_by="gelu", spares=False),
    "distilbert": _encoders(segments=False, pooler=False, pooled_by="relu", spares=False),
}  # fmt: skip
