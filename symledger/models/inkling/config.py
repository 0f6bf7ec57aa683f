"""Inkling: LLaMA's keys, heads of layers with a window, short convolutions, distances, experts."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType
from typing import Any

from symledger.arguments.specs import (
    Free,
    Number,
    Only,
    Settings,
    SizeOf,
    Use,
    among,
    size,
    written,
)
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import ATTENTION, EXPERTS, GATE, layers
from symledger.config_keys.expert_keys import LAYER, layered, listed_dense
from symledger.config_keys.family import AtLeast, Built, Context, Family, Rule, Ruled, Values
from symledger.config_keys.window_keys import FULL, SLIDING, beside_dense
from symledger.errors import BadInput, shown

KINDS = {"hybrid_sliding": SLIDING, "hybrid": FULL}
"""What kinds of layers are called here, where others attend alone."""


def named_by_others(values: Values) -> dict[str, Any]:
    """Return the keys with kinds of layers and the window as other families call them."""
    types, found = values.get("layer_types"), dict(values)
    if isinstance(types, list):
        found["layer_types"] = [KINDS[str(among("layer_types", kind, (*KINDS,)))] for kind in types]
    found["sliding_window"] = size("sliding_window_size", values["sliding_window_size"])
    return found


def _near(values: Values, number: int) -> list[bool]:
    """Return which layers have a window where kinds are not listed: those that are numbered.

    Where they are not either, all but each sixth.
    """
    said = values.get("local_layer_ids")
    if said is None:
        return [(i + 1) % 6 != 0 for i in range(number)]
    if not isinstance(said, list) or not all(type(i) is int for i in said):
        raise BadInput(
            f"local_layer_ids = {shown(written(said))} is no list of numbers of layers, of those "
            "that have a window."
        )
    return [i in said for i in range(number)]


def _dense(values: Values) -> list[bool]:
    """Return which layers have no experts: as listed, else as many of the first as are said."""
    if values.get("mlp_layer_types") is not None:
        return listed_dense(values)
    first = size("dense_mlp_idx", values.get("dense_mlp_idx", 0), least=0)
    return [i < first for i in range(layers(values))]


def _widths(values: Values) -> Settings:
    """Return how wide networks and experts are: where one key says the first, another the other."""
    own = values.get("dense_intermediate_size")
    wide = "intermediate_size" if own is None else "dense_intermediate_size"
    narrow = "moe_intermediate_size" if own is None else "intermediate_size"
    return {"d_ff": str(size(wide, values[wide])), "d_exp": str(size(narrow, values[narrow]))}


(_LISTED,) = beside_dense(_near, _dense)
KEYS: Mapping[str, Use] = {
    "vocab_size": SizeOf("V"),
    "hidden_size": SizeOf("d"),
    "num_hidden_layers": SizeOf("L"),
    "num_attention_heads": SizeOf("h"),
    "num_key_value_heads": SizeOf("h_kv"),
    "head_dim": SizeOf("d_h"),
    "swa_num_attention_heads": SizeOf("h_w"),
    "swa_num_key_value_heads": SizeOf("h_kw"),
    "swa_head_dim": SizeOf("d_hw"),
    "d_rel": SizeOf("d_rel"),
    "rel_extent": SizeOf("n_r"),
    "conv_kernel_size": AtLeast("K", least=2),
    "num_experts_per_tok": SizeOf("k"),
    "n_routed_experts": SizeOf("E"),
    "max_position_embeddings": Context(),
    "unpadded_vocab_size": Free((int, NoneType)),
    "log_scaling_n_floor": Free((int, NoneType)),
    "log_scaling_alpha": Number(),
    "route_scale": Number(),
    **dict.fromkeys(("sliding_window_size", "layer_types"), Ruled()),
    "tie_word_embeddings": Free((bool,)),
    "number_of_conv_states": Only((4,), "each layer remembers the inputs of four convolutions"),
    **dict.fromkeys(("attention_dropout", "initializer_range"), FREE),
}
DENSE = ("dense_block", "windowed_dense_block")
ATTENDING = {
    **ATTENTION,
    "model.embed_tokens.embed_norm.weight": ("embedding_norm.g",),
    **{f"{LAYER}self_attn.{theirs}": (f"block.{ours}",) for theirs, ours in (
        ("r_proj.weight", "attention.R.W"), ("rel_logits_proj.proj", "attention.core.R"),
        ("k_sconv.conv1d.weight", "attention.convolution_K.convolution.F"),
        ("v_sconv.conv1d.weight", "attention.convolution_V.convolution.F"))},
    **{f"{LAYER}{part}_sconv.conv1d.weight": (f"block.convolution_{i}.convolution.F",)
       for i, part in enumerate(("attn", "mlp"), 1)},
}  # fmt: skip
MIXTURE = {
    **EXPERTS,
    f"{LAYER}mlp.gate.global_scale": ("block.feed_forward.router.scale",),
    **{f"{LAYER}mlp.shared_experts.{x}_proj": (f"block.feed_forward.shared_experts.W_{x}",)
       for x in ("gate", "up", "down")},
}  # fmt: skip
INKLING = Family(
    "inkling_text",
    {
        "InklingForCausalLM": Built("inkling", {"head": "lm"}),
        "InklingTextModel": Built("inkling", {"head": "bare"}),
    },
    {
        **KEYS,
        "hidden_act": GATE,
        "n_shared_experts": SizeOf("E_s"),
        "logits_mup_width_multiplier": Number(),
        **dict.fromkeys((
            "local_layer_ids", "mlp_layer_types", "dense_mlp_idx", "intermediate_size",
            "moe_intermediate_size", "dense_intermediate_size",
        ), Ruled()),
        **dict.fromkeys((
            "shared_expert_sink", "rms_norm_eps_moe_gate", "num_mtp_layers",
            "chain_hidden_post_norm", "mtp_hidden_states_first", "mtp_local_layer_ids",
        ), FREE),
    },
    (
        Rule(("num_hidden_layers",), lambda values: _LISTED.read(named_by_others(values))),
        Rule((), _widths),
    ),
    {
        **layered(MIXTURE, ATTENDING),
        f"{LAYER}mlp.global_scale": tuple(f"{kind}.feed_forward.scale" for kind in DENSE),
    },
)  # fmt: skip
"""No table is tied, and layers that predict further tokens are not built, whatever keys say."""
