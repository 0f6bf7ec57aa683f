"""Qwen4-Exp: Qwen3.5's keys, those of an indexer, and those of residual streams."""

from __future__ import annotations

from symledger.arguments.specs import Only, Settings, SizeOf, size
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import floored, floored_width, turned
from symledger.config_keys.delta_keys import CHUNK, KEYS, SERVED, kinds
from symledger.config_keys.expert_keys import LAYER
from symledger.config_keys.family import AtLeast, Built, Family, Rule, Ruled, Values
from symledger.config_keys.hybrid_keys import BLOCKS, FULL, alternating_dense, everywhere
from symledger.errors import BadInput
from symledger.models.qwen_next.config import APART, PREDICTING, ROUTING, SPARSE

INDEXER = {
    "indexer_n_heads": "n_i", "indexer_head_dim": "d_x", "indexer_compress_ratio": "r_c",
}  # fmt: skip
CHOSEN = ("indexed_attention", "qwen_sparse_attention")
"""How files call layers that attend, beside what older ones call them."""


def _attending(values: Values) -> list[bool]:
    listed = values.get("layer_types")
    if isinstance(listed, list):
        values = {**values, "layer_types": [FULL if k in CHOSEN else k for k in listed]}
    return kinds(values)


def _kinds(values: Values) -> Settings:
    """Return which layers attend; every layer is a mixture."""
    attends = _attending(values)
    return alternating_dense(attends, [False] * len(attends))


def _indexed(values: Values) -> Settings:
    """Return how much of a head is turned, and the sizes of indexers, where a layer attends.

    Raises:
        BadInput: an indexer's sizes are not said, or its heads do not fit what is turned.
    """
    width = floored_width(values)
    found = {**floored(values), **turned(values, "partial_rotary_factor", 1.0, width, whole=False)}
    said = {name: values[name] for name in (*INDEXER, "indexer_kv_heads", "indexer_budget")}
    if all(value is None for value in said.values()) and not any(_attending(values)):
        return found
    read = {name: size(name, value) for name, value in said.items()}
    d_rot, d_x = int(found["d_rot"]), read["indexer_head_dim"]
    if read["indexer_kv_heads"] != 1:
        raise BadInput(
            f"indexer_kv_heads = {read['indexer_kv_heads']} does not fit: an indexer has one key "
            "for all of its queries."
        )
    if read["indexer_budget"] % read["indexer_compress_ratio"]:
        raise BadInput(
            f"indexer_compress_ratio = {read['indexer_compress_ratio']} does not divide "
            f"indexer_budget = {read['indexer_budget']}: whole blocks are chosen."
        )
    if d_rot > d_x or (d_rot < width and d_rot == d_x) or (d_rot == width != d_x):
        raise BadInput(
            f"indexer_head_dim = {d_x} with {d_rot} turned elements of head_dim = {width} is not "
            "supported: an indexer's heads are turned as far, so they have to be as wide where all "
            "of a head is turned, and wider than what is turned where a part is."
        )
    return {**found, **{ours: str(read[name]) for name, ours in INDEXER.items()}}


def _streams(values: Values) -> Settings:
    """Refuse a single stream."""
    if size("hc_count", values["hc_count"]) < 2:
        raise BadInput("hc_count = 1 does not fit: there are at least 2 residual streams.")
    return {}


GATES = {
    "hc_norm": "g", "input_mix_weight_down": "down.W", "input_mix_weight_up": "up.W",
    "block_inject_weight": "write.W",
}  # fmt: skip


def _tensors() -> dict[str, tuple[str, ...]]:
    """Return our weights behind those of the implementation, of either kind of layer."""
    added = {
        **{f"{part}_hyper_connection.{theirs}.weight": (f"streams_{number}.{ours}",)
           for part, number in (("attn", 1), ("mlp", 2)) for theirs, ours in GATES.items()},
        **{f"self_attn.indexer.{theirs}.weight": (f"attention.indexer.{ours}",) for theirs, ours in
           (("index_qk_proj", "QK.W"), ("q_layernorm", "norm_Q.g"), ("k_layernorm", "norm_K.g"))},
    }  # fmt: skip
    blocks = {f"{LAYER}{theirs}": tuple(f"block.{x}" for x in ours)
              for theirs, ours in added.items()}  # fmt: skip
    known = {name: ours for name, ours in {**SPARSE, **APART}.items() if "layernorm" not in name}
    return {
        **known, **everywhere(blocks, BLOCKS),
        **{f"model.hyper_connection_mixer.{theirs}.weight": (f"final_streams.{ours}",)
           for theirs, ours in GATES.items()},
    }  # fmt: skip


QWEN4 = Family(
    "qwen4_exp_text",
    {"Qwen4ExpForCausalLM": Built("qwen4", {"head": "lm"}),
     "Qwen4ExpTextModel": Built("qwen4", {"head": "bare"})},
    {
        **{name: use for name, use in KEYS.items() if name != "intermediate_size"},
        **ROUTING, **PREDICTING,
        "num_experts": AtLeast("E"),
        "hc_count": SizeOf("n_s"),
        "hc_lowrank": SizeOf("d_r"),
        **dict.fromkeys((*INDEXER, "indexer_kv_heads", "indexer_budget",
                         "partial_rotary_factor", "rope_parameters"), Ruled()),
        "output_gate_type": Only((None, "silu")),
        "ple_layer_ids": Only(([], None), "embeddings of n-grams are not derived"),
        **dict.fromkeys((
            "ple_embed_dim", "ple_conv_kernel_size", "ngram_size", "heads_per_ngram", "seed",
            "ngram_vocab_size_base", "make_ngram_vocab_size_divisible_by", "split_ngram_parts",
            "number_of_conv_states",
        ), FREE),
    },
    (
        SERVED,
        Rule(("num_hidden_layers",), _kinds),
        Rule(("hidden_size", "num_attention_heads", "head_dim"), _indexed),
        Rule(("hc_count",), _streams),
    ),
    _tensors(),
    CHUNK,
)  # fmt: skip
