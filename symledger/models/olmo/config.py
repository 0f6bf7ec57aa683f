"""OLMo 1 to 3, dense and with experts, and EXAONE 4."""

from __future__ import annotations

from symledger.arguments.specs import Choice, Number, Settings, SizeOf
from symledger.config_keys import window_keys as windows
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import (
    DENSE,
    FLOORED,
    GATE,
    LLAMA_KEYS,
    SPARSE,
    WIDTHS,
    heads,
    kinds,
)
from symledger.config_keys.family import Family, Rule, Ruled, Unless, Values
from symledger.errors import BadInput

KEYS = {
    **WIDTHS,
    "hidden_act": GATE,
    "attention_bias": Choice("attention_bias"),
    "attention_dropout": FREE,
}
CLIPPED = {**KEYS, "clip_qkv": Unless(Number((0,)))}

AFTER = {
    **DENSE,
    **kinds({
        "model.layers.*.post_attention_layernorm.weight": ("block.norm_1.g",),
        "model.layers.*.post_feedforward_layernorm.weight": ("block.norm_2.g",),
    }, "windowed_block"),
}  # fmt: skip

OLMO = Family(
    "olmo", heads("olmo", "Olmo", tokens=False, spans=False), CLIPPED, (FLOORED,), DENSE
)

OLMO2 = Family(
    "olmo2", heads("olmo2", "Olmo2", tokens=False, spans=False), KEYS, (FLOORED,), AFTER
)

OLMO3 = Family(
    "olmo3",
    heads("olmo3", "Olmo3", tokens=False, spans=False),
    {**KEYS, **windows.LISTED},
    (FLOORED, *windows.windows(windows.all_but_each(4), asked=True)),
    AFTER,
)


def _turned(values: Values) -> Settings:
    """Say whether layers without a window turn heads by their position: where none has one."""
    return {"turned_everywhere": "true" if values.get("sliding_window") is None else "false"}


EXAONE4 = Family(
    "exaone4",
    heads("exaone4", "Exaone4"),
    {**LLAMA_KEYS, "num_key_value_heads": SizeOf("h_kv"), **windows.LISTED,
     "sliding_window_pattern": Ruled()},
    (FLOORED, Rule((), _turned),
     *windows.windows(windows.all_but_each(4, "sliding_window_pattern", unless_listed=True))),
    AFTER,
)  # fmt: skip


def _widths(values: Values) -> Settings:
    """Refuse heads whose norm, which is as wide as the model, does not fit them."""
    d, h, d_h = (values.get(x) for x in ("hidden_size", "num_attention_heads", "head_dim"))
    if d_h is not None and d_h * h != d:
        raise BadInput(f"head_dim = {d_h} does not fit: {h} heads of it have to be {d} wide.")
    return {}


OLMOE = Family(
    "olmoe",
    heads("olmoe", "Olmoe", tokens=False, spans=False, sequences=False),
    {
        **CLIPPED,
        "num_experts": SizeOf("E"),
        "num_experts_per_tok": SizeOf("k"),
        "norm_topk_prob": FREE,
        "output_router_logits": FREE,
    },
    (Rule(("hidden_size", "num_attention_heads"), _widths),),
    SPARSE,
)

FLEX_OLMO = Family(
    "flex_olmo",
    heads("flex_olmo", "FlexOlmo", tokens=False, spans=False, sequences=False),
    {
        **KEYS,
        "num_experts": SizeOf("E"),
        "num_experts_per_tok": SizeOf("k"),
        **dict.fromkeys(("norm_topk_prob", "output_router_logits", "router_aux_loss_coef"), FREE),
    },
    (FLOORED,),
    {**SPARSE, **{name: ours for name, ours in AFTER.items() if "post_" in name}},
)
