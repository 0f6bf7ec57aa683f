"""Blocks on top of each other once more, and those that attend to a memory, in PyTorch."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

from torch import Tensor, nn

from symledger.checks.torch.artefacts import Uses
from symledger.checks.torch.case import SEVERAL, Case, Names
from symledger.checks.torch.modules.blocks import Block
from symledger.checks.torch.modules.norms import norm
from symledger.checks.torch.names import layer_names
from symledger.checks.torch.parts import (
    ACTIVATIONS,
    EPSILON,
    Options,
    Sizes,
    causal_mask,
    dropout,
    seq_first,
)
from symledger.checks.torch.uses import in_block, in_stack

MODULES = {"gelu": nn.GELU(), "gelu_tanh": nn.GELU("tanh"), "silu": nn.SiLU()}
"""What ``nn.Transformer`` has in its encoder only: copies of its decoder's layer have ReLU."""
CROSSED = {"h_kv": "h", "d_v": "d_k", "d": "h*d_k"}


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
        if o["encoder_activation"] != "same":
            seen["activation"] = o["encoder_activation"]
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
    """PyTorch's own, with a causal mask of the decoder's sequence if it has one."""

    def __init__(self, s: Sizes, o: Options, batch_first: bool = False) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about a fast path of inference
            given = MODULES.get(o["encoder_activation"], ACTIVATIONS[o["activation"]])
            super().__init__(s["d"], s["h"], s["L_enc"], s["L_dec"], s["d_ff"], 0.0,
                             given, batch_first=batch_first)  # fmt: skip
        self.causal = o["causal"]
        self.register_buffer("mask", causal_mask(s["T"], s["T"]))

    def forward(self, source: Tensor, x: Tensor) -> Tensor:
        """Encode the source, and decode with it."""
        seen = {"tgt_mask": self.mask if self.causal else None, "tgt_is_causal": self.causal}
        if self.batch_first:
            return super().forward(source, x, **seen)
        return super().forward(seq_first(source), seq_first(x), **seen).transpose(0, 1)


def transformer_names(s: Sizes, o: Options) -> Names:
    """The weights of both stacks of ``torch.nn.Transformer``."""
    found: dict[str, tuple[str, ...]] = {}
    for stack, number in (("encoder", s["L_enc"]), ("decoder", s["L_dec"])):
        found.update({f"{stack}.norm.{k}": (f"{stack}_norm.{n}",)
                      for k, n in (("weight", "g"), ("bias", "b"))})  # fmt: skip
        for i in range(number):
            found.update(layer_names(f"{stack}.layers.{i}.", f"{stack}.{i}.", stack == "decoder"))
    return found


def in_plain_stack(o: Options, crossed: bool) -> Uses:
    """What occurs in a layer of PyTorch's own stacks."""
    return in_stack(in_block({**o, "hidden_dropout": o["dropout"], "norm": "layer"}, crossed), {})


def in_encoder_decoder(o: Options) -> Uses:
    """What occurs in an encoder and in a decoder that reads it."""
    choices = {**o, "norm": "layer"}
    within = {name: count.replace("T", "S") for name, count in in_block(choices).items()}
    return in_stack(within, in_stack(in_block(choices, crossed=True), {}, "L_dec"), "L_enc")


def _decoder_blocks(pre: bool) -> tuple[Case, ...]:
    return (
        Case("the block written with torch.nn", lambda s, o: DecoderBlock(s, o, pre),
             uses=lambda o: in_block(o, crossed=True), equal={"d_v": "d_k"}),
        Case("nn.TransformerDecoderLayer", lambda s, o: DecoderLayer(s, o, pre),
             lambda s, o: layer_names("", "", crossed=True), lambda o: in_block(o, crossed=True),
             CROSSED, {"flash": True}),
    )  # fmt: skip


def _stacks(pre: bool, crossed: bool = False) -> tuple[Case, ...]:
    equal = {"h_kv": "h", "d_k": "d_h", "d_v": "d_h"}
    name = "decoder" if crossed else "encoder"
    return (Case(f"the {name} written with torch.nn",
                 lambda s, o: Stack(s, o, pre, crossed),
                 uses=lambda o: in_plain_stack(o, crossed),
                 equal=equal if crossed else {**equal, "S": "T"}),)  # fmt: skip


CASES: Mapping[str, tuple[Case, ...]] = {
    "pre_ln_decoder_block": _decoder_blocks(pre=True),
    "post_ln_decoder_block": _decoder_blocks(pre=False),
    "pre_ln_encoder": _stacks(pre=True),
    "post_ln_encoder": _stacks(pre=False),
    "pre_ln_decoder": _stacks(pre=True, crossed=True),
    "post_ln_decoder": _stacks(pre=False, crossed=True),
    "encoder_decoder": (
        Case("the stacks written with torch.nn", EncoderDecoder, uses=in_encoder_decoder,
             equal={"h_kv": "h", "d_k": "d_h", "d_v": "d_h"}),
        Case("nn.Transformer", Transformer, transformer_names, in_encoder_decoder,
             {"h_kv": "h", "d": "h*d_h", "d_k": "d_h", "d_v": "d_h"},
             {"flash": True, "last_norm": True}),
        Case("nn.Transformer, batch first",
             lambda s, o: Transformer(s, o, batch_first=True), transformer_names,
             lambda o: {**in_encoder_decoder(o), "batch first": "(L_dec - 1)*B*S*d"},
             {**SEVERAL, "h_kv": "h", "d": "h*d_h", "d_k": "d_h", "d_v": "d_h"},
             {"flash": True, "last_norm": True}),
    ),
}  # fmt: skip
