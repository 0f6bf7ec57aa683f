"""LLaMA, models that are published as one (Vicuna, Yi …), and others in other words."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, size, written
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import (
    BIASES,
    DENSE,
    DIVIDED,
    FLOORED,
    GATE,
    LLAMA_KEYS,
    WIDTHS,
    heads,
)
from symledger.config_keys.family import Built, Family, Rule, Values
from symledger.errors import BadInput

LLAMA = Family(
    "llama",
    heads("llama", "Llama"),
    {
        **WIDTHS,
        "hidden_act": GATE,
        **BIASES,
        **dict.fromkeys(("attention_dropout", "is_llama_config", "max_sequence_length"), FREE),
    },
    (DIVIDED,),
    DENSE,
)

ERNIE = Family(
    "ernie4_5",
    heads("llama", "Ernie4_5", tokens=False, spans=False, sequences=False),
    {
        **LLAMA_KEYS,
        "use_bias": Choice("attention_bias", BOOLS, ("mlp_bias",)),
        "compression_ratio": FREE,
        "use_flash_attention": FREE,
    },
    (),
    DENSE,
)


PADDLE_OCR = replace(
    ERNIE, model_type="paddleocr_vl_text",
    builds={"PaddleOCRTextModel": Built("llama", {"head": "bare"})},
)


def published_as(name: str) -> dict[str, Built]:
    """Return what the classes of LLaMA build, which have other names where they were published."""
    built = heads("llama", "Llama")
    return {**built, f"{name}ForCausalLM": built["LlamaForCausalLM"]}


def _biases_alike(values: Values) -> Settings:
    attention, network = values["attention_bias"], values["mlp_bias"]
    if attention != network:
        raise BadInput(
            f"qkv_bias (attention_bias) = {written(attention)} and bias (mlp_bias) = "
            f"{written(network)} do not fit: its class takes one answer for all maps."
        )
    return {}


INTERNLM3 = Family(
    "internlm3",
    published_as("InternLM3"),
    {**LLAMA_KEYS, **BIASES},
    (DIVIDED, Rule(("attention_bias", "mlp_bias"), _biases_alike)),
    DENSE,
)

IQUEST_CODER = Family(
    "iquestcoder",
    published_as("IQuestCoder"),
    {
        **LLAMA_KEYS,
        **BIASES,
        "clip_qkv": Only((None,)),
        "use_sliding_window": Only((False,)),
        **dict.fromkeys(("sliding_window", "max_window_layers"), FREE),
    },
    (DIVIDED,),
    DENSE,
)

EMU3 = Family(
    "emu3_text_model",
    {"Emu3ForCausalLM": Built("llama", {"head": "lm"}),
     "Emu3TextModel": Built("llama", {"head": "bare"})},
    {**LLAMA_KEYS, "attention_bias": Only((False,)), "mlp_bias": Choice("mlp_bias", BOOLS)},
    (FLOORED,),
    DENSE,
)  # fmt: skip

def _joined(values: Values) -> Settings:
    """Refuse heads that are not together as wide as the model: a norm stands behind them."""
    d, h = (size(x, values[x]) for x in ("hidden_size", "num_attention_heads"))
    d_h = values.get("head_dim")
    if d != h * (d // h if d_h is None else d_h):
        raise BadInput(
            f"num_attention_heads = {h} does not fit hidden_size = {d}: the norm behind the heads "
            "is as wide as the model, and fails unless they are together. Choose head_dim so."
        )
    return {}


BITNET = Family(
    "bitnet",
    heads("bitnet", "BitNet", tokens=False, spans=False, sequences=False),
    {**LLAMA_KEYS, "attention_bias": Choice("attention_bias", BOOLS)},
    (FLOORED, Rule(("hidden_size", "num_attention_heads"), _joined)),
    {
        **DENSE,
        "model.layers.*.self_attn.attn_sub_norm.weight": ("block.attention.inner_norm.g",),
        "model.layers.*.mlp.ffn_sub_norm.weight": ("block.feed_forward.inner_norm.g",),
    },
)
