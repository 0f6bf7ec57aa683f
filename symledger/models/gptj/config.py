"""GPT-J, and CodeGen, which is GPT-J with one map for queries, keys and values."""

from __future__ import annotations

from symledger.arguments.specs import Only, Settings, SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import (
    ACTIVATION,
    HEADS,
    QKV,
    TIED,
    affine,
    head_width,
    heads,
    partly,
)
from symledger.config_keys.family import Built, Family, Rule, Unless, Values
from symledger.errors import BadInput

USES = {
    "vocab_size": SizeOf("V"),
    "n_positions": SizeOf("T"),
    "n_embd": SizeOf("d"),
    "n_layer": SizeOf("L"),
    "n_head": SizeOf("h"),
    "n_inner": Unless(SizeOf("d_ff")),
    "rotary_dim": SizeOf("d_rot"),
    "activation_function": ACTIVATION,
    "tie_word_embeddings": TIED,
    "rotary": Only((True,)),
    "scale_attn_weights": FREE,
}
BESIDE_ATTENTION = {
    "transformer.wte.weight": ("token_embedding.E",),
    **affine("transformer.", {
        "h.*.ln_1": "block.norm_1",
        "h.*.mlp.fc_in": "block.feed_forward.1",
        "h.*.mlp.fc_out": "block.feed_forward.2",
        "ln_f": "final_norm",
    }),
    **HEADS,
}  # fmt: skip


def _fitting(values: Values) -> Settings:
    """Refuse to turn more of a head than there is, or half a pair."""
    width, d_rot = head_width(values, "n_embd", "n_head"), values["rotary_dim"]
    if d_rot > width or d_rot % 2:
        raise BadInput(
            f"rotary_dim = {d_rot} does not fit heads of width {width}: an even number up to it."
        )
    return partly(d_rot, width)


FITTING = Rule(("rotary_dim", "n_embd", "n_head"), _fitting)

GPTJ = Family(
    "gptj",
    {
        **heads("gptj", "GPTJ", tokens=False, spans=False),
        "GPTJForQuestionAnswering": Built("gptj", {"head": "tokens"}, labels=True),
    },
    USES,
    rules=(FITTING,),
    tensors={
        **BESIDE_ATTENTION,
        **{
            f"transformer.h.*.attn.{name}_proj.weight": (f"block.attention.{ours}.W",)
            for name, ours in (("q", "Q"), ("k", "K"), ("v", "V"), ("out", "O"))
        },
    },
)


SPLIT = 4
"""The parts that CodeGen's implementation divides the heads into, as its accelerators did."""


def _divided(values: Values) -> Settings:
    """Refuse heads that cannot be divided as the implementation does."""
    if values["n_head"] % SPLIT:
        raise BadInput(f"n_head = {values['n_head']} is not a multiple of {SPLIT}, which CodeGen "
                       "divides its heads into.")  # fmt: skip
    return {}


CODEGEN = Family(
    "codegen",
    {
        "CodeGenForCausalLM": Built("gptj", {"head": "lm"}),
        "CodeGenModel": Built("gptj", {"head": "bare"}),
    },
    USES,
    rules=(FITTING, Rule(("n_head",), _divided)),
    tensors={
        **BESIDE_ATTENTION,
        "transformer.h.*.attn.qkv_proj.weight": tuple(f"{part}.W" for part in QKV),
        "transformer.h.*.attn.out_proj.weight": ("block.attention.O.W",),
    },
)
