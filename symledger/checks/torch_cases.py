"""What PyTorch has, or says in a few lines, for each target; and where it differs, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from torch import nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it

from symledger.checks import torch_models as models
from symledger.checks.torch_models import EPSILON, Function, Options, Sizes


@dataclass(frozen=True)
class Artefact:
    """A known difference of PyTorch's implementation on CPU: how much more it has, and why."""

    quantity: str
    more: str
    reason: str


PAIRS = "2*B*T*S*h*(d_k + d_v)"

ARTEFACTS: Mapping[str, tuple[Artefact, ...]] = {
    "rms_norm": (Artefact("memory.saved", "4*B*T*d", "RMSNorm keeps the normalized x as well"),),
    "dropout": (Artefact("memory.saved", "3*B*T*n", "the noise is kept as floats, not as bytes"),),
    "cross_entropy": (Artefact("memory.saved", "4", "the total weight of the classes is kept"),),
    "fused attention": (
        Artefact("flops.forward", f"-{PAIRS}", "the counter does not see fused attention"),
        Artefact("flops.backward", "-2*B*T*S*h*(3*d_k + 2*d_v)",
                 "the counter does not see fused attention"),
    ),
    "fused attention again": (
        Artefact("flops.backward", f"-{PAIRS}",
                 "nor does it see fused attention that is run again"),
    ),
}  # fmt: skip
"""Each row: what PyTorch 2.13 counts or keeps beyond the formula, once for each use."""


@dataclass(frozen=True)
class Case:
    """A target in PyTorch.

    ``build`` makes the module; ``equal`` are sizes that it cannot tell apart; ``names`` says
    which of our weights stand behind a parameter whose name differs; ``uses`` counts artefacts.
    """

    said: str
    build: Callable[[Sizes, Options], nn.Module]
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    uses: Callable[[Options], Mapping[str, str]] = lambda o: {}
    equal: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    values: bool = True


PACKED = {
    "in_proj_weight": ("Q.W'", "K.W'", "V.W'"), "in_proj_bias": ("Q.b", "K.b", "V.b"),
    "out_proj.weight": ("O.W'",), "out_proj.bias": ("O.b",),
}  # fmt: skip
LAYER = {
    **{f"self_attn.{k}": tuple(f"attention.{n}" for n in ours) for k, ours in PACKED.items()},
    **{f"linear{i}.{k}": (f"feed_forward.{i}.{n}",) for i in (1, 2)
       for k, n in (("weight", "W'"), ("bias", "b"))},
    **{f"norm{i}.{k}": (f"norm_{i}.{n}",) for i in (1, 2)
       for k, n in (("weight", "g"), ("bias", "b"))},
}  # fmt: skip
MULTI_HEAD = {"S": "T", "h_kv": "h", "d_v": "d_k"}


def _fused(o: Options) -> Mapping[str, str]:
    return {"fused attention": "1"} if o.get("flash") else {}


def _scaled(o: Options) -> Mapping[str, str]:
    return {"rms_norm": "1"} if o["affine"] else {}


def _block(o: Options) -> Mapping[str, str]:
    return {**_fused(o), **({"rms_norm": "2"} if o["norm"] == "rms" else {})}


def _recomputed(o: Options) -> Mapping[str, str]:
    return {**_fused(o), "fused attention again": "1"} if o.get("flash") else {}


def _decoder(o: Options) -> Mapping[str, str]:
    again = bool(o.get("recompute"))
    norms = {"rms_norm": "1" if again else "2*L + 1"} if o["norm"] == "rms" else {}
    fused = ("fused attention", "fused attention again")[: 1 + again] if o.get("flash") else ()
    return {**norms, **dict.fromkeys(fused, "L")}


def _function(function: Any) -> Callable[[Sizes, Options], nn.Module]:
    return lambda s, o: Function(function)


def _chosen(fixed: Options, o: Options) -> Options:
    chosen = {**fixed, **o}
    if o.get("composed"):
        chosen["activation"] = "gelu_new"
    return {**chosen, "rotary": chosen["positions"] == "rotary"}


def _family(**fixed: Any) -> Case:
    """A decoder with some choices that its family makes."""
    return Case(
        "the model written with torch.nn",
        lambda s, o: models.Decoder(s, _chosen(fixed, o)),
        uses=lambda o: _decoder({**fixed, **o}),
        equal={"S": "T", "d_k": "d_h", "d_v": "d_h", **({} if fixed["gated"] else {"h_kv": "h"})},
    )


CASES: Mapping[str, tuple[Case, ...]] = {
    "linear": (Case("nn.Linear", lambda s, o: nn.Linear(s["d_in"], s["d_out"], o["bias"])),),
    "layer_norm": (Case("nn.LayerNorm", lambda s, o: nn.LayerNorm(
        s["d"], eps=EPSILON, elementwise_affine=o["affine"], bias=o["bias"])),),
    "rms_norm": (Case("nn.RMSNorm", lambda s, o: nn.RMSNorm(
        s["d"], eps=EPSILON, elementwise_affine=o["affine"]), uses=_scaled),),
    "composed_rms_norm": (Case("x · rsqrt(mean(x²) + ε) · g",
                               lambda s, o: models.ComposedRMSNorm(s["d"], eps=EPSILON)),),
    "softmax": (Case("nn.Softmax", lambda s, o: nn.Softmax(-1)),),
    "log_softmax": (Case("nn.LogSoftmax", lambda s, o: nn.LogSoftmax(-1)),),
    "dropout": (Case("nn.Dropout", lambda s, o: nn.Dropout(0.1), values=False,
                     uses=lambda o: {"dropout": "1"}),),
    "token_embedding": (Case("nn.Embedding", lambda s, o: nn.Embedding(s["V"], s["d"])),),
    "learned_positions": (Case("nn.Embedding", lambda s, o: models.Positions(s)),),
    "sinusoidal_positions": (Case("torch.sin and torch.cos", lambda s, o: models.Sinusoids(s)),),
    "rotary_positions": (Case("torch.sin and torch.cos",
                              lambda s, o: models.Rotary(s["T"], s["d_k"])),),
    "lm_head": (Case("nn.Linear without bias", lambda s, o: models.Head(s)),),
    "tied_embedding": (Case("nn.Embedding and F.linear", models.Tied),),
    "cross_entropy": (Case("F.cross_entropy", _function(
        lambda x, y: F.cross_entropy(x.flatten(0, 1), y.flatten())),
        uses=lambda o: {"cross_entropy": "1"}),),
    "feed_forward": (Case("two nn.Linear", models.FeedForward),),
    "gated_feed_forward": (Case("three nn.Linear", models.GatedFeedForward),),
    "dot_product_attention": (Case("torch.einsum and F.softmax", models.DotProduct),),
    "flash_attention": (Case("F.scaled_dot_product_attention",
                             lambda s, o: models.DotProduct(s, {**o, "flash": True}),
                             uses=lambda o: {"fused attention": "1"}, equal=MULTI_HEAD),),
    "attention": (Case("four nn.Linear around it", models.Attention, uses=_fused,
                       equal={"d_v": "d_k", "S": "T"}),),
    "self_attention": (
        Case("four nn.Linear around it", models.Attention, uses=_fused,
             equal={"d_v": "d_k", "S": "T"}),
        Case("nn.MultiheadAttention", models.MultiheadAttention, PACKED,
             uses=lambda o: {"fused attention": "1"},
             equal={**MULTI_HEAD, "d": "h*d_k"}, given={"flash": True}),
    ),
    "pre_ln_block": (Case("the block written with torch.nn", models.Block, uses=_block,
                          equal={"d_v": "d_k", "S": "T"}),),
    "post_ln_block": (
        Case("the block written with torch.nn", lambda s, o: models.Block(s, o, pre=False),
             uses=_block, equal={"d_v": "d_k", "S": "T"}),
        Case("nn.TransformerEncoderLayer", lambda s, o: nn.TransformerEncoderLayer(
            s["d"], s["h"], s["d_ff"], 0.0, F.gelu, batch_first=True), LAYER, uses=_block,
            equal={**MULTI_HEAD, "d": "h*d_k"}, given={"flash": True}),
    ),
    "checkpointed_block": (Case(
        "the block written with torch.nn, under torch.utils.checkpoint", models.Checkpointed,
        uses=_recomputed, equal={"d_v": "d_k", "S": "T"}),),
    "mini_gpt": (_family(norm="rms", activation="gelu", gated=False, causal=True),),
    "gpt2": (_family(norm="layer", activation="gelu_tanh", gated=False, causal=True,
                     positions="learned"),),
    "llama": (_family(norm="rms", activation="silu", gated=True, causal=True,
                      bias=False, positions="rotary"),),
}  # fmt: skip
"""Every target that PyTorch has, or that is a few lines of it."""
