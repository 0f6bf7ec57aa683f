"""Decoders, encoders, both together, BERT and LoRA once more, written in PyTorch."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it

from symledger.checks.torch.modules.models import Block, norm
from symledger.checks.torch.modules.recurrent import seq_first
from symledger.checks.torch.parts import (
    ACTIVATIONS,
    EPSILON,
    Head,
    Options,
    Positions,
    Sizes,
    causal_mask,
    dropout,
    recomputed,
)


class DecoderLayer(nn.TransformerDecoderLayer):
    """PyTorch's own decoder layer, which sees what a mask lets through."""

    def __init__(self, s: Sizes, o: Options, pre: bool) -> None:
        super().__init__(s["d"], s["h"], s["d_ff"], 0.0, ACTIVATIONS[o["activation"]],
                         batch_first=True, norm_first=pre)  # fmt: skip
        self.causal = o["causal"]
        self.register_buffer("mask", causal_mask(s["T"], s["T"]))

    def forward(self, x: Tensor, memory: Tensor) -> Tensor:
        """Attend to x, then to the memory, then feed forward."""
        mask = self.mask if self.causal else None
        return super().forward(x, memory, mask, tgt_is_causal=self.causal)


class DecoderBlock(nn.Module):
    """A block that attends to a memory as well."""

    def __init__(self, s: Sizes, o: Options, pre: bool) -> None:
        super().__init__()
        own = Block({**s, "S": s["T"]}, o)
        other = Block(s, {**o, "causal": False, "rotary": False})
        self.pre, self.feed_forward = pre, own.feed_forward
        self.attention, self.cross_attention = own.attention, other.attention
        self.norm_1, self.norm_2, self.norm_3 = own.norm_1, own.norm_2, other.norm_1
        self.drop = dropout(o)

    def forward(self, x: Tensor, memory: Tensor) -> Tensor:
        """Attend to x, then to the memory, then feed forward, each beside a residual path."""
        if self.pre:
            x = x + self.drop(self.attention(self.norm_1(x)))
            x = x + self.drop(self.cross_attention(self.norm_2(x), memory))
            return x + self.drop(self.feed_forward(self.norm_3(x)))
        x = self.norm_1(x + self.drop(self.attention(x)))
        x = self.norm_2(x + self.drop(self.cross_attention(x, memory)))
        return self.norm_3(x + self.drop(self.feed_forward(x)))


class Stack(nn.Module):
    """Blocks of an encoder, or of a decoder that attend to a memory, and maybe a last norm."""

    def __init__(self, s: Sizes, o: Options, pre: bool, crossed: bool = False) -> None:
        super().__init__()
        choices = {**o, "norm": "layer", "gated": False, "norm_bias": o["bias"],
                   "hidden_dropout": o["dropout"]}  # fmt: skip
        kind = DecoderBlock if crossed else Block
        self.block = nn.ModuleList(kind(s, choices, pre) for _ in range(s["L"]))
        self.final_norm = nn.LayerNorm(s["d"], EPSILON) if o["final_norm"] else nn.Identity()

    def forward(self, x: Tensor, *memory: Tensor) -> Tensor:
        """Apply one after the other."""
        for block in self.block:
            x = block(x, *memory)
        return self.final_norm(x)


class EncoderDecoder(nn.Module):
    """Both stacks, each with a last norm if it is asked for."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        choices = {**o, "norm": "layer", "gated": False, "norm_bias": o["bias"]}
        seen, within = {**choices, "causal": False}, {**s, "T": s["S"]}
        self.encoder = nn.ModuleList(Block(within, seen, False) for _ in range(s["L_enc"]))
        self.decoder = nn.ModuleList(DecoderBlock(s, choices, False) for _ in range(s["L_dec"]))
        ended = o["last_norm"]
        self.encoder_norm = norm(s, choices) if ended else nn.Identity()
        self.decoder_norm = norm(s, choices) if ended else nn.Identity()

    def forward(self, source: Tensor, x: Tensor) -> Tensor:
        """Encode the source, and decode with it."""
        for block in self.encoder:
            source = block(source)
        memory = self.encoder_norm(source)
        for block in self.decoder:
            x = block(x, memory)
        return self.decoder_norm(x)


class Transformer(nn.Transformer):
    """PyTorch's own, with a causal mask of the decoder's sequence."""

    def __init__(self, s: Sizes, o: Options, batch_first: bool = False) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about a fast path of inference
            super().__init__(s["d"], s["h"], s["L_enc"], s["L_dec"], s["d_ff"], 0.0,
                             batch_first=batch_first)  # fmt: skip
        self.register_buffer("mask", causal_mask(s["T"], s["T"]))

    def forward(self, source: Tensor, x: Tensor) -> Tensor:
        """Encode the source, and decode with it."""
        if self.batch_first:
            return super().forward(source, x, tgt_mask=self.mask, tgt_is_causal=True)
        source, x = seq_first(source), seq_first(x)
        return super().forward(source, x, tgt_mask=self.mask, tgt_is_causal=True).transpose(0, 1)


class MaskedHead(nn.Module):
    """Logits of masked tokens, from a table of its own or from the embedding's."""

    def __init__(self, s: Sizes, o: Options, tied: bool = False, width: int | None = None) -> None:
        super().__init__()
        self.act, width = ACTIVATIONS[o["activation"]], width or s["d"]
        self.map = nn.Linear(s["d"], width)
        self.norm = nn.LayerNorm(width, eps=EPSILON)
        self.b = nn.Parameter(torch.zeros(s["V"]))
        self.table = None if tied else Head({**s, "d": width})

    def forward(self, x: Tensor, rows: Tensor | None = None) -> Tensor:
        """Map, act, normalize, score."""
        z = self.norm(self.act(self.map(x)))
        return F.linear(z, rows, self.b) if self.table is None else self.table(z) + self.b


class Pooler(nn.Module):
    """The first token's vector, mapped and through tanh, or another function."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.act = ACTIVATIONS[o["activation"]]
        self.map = nn.Linear(s["d"], s["d"])

    def forward(self, x: Tensor) -> Tensor:
        """Pool."""
        return self.act(self.map(x[:, 0]))


class Encoder(nn.Module):
    """An encoder like BERT's, its tables maybe narrower, with the head that is chosen."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        choices = {**o, "norm": "layer", "gated": False, "bias": True}
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


class LoRALinear(nn.Module):
    """A frozen affine map and a trained low-rank update."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        frozen: Mapping[str, tuple[int, ...]] = {
            "W": (s["d_in"], s["d_out"]), **({"b": (s["d_out"],)} if o["bias"] else {}),
        }  # fmt: skip
        for name, shape in frozen.items():
            self.register_parameter(name, nn.Parameter(torch.randn(shape), requires_grad=False))
        self.A = nn.Parameter(torch.randn(s["d_in"], s["d_r"]))
        self.B = nn.Parameter(torch.randn(s["d_r"], s["d_out"]))
        self.scale = 16 / s["d_r"]

    def forward(self, x: Tensor) -> Tensor:
        """Map, and add the update."""
        frozen = x @ self.W + self.b if hasattr(self, "b") else x @ self.W
        return frozen + x @ self.A @ self.B * self.scale
