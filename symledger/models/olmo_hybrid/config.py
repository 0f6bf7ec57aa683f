"""OLMo Hybrid: LLaMA's keys, those of gated delta rules, and which layers attend."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Settings, size
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import FLOORED, GATED, layers
from symledger.config_keys.delta_keys import CHUNK, DECODER, KEYS, LAYER, mixer
from symledger.config_keys.expert_keys import classes
from symledger.config_keys.family import Family, Rule, Ruled, Values
from symledger.config_keys.hybrid_keys import BLOCKS, alternating, attending, everywhere
from symledger.errors import BadInput


def _kinds(values: Values) -> Settings:
    """Return which layers attend: those listed, else the last of every four, or the very last."""
    attends = attending(values)
    if attends is None:
        attends = [i % 4 == 3 for i in range(layers(values))]
        attends[-1] |= not any(attends)
    if all(attends) or not any(attends):
        raise BadInput(
            "layer_types names layers of one kind only: the class builds models of both kinds, "
            "linear_attention and full_attention."
        )
    return alternating(attends)


def _heads(values: Values) -> Settings:
    """Return heads and their widths: those of attention, unless they are said."""
    h = size("num_attention_heads", values["num_attention_heads"])
    keys, served, width, wide = (values.get(name) for name in WIDTHS)
    keys = h if keys is None else size(WIDTHS[0], keys)
    served = h if served is None else size(WIDTHS[1], served)
    if served % keys:
        raise BadInput(
            f"linear_num_key_heads = {keys} does not divide linear_num_value_heads = {served}: "
            "each head of keys serves as many heads of values."
        )
    width = int(0.75 * values["hidden_size"] / keys) if width is None else width
    d_k = size("linear_key_head_dim", width)
    d_v = 2 * d_k if wide is None else size("linear_value_head_dim", wide)
    return {"h_q": str(keys), "h_v": str(served), "d_k": str(d_k), "d_v": str(d_v)}


def _rotary(values: Values) -> Settings:
    """Say whether heads are turned: not where the base of frequencies is null."""
    said = values.get("rope_parameters")
    bare = isinstance(said, dict) and "rope_theta" in said and said["rope_theta"] is None
    return {"rotary": "false" if bare else "true"}


WIDTHS = (
    "linear_num_key_heads", "linear_num_value_heads", "linear_key_head_dim",
    "linear_value_head_dim",
)  # fmt: skip
MIXER = mixer({
    **{f"{x.lower()}_proj": (f"{x}.W",) for x in "QKVO"}, "g_proj": ("gate.W",),
    "b_proj": ("write.W",), "a_proj": ("decay.W",), "o_norm": ("norm.g",),
})  # fmt: skip

OLMO_HYBRID = Family(
    "olmo_hybrid",
    classes("olmo_hybrid", "OlmoHybrid"),
    {
        **{name: use for name, use in KEYS.items() if name != "full_attention_interval"},
        **dict.fromkeys(WIDTHS, Ruled()),
        "linear_allow_neg_eigval": Choice("negative", BOOLS),
        **dict.fromkeys((
            "linear_a_log_min", "linear_a_log_max", "linear_dt_min", "linear_dt_max",
            "linear_dt_init_floor",
        ), FREE),
    },
    (FLOORED, Rule(("num_hidden_layers",), _kinds),
     Rule(("hidden_size", "num_attention_heads"), _heads), Rule((), _rotary)),
    {
        **DECODER, **everywhere(dict(GATED), BLOCKS), **MIXER,
        f"{LAYER}input_layernorm.weight": ("block.norm_1.g",),
        f"{LAYER}post_attention_layernorm.weight": ("block.norm_2.g", "attention_block.norm_1.g"),
        f"{LAYER}post_feedforward_layernorm.weight": ("attention_block.norm_2.g",),
    },
    CHUNK,
)  # fmt: skip
