"""MiniMax-M2: LLaMA's keys, and those of experts."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.arguments.specs import Settings, SizeOf, Use, size, written
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import SPARSE, partly, share
from symledger.config_keys.expert_keys import USES, classes
from symledger.config_keys.family import Family, Rule, Ruled, Values
from symledger.errors import BadInput

ROPE: Mapping[str, Use] = dict.fromkeys(
    ("rope_scaling", "rope_parameters", "partial_rotary_factor", "rotary_dim"), Ruled()
)


def _turned(values: Values) -> Settings:
    """Return how much of a head is turned: a share of it, or, in older files, so many elements."""
    older = values.get("rotary_dim")
    if older is None:
        return share(1.0).read(values)
    width = size("head_dim", values["head_dim"])
    if type(older) is not int or not 0 < older <= width or older % 2:
        raise BadInput(
            f"rotary_dim = {written(older)} does not fit head_dim = {width}: an even number of its "
            "elements is turned."
        )
    return partly(older, width)


MINIMAX_M2 = Family(
    "minimax_m2",
    classes("minimax_m2", "MiniMaxM2"),
    {
        **{name: use for name, use in USES.items() if name != "attention_bias"},
        **ROPE,
        "num_key_value_heads": SizeOf("h_kv"),
        "head_dim": SizeOf("d_h"),
        "router_aux_loss_coef": FREE,
        **dict.fromkeys((
            "attn_type_list", "mtp_transformer_layers", "num_mtp_modules", "scoring_func",
            "use_mtp", "use_qk_norm", "use_routing_bias", "qk_norm_type",
            "shared_intermediate_size",
        ), FREE),
    },
    (Rule(("hidden_size", "num_attention_heads", "head_dim"), _turned),),
    SPARSE,
)  # fmt: skip
"""Its published files hold keys that its class does not read; modules that predict further tokens
are not built."""
