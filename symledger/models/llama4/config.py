"""Llama 4's decoder of text: chunks, layers without positions, and experts in some or all."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Settings, SizeOf, among, size, written
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import ATTENTION, LLAMA_KEYS, layers
from symledger.config_keys.expert_keys import LAYER, layered
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.window_keys import FULL, beside_dense
from symledger.errors import BadInput, shown

CHUNKED = "chunked_attention"
INSIDE, OURS = f"{LAYER}feed_forward.", "block.feed_forward."


def _flags(values: Values) -> list[bool]:
    """Return which layers are told positions: those that are listed as 1, or all but each fourth.

    Raises:
        BadInput: the list is none of layers.
    """
    number, flags = layers(values), values.get("no_rope_layers")
    if not flags:
        every = size("no_rope_layer_interval", values["no_rope_layer_interval"])
        return [(i + 1) % every != 0 for i in range(number)]
    if not isinstance(flags, list) or len(flags) != number or not set(flags) <= {0, 1}:
        raise BadInput(
            f"no_rope_layers = {shown(written(flags))} does not say 1 (told positions) or 0 of "
            f"each of {number} layers."
        )
    return [flag == 1 for flag in flags]


def _chunked(values: Values, number: int) -> list[bool]:
    """Return which layers attend inside chunks: those that are told positions.

    Raises:
        BadInput: the kinds that are listed are others, or one of them is not known.
    """
    told, kinds = _flags(values), values.get("kinds")
    if kinds is None:
        return told
    found = [among("layer_types", kind, (CHUNKED, FULL)) == CHUNKED for kind in kinds]
    if found != told:
        raise BadInput(
            f"layer_types with {sum(found)} layers of {CHUNKED} and no_rope_layers with "
            f"{sum(told)} that are told positions do not fit: layers of both kinds at once are not "
            "supported. Leave one of the two out."
        )
    return told


def _read(values: Values) -> Settings:
    """Read which layers are of which kind, as if chunks were windows."""
    kinds = values.get("layer_types")
    if kinds is not None and (not isinstance(kinds, list) or len(kinds) != layers(values)):
        raise BadInput(
            f"layer_types = {shown(written(kinds))} does not name the kinds of {layers(values)} "
            "layers."
        )
    if values.get("attention_chunk_size") is None and any(_chunked(values, layers(values))):
        raise BadInput(
            "attention_chunk_size = null does not fit: layers attend inside chunks. Give a whole "
            "number, or leave it out for the default."
        )
    seen = {**values, "kinds": kinds, "layer_types": None,
            "sliding_window": values.get("attention_chunk_size")}  # fmt: skip
    (rule,) = beside_dense(_chunked, _dense)
    return rule.read(seen)


def _dense(values: Values) -> list[bool]:
    """Return which layers have no experts: those that are not listed, or not each so many.

    Raises:
        BadInput: the list is none of layers.
    """
    number, listed = layers(values), values.get("moe_layers")
    if listed is None:
        step = size("interleave_moe_layer_step", values["interleave_moe_layer_step"])
        return [(i + 1) % step != 0 for i in range(number)]
    if not isinstance(listed, list) or not all(type(i) is int and i >= 0 for i in listed):
        raise BadInput(f"moe_layers = {shown(written(listed))} is no list of layers, from 0 on.")
    return [i not in listed for i in range(number)]


LLAMA4 = Family(
    "llama4_text",
    {"Llama4ForCausalLM": Built("llama4", {"head": "lm"}),
     "Llama4TextModel": Built("llama4", {"head": "bare"})},
    {
        **LLAMA_KEYS,
        "intermediate_size": SizeOf("d_exp"),
        "intermediate_size_mlp": SizeOf("d_ff"),
        "num_key_value_heads": SizeOf("h_kv"),
        "head_dim": SizeOf("d_h"),
        "attention_bias": Choice("attention_bias", BOOLS),
        "use_qk_norm": Choice("qk_norm", BOOLS),
        "num_local_experts": SizeOf("E"),
        "num_experts_per_tok": SizeOf("k"),
        **dict.fromkeys((
            "layer_types", "no_rope_layers", "no_rope_layer_interval", "attention_chunk_size",
            "moe_layers", "interleave_moe_layer_step",
        ), Ruled()),
        **dict.fromkeys((
            "attn_temperature_tuning", "floor_scale", "attn_scale", "output_router_logits",
            "router_aux_loss_coef", "router_jitter_noise", "for_llm_compressor",
        ), FREE),
    },
    (Rule(("num_hidden_layers",), _read),),
    {
        **layered(
            {
                f"{INSIDE}router.weight": (f"{OURS}router.W",),
                f"{INSIDE}experts.gate_up_proj": (f"{OURS}experts.W_gate", f"{OURS}experts.W_up"),
                f"{INSIDE}experts.down_proj": (f"{OURS}experts.W_down",),
                **{f"{INSIDE}shared_expert.{x}_proj.weight": (f"{OURS}shared_experts.{x}.W",)
                   for x in ("gate", "up", "down")},
            },
            ATTENTION,
        ),
        **{f"{INSIDE}{x}_proj.weight": tuple(
            f"{kind}.feed_forward.{x}.W" for kind in ("dense_block", "windowed_dense_block"))
           for x in ("gate", "up", "down")},
    },
)  # fmt: skip
