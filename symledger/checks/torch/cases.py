"""What PyTorch has, or says in a few lines, for each target; and what it does otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torch import nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it

from symledger.checks.torch import parts as parts
from symledger.checks.torch.artefacts import Uses
from symledger.checks.torch.case import Case
from symledger.checks.torch.modules import attention as attention
from symledger.checks.torch.modules import experts as experts
from symledger.checks.torch.modules import images as images
from symledger.checks.torch.modules import layers as layers
from symledger.checks.torch.modules import mixers as mixers
from symledger.checks.torch.modules import models as models
from symledger.checks.torch.modules import pairs as pairs
from symledger.checks.torch.modules import sequences as sequences
from symledger.checks.torch.modules import vision as vision
from symledger.checks.torch.modules.recurrent import Recurrent, recurrent_names
from symledger.checks.torch.names import PACKED, layer_names, transformer_names
from symledger.checks.torch.parts import EPSILON, Options, Sizes
from symledger.checks.torch.uses import (
    OWN,
    counted,
    in_attention,
    in_block,
    in_decoder,
    in_encoder,
    in_encoder_decoder,
    in_plain_stack,
    in_recomputed,
    in_recurrent,
    summed,
)

MULTI_HEAD = {"S": "T", "h_kv": "h", "d_v": "d_k"}
HEADS = {**MULTI_HEAD, "d": "h*d_k"}
CROSSED = {"h_kv": "h", "d_v": "d_k", "d": "h*d_k"}
TWICE = {"L": "2*L"}
"""Layers on top of the first one, at every point."""
SEVERAL = {"B": "2*B"}
"""Several sequences at every point: that of a single one is the same, whichever comes first."""


def _chosen(fixed: Options, o: Options) -> Options:
    chosen = {**fixed, **o}
    if o.get("composed"):
        chosen["activation"] = "gelu_new"
    return {**chosen, "rotary": chosen["positions"] == "rotary"}


PREFILL = {"head": "lm", "cached": False}
"""The choices under which a decoder is written with torch.nn: all tokens at once, logits of all."""


def _family(given: Mapping[str, Any] | None = None, **fixed: Any) -> Case:
    """A decoder with some choices that its family makes."""
    return Case(
        "the model written with torch.nn",
        lambda s, o: models.Decoder(s, _chosen(fixed, o)),
        uses=lambda o: in_decoder({**fixed, **o}),
        equal={"S": "T", "d_k": "d_h", "d_v": "d_h", **({} if fixed["gated"] else {"h_kv": "h"})},
        given={**PREFILL, **(given or {})},
    )


def _noisy(build: Any) -> Callable[[Sizes, Options], nn.Module]:
    return lambda s, o: build(s, {**o, "hidden_dropout": o["dropout"]})


def _feed_forward(o: Options) -> Uses:
    return counted(noise="B*T*d_ff" * o["dropout"])


def _blocks(pre: bool) -> tuple[Case, ...]:
    return (
        Case("the block written with torch.nn", lambda s, o: models.Block(s, o, pre),
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


def _decoder_blocks(pre: bool) -> tuple[Case, ...]:
    return (
        Case("the block written with torch.nn", lambda s, o: sequences.DecoderBlock(s, o, pre),
             uses=lambda o: in_block(o, crossed=True), equal={"d_v": "d_k"}),
        Case("nn.TransformerDecoderLayer", lambda s, o: sequences.DecoderLayer(s, o, pre),
             lambda s, o: layer_names("", "", crossed=True), lambda o: in_block(o, crossed=True),
             CROSSED, {"flash": True}),
    )  # fmt: skip


def _stacks(pre: bool, crossed: bool = False) -> tuple[Case, ...]:
    equal = {"h_kv": "h", "d_k": "d_h", "d_v": "d_h"}
    name = "decoder" if crossed else "encoder"
    return (Case(f"the {name} written with torch.nn",
                 lambda s, o: sequences.Stack(s, o, pre, crossed),
                 uses=lambda o: in_plain_stack(o, crossed),
                 equal=equal if crossed else {**equal, "S": "T"}),)  # fmt: skip


def _over_time(kind: type[nn.RNNBase], said: str = "") -> tuple[Case, ...]:
    name = kind.__name__

    def case(batch_first: bool, given: Options) -> Case:
        return Case(f"{said or f'nn.{name}'}{', batch first' * batch_first}",
                    lambda s, o: Recurrent(kind, s, o, batch_first), recurrent_names,
                    lambda o: in_recurrent(o, name, batch_first),
                    {**TWICE, **(SEVERAL if batch_first else {})}, given)  # fmt: skip

    return case(False, {}), case(True, {"bidirectional": True})


def _encoders(
    kind: Callable[[Sizes, Options], nn.Module] = sequences.Encoder,
    equal: Mapping[str, str] | None = None, **fixed: Any,
) -> tuple[Case, ...]:  # fmt: skip
    """An encoder like BERT's, with what its family chooses."""
    alike = {"S": "T", "h_kv": "h", "d_k": "d_h", "d_v": "d_h", **(equal or {})}
    usual = {"narrow": False, "segments": True, "first": 0, "pooler": True, "pooled_by": "tanh"}
    return (Case("the model written with torch.nn",
                 lambda s, o: kind(s, {**usual, **fixed, **o}),
                 uses=lambda o: in_encoder({**usual, **fixed, **o}),
                 equal=alike),)  # fmt: skip


def _read_and_written(kind: Callable[[Sizes, Options], nn.Module]) -> tuple[Case, ...]:
    """An encoder-decoder, at once on all of a source and all tokens."""
    return (Case("the model written with torch.nn", kind, given={"cached": False},
                 equal={"h_kv": "h", "d_k": "d_h", "d_v": "d_h", "T_max": "2*S"}),)  # fmt: skip


def _normed(stacks: Mapping[str, str], o: Options) -> Uses:
    """The RMS norms of T5: in each in_block, unless it is run again, and behind each stack."""
    norms = (
        summed(f"{count}*{rows}*d" * (not o["recompute"]), f"{rows}*d")
        for count, rows in stacks.items()
    )
    return counted(fused_norm=summed(*norms))


CASES: Mapping[str, tuple[Case, ...]] = {
    "linear": (Case("nn.Linear", lambda s, o: nn.Linear(s["d_in"], s["d_out"], o["bias"])),),
    "lora_linear": (Case("x W + b + α/r x A B", sequences.LoRALinear),),
    "layer_norm": (Case("nn.LayerNorm", lambda s, o: nn.LayerNorm(
        s["d"], eps=EPSILON, elementwise_affine=o["affine"], bias=o["bias"])),),
    "rms_norm": (Case("nn.RMSNorm", lambda s, o: nn.RMSNorm(
        s["d"], eps=EPSILON, elementwise_affine=o["affine"]),
        uses=lambda o: counted(
            fused_norm="B*T*d" * (o["affine"] and o["input_gradient"]),
            normalized_alone="B*T" * (o["affine"] and not o["input_gradient"]))),),
    "composed_rms_norm": (Case("x · rsqrt(mean(x²) + ε) · g",
                               lambda s, o: models.ComposedRMSNorm(s["d"], eps=EPSILON)),),
    "token_embedding": (Case("nn.Embedding", lambda s, o: nn.Embedding(s["V"], s["d"])),),
    "learned_positions": (Case("nn.Embedding", lambda s, o: parts.Positions(s)),),
    "sinusoidal_positions": (Case("torch.sin and torch.cos", lambda s, o: parts.Sinusoids(s)),),
    "rotary_positions": (Case("torch.sin and torch.cos",
                              lambda s, o: parts.Rotary(s["T"], s["d_k"])),),
    "lm_head": (Case("nn.Linear without bias", lambda s, o: parts.Head(s)),),
    "masked_lm_head": (Case("the head written with torch.nn",
                            sequences.MaskedHead),),
    "pooler": (Case("nn.Linear and torch.tanh", sequences.Pooler),),
    "tied_embedding": (Case("nn.Embedding and F.linear", models.Tied),),
    "feed_forward": (Case("two nn.Linear", _noisy(models.FeedForward), uses=_feed_forward),),
    "gated_feed_forward": (Case("three nn.Linear", _noisy(models.GatedFeedForward),
                                uses=_feed_forward),),
    "experts": (Case("torch.bmm", experts.Experts),),
    "router": (Case("F.softmax and torch.gather", experts.Router),),
    "mixture_of_experts": (Case("indexing and index_put", experts.Mixture),),
    "dot_product_attention": (Case("torch.einsum and F.softmax", attention.DotProduct,
                                   uses=in_attention),),
    "flash_attention": (Case("F.scaled_dot_product_attention",
                             lambda s, o: attention.DotProduct(s, {**o, "flash": True}),
                             uses=lambda o: in_attention({"flash": True}), equal=MULTI_HEAD),),
    "window_attention": (Case("torch.einsum and F.softmax", attention.Window, equal={"S": "T"}),),
    "alibi_attention": (Case("torch.einsum and F.softmax", attention.ALiBi),),
    "relative_attention": (Case("torch.einsum and F.embedding", attention.Relative),),
    "attention": tuple(
        Case("four nn.Linear around it", attention.Attention, uses=in_attention,
             equal={**({"d_v": "d_k"} if flash else {}), **({"S": "T"} if rotary else {})},
             given={"flash": flash, "rotary": rotary})
        for flash in (False, True) for rotary in (False, True)),
    "self_attention": (
        *(Case("four nn.Linear around it", attention.Attention,
               uses=lambda o: in_attention(o, OWN), given={"flash": flash},
               equal={**({"d_v": "d_k"} if flash else {}), "S": "T"})
          for flash in (False, True)),
        Case("four nn.Linear and repeat_interleave", lambda s, o: attention.Attention(
            s, {**o, "repeated": True}), uses=lambda o: {
                **in_attention(o, OWN), "repeated heads": "B*T*(h - h_kv)*(d_k + d_v)"},
            equal={"S": "T"}, given={"flash": False}),
        Case("nn.MultiheadAttention", attention.MultiheadAttention, lambda s, o: PACKED,
             lambda o: in_attention(o, OWN), HEADS, {"flash": True, "causal": False}),
    ),
    "cached_attention": tuple(
        Case("four nn.Linear and torch.cat", attention.Cached, uses=in_attention,
             equal={"d_v": "d_k"} if flash else {}, given={"flash": flash})
        for flash in (False, True)),
    "pre_ln_block": _blocks(pre=True),
    "post_ln_block": _blocks(pre=False),
    "parallel_block": _arranged(models.Parallel, lambda o: 1 + o["two_norms"]),
    "sandwich_block": _arranged(models.Sandwich, lambda o: 4),
    "reordered_block": _arranged(models.Reordered, lambda o: 2),
    "checkpointed_block": (Case(
        "the block written with torch.nn, under torch.utils.checkpoint", models.Checkpointed,
        uses=in_recomputed, equal={"d_v": "d_k", "S": "T"}),),
    "pre_ln_encoder": _stacks(pre=True),
    "post_ln_encoder": _stacks(pre=False),
    "pre_ln_decoder": _stacks(pre=True, crossed=True),
    "post_ln_decoder": _stacks(pre=False, crossed=True),
    "pre_ln_decoder_block": _decoder_blocks(pre=True),
    "post_ln_decoder_block": _decoder_blocks(pre=False),
    "encoder_decoder": (
        Case("the stacks written with torch.nn", sequences.EncoderDecoder, uses=in_encoder_decoder,
             equal={"h_kv": "h", "d_k": "d_h", "d_v": "d_h"}),
        Case("nn.Transformer", sequences.Transformer, transformer_names, in_encoder_decoder,
             {"h_kv": "h", "d": "h*d_h", "d_k": "d_h", "d_v": "d_h"},
             {"flash": True, "last_norm": True}),
        Case("nn.Transformer, batch first",
             lambda s, o: sequences.Transformer(s, o, batch_first=True), transformer_names,
             lambda o: {**in_encoder_decoder(o), "batch first": "(L_dec - 1)*B*S*d"},
             {**SEVERAL, "h_kv": "h", "d": "h*d_h", "d_k": "d_h", "d_v": "d_h"},
             {"flash": True, "last_norm": True}),
    ),
    "rnn": _over_time(nn.RNN),
    "gru": _over_time(nn.GRU),
    "lstm": _over_time(nn.LSTM, "nn.LSTM without oneDNN"),
    **layers.CASES,
    **images.CASES,
    **vision.CASES,
    **mixers.CASES,
    "mini_gpt": (_family(norm="rms", activation="gelu", gated=False, causal=True),),
    "gpt2": (_family(norm="layer", activation="gelu_tanh", gated=False, causal=True,
                     positions="learned"),),
    "llama": (_family({"attention_bias": False, "mlp_bias": False}, norm="rms", activation="silu",
                      gated=True, causal=True, bias=False, positions="rotary"),),
    "mixtral": (Case("the model written with torch.nn", lambda s, o: experts.Mixtral(s, {
        **o, "norm": "rms", "gated": True, "bias": False, "causal": True,
        "rotary": True}), uses=lambda o: in_decoder({**o, "norm": "rms"}),
        equal={"S": "T", "d_k": "d_h", "d_v": "d_h"}, given={**PREFILL, "windows": "none"}),),
    **dict.fromkeys(("bert", "bert_pretraining", "bert_classifier"), _encoders()),
    "roberta": _encoders(equal={"T_max": "2*T"}, first=2),
    "albert": _encoders(pairs.Albert, {"L": "2*L_g"}, narrow=True, times="L*L_in"),
    "electra": _encoders(pairs.Electra, pooler=False, pooled_by="gelu"),
    "t5": (Case("the model written with torch.nn", pairs.T5, given={"cached": False},
                uses=lambda o: _normed({"2*L_enc": "B*S", "3*L_dec": "B*T"}, o),
                equal={"h_kv": "h", "d_k": "d_h", "d_v": "d_h"}),),
    "t5_encoder": (Case("the model written with torch.nn",
                        lambda s, o: pairs.T5(s, o, alone=True),
                        uses=lambda o: _normed({"2*L": "B*T"}, o),
                        equal={"S": "T", "h_kv": "h", "d_k": "d_h", "d_v": "d_h"}),),
    "bart": _read_and_written(lambda s, o: pairs.Bart(s, o, pre=False)),
    "mbart": _read_and_written(lambda s, o: pairs.Bart(s, o, pre=True)),
    "pegasus": _read_and_written(lambda s, o: pairs.Pegasus(s, o, pre=True)),
    "marian": _read_and_written(lambda s, o: pairs.Pegasus(s, o, pre=False)),
    "whisper": _read_and_written(pairs.Whisper),
    "whisper_classifier": (Case("the model written with torch.nn", pairs.Classifier,
                                equal={"h_kv": "h", "d_k": "d_h", "d_v": "d_h"}),),
    "distilbert": _encoders(segments=False, pooler=False, pooled_by="relu"),
}  # fmt: skip
"""Every target that PyTorch has, or that is a few lines of it."""
