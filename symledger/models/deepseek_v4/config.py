"""DeepSeek-V4: keys of its own, and older ones that say the same in numbers."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.arguments.specs import (
    Choice,
    Free,
    Only,
    Settings,
    SizeOf,
    Use,
    among,
    size,
    written,
)
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import GATE, HEADS, TIED, layers
from symledger.config_keys.expert_keys import classes
from symledger.config_keys.family import Context, Family, Rule, Ruled, Values
from symledger.config_keys.hybrid_keys import everywhere, which
from symledger.errors import BadInput, shown

SLIDING, CHOSEN, POOLED = (
    "sliding_attention", "compressed_sparse_attention", "heavily_compressed_attention",
)  # fmt: skip
RATIOS = {0: SLIDING, 4: CHOSEN, 128: POOLED}
"""What older files call the kinds of layers by."""
RATES = {CHOSEN: ("compress_rate_csa", 4, "r_x"), POOLED: ("compress_rate_hca", 128, "r_c")}
"""Older keys of how many positions a key is made of, the defaults, and our symbols."""
MIXTURES = ("hash_moe", "moe")
PAIRED = 2
BLOCKS = ("block", "indexed_block", "windowed_block")


def _listed(values: Values, key: str, kinds: tuple[object, ...]) -> list[object] | None:
    """Return the kinds of layers that are listed, of a longer list the first ones.

    Raises:
        BadInput: there is none for each layer, or one is not known.
    """
    found, number = values.get(key), layers(values)
    if found is None:
        return None
    if not isinstance(found, list) or len(found) < number:
        raise BadInput(
            f"{key} = {shown(written(found))} does not name the kinds of {number} layers."
        )
    return [among(key, kind, kinds) for kind in found][:number]


def _kinds(values: Values) -> list[object]:
    """Return the kind of each layer: as listed, by the older list of numbers, or in turn."""
    named = _listed(values, "layer_types", (SLIDING, CHOSEN, POOLED))
    if named is not None:
        return named
    ratios = _listed(values, "compress_ratios", tuple(RATIOS))
    if ratios is not None:
        return [RATIOS[ratio] for ratio in ratios if isinstance(ratio, int)]
    number = layers(values)
    return [CHOSEN if i > 1 and i % 2 else POOLED for i in range(number)]


def _stack(values: Values) -> Settings:
    """Say how many layers there are of each kind, and of how many positions a key is made."""
    kinds = _kinds(values)
    near = [kind == SLIDING for kind in kinds]
    found = {"windows": which(near), "w_max": str(size("sliding_window", values["sliding_window"]))}
    if found["windows"] == "some":
        found["L_w"] = str(sum(near))
    far = [kind == CHOSEN for kind in kinds if kind != SLIDING]
    if far:
        found["indexing"] = which(far)
        if found["indexing"] == "some":
            found["L_x"] = str(sum(far))
    rates = values.get("compress_rates")
    if not isinstance(rates, dict | None):
        raise BadInput(
            f"compress_rates = {shown(written(rates))} does not fit: a number for each of {CHOSEN} "
            f"and {POOLED} is meant."
        )
    for kind, (older, usual, symbol) in RATES.items():
        said = values.get(older)
        rate = (usual if rates is None else rates.get(kind)) if said is None else said
        if rate is None and kind in kinds:
            raise BadInput(f"compress_rates has no {kind}, which there are layers of: say it.")
        if kind in kinds:
            found[symbol] = str(size(f"compress_rates of {kind}", rate))
    return found


def _mixtures(values: Values) -> Settings:
    """Refuse layers of other kinds than two, which are counted alike."""
    _listed(values, "mlp_layer_types", MIXTURES)
    size("num_hash_layers", values.get("num_hash_layers", 0), least=0)
    return {}


def _rounds(values: Values) -> Settings:
    """Return how many times more rows and columns are divided by their sums, after the first."""
    rounds = size("hc_sinkhorn_iters", values["hc_sinkhorn_iters"])
    if rounds < PAIRED:
        raise BadInput(
            f"hc_sinkhorn_iters = {rounds} is not supported: rows and columns are divided by their "
            "sums at least twice in what is derived."
        )
    return {"n_n": str(rounds - 1)}


def _share(values: Values, width: int) -> int:
    """Return how many elements of a head are turned.

    Raises:
        BadInput: layers of both kinds differ in it, or it is no share.
    """
    said = values.get("rope_parameters")
    nested = isinstance(said, dict) and all(isinstance(said.get(x), dict)
                                            for x in ("main", "compress"))  # fmt: skip
    share = values.get("partial_rotary_factor")
    older = values.get("qk_rope_head_dim")
    if share is None:
        share = 64 / 512 if older is None else size("qk_rope_head_dim", older) / width
    if nested:
        assert isinstance(said, dict)
        shares = [said[x].get("partial_rotary_factor", 1.0) for x in ("main", "compress")]
        if shares[0] != shares[1]:
            raise BadInput(
                f"rope_parameters = {shown(written(said))} is not supported: as much of a head is "
                "turned in all layers that are derived (partial_rotary_factor)."
            )
        share = shares[0]
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1:
        raise BadInput(
            f"partial_rotary_factor = {written(share)} does not fit: a share of a head is meant, "
            "above 0 and at most 1."
        )
    return int(width * share)


def _turned(values: Values) -> Settings:
    """Return how much of a head is turned.

    Raises:
        BadInput: it does not go in pairs, or heads are no wider.
    """
    width = size("head_dim", values["head_dim"])
    d_rot = _share(values, width)
    if d_rot % 2 or not d_rot:
        raise BadInput(
            f"partial_rotary_factor turns {d_rot} of head_dim = {width} elements: they are turned "
            "in pairs, so an even number is needed."
        )
    narrow = {"head_dim": width}
    if CHOSEN in _kinds(values):
        narrow["index_head_dim"] = size("index_head_dim", values["index_head_dim"])
    for key, number in narrow.items():
        if number <= d_rot:
            raise BadInput(
                f"{key} = {number} is not supported with {d_rot} elements that are turned: "
                "something of a head has to be left that is not."
            )
    return {"d_rot": str(d_rot)}


def _groups(values: Values) -> Settings:
    """Refuse groups of heads that do not divide what these give."""
    h, width, groups = (size(key, values[key]) for key in (
        "num_attention_heads", "head_dim", "o_groups"))  # fmt: skip
    if h * width % groups:
        raise BadInput(
            f"o_groups = {groups} does not divide the {h * width} elements of all heads "
            f"(num_attention_heads = {h}, head_dim = {width})."
        )
    return {}


def _chosen(values: Values) -> Settings:
    """Refuse more experts for a token than there are."""
    experts, chosen = (size(key, values[key]) for key in (
        "n_routed_experts", "num_experts_per_tok"))  # fmt: skip
    if chosen > experts:
        raise BadInput(
            f"num_experts_per_tok = {chosen} does not fit n_routed_experts = {experts}: a token "
            "is sent to so many of them."
        )
    return {}


ATTENTION = {
    "sinks": "core.sinks", "q_a_proj.weight": "Q_down.W", "q_a_norm.weight": "norm_Q.g",
    "q_b_proj.weight": "Q.W", "kv_proj.weight": "KV.W", "kv_norm.weight": "norm.g",
    "o_a_proj.weight": "out.W", "o_b_proj.weight": "out.O.W",
}  # fmt: skip
COMPRESSOR = {
    "position_bias": "b", "kv_proj.weight": "KV.W", "gate_proj.weight": "gate.W",
    "kv_norm.weight": "norm.g",
}  # fmt: skip
STREAMS = {"fn": "W", "base": "b", "scale": "a"}
LAYER = {
    **{f"self_attn.{name}": f"attention.{ours}" for name, ours in ATTENTION.items()},
    **{f"self_attn.compressor.{name}": f"attention.compressed.{ours}"
       for name, ours in COMPRESSOR.items()},
    **{f"self_attn.compressor.indexer.{name}": f"attention.indexer.keys.{ours}"
       for name, ours in COMPRESSOR.items()},
    "self_attn.compressor.indexer.q_b_proj.weight": "attention.indexer.Q.W",
    "self_attn.compressor.indexer.scorer.weights_proj.weight": "attention.indexer.weights.W",
    "input_layernorm.weight": "norm_1.g", "post_attention_layernorm.weight": "norm_2.g",
    **{f"{part}_hc.{name}": f"streams_{number}.{ours}"
       for number, part in enumerate(("attn", "ffn"), 1) for name, ours in STREAMS.items()},
    "mlp.gate.weight": "feed_forward.router.W",
    "mlp.experts.down_proj": "feed_forward.experts.W_down",
    **{f"mlp.shared_experts.{x}_proj.{kind}": f"feed_forward.shared_experts.{x}.{ours}"
       for x in ("gate", "up", "down") for kind, ours in (("weight", "W"), ("bias", "b"))},
}  # fmt: skip
TENSORS = {
    "model.embed_tokens.weight": ("token_embedding.E",),
    "model.norm.weight": ("final_norm.g",),
    **{f"model.hc_head.hc_{name}": (f"join.{ours}",) for name, ours in STREAMS.items()},
    **HEADS,
    **everywhere({
        **{f"model.layers.*.{name}": (f"block.{ours}",) for name, ours in LAYER.items()},
        "model.layers.*.mlp.experts.gate_up_proj": tuple(
            f"block.feed_forward.experts.W_{x}" for x in ("gate", "up")),
    }, BLOCKS),
}  # fmt: skip
USES: Mapping[str, Use] = {
    "vocab_size": SizeOf("V"),
    "hidden_size": SizeOf("d"),
    "moe_intermediate_size": SizeOf("d_ff"),
    "num_hidden_layers": SizeOf("L"),
    "num_attention_heads": SizeOf("h"),
    "head_dim": SizeOf("d_h"),
    "q_lora_rank": SizeOf("d_q"),
    "num_experts_per_tok": SizeOf("k"),
    "n_routed_experts": SizeOf("E"),
    "o_groups": SizeOf("G"),
    "o_lora_rank": SizeOf("d_r"),
    "index_n_heads": SizeOf("n_i"),
    "index_head_dim": SizeOf("d_x"),
    "hc_mult": SizeOf("n_s"),
    "hc_sinkhorn_iters": Ruled(),
    "hidden_act": GATE,
    "max_position_embeddings": Context(),
    "tie_word_embeddings": TIED,
    "mlp_bias": Choice("mlp_bias"),
    "scoring_func": Only(("sqrtsoftplus",)),
    **dict.fromkeys((
        "sliding_window", "layer_types", "compress_ratios", "compress_rates", "compress_rate_csa",
        "compress_rate_hca", "mlp_layer_types", "num_hash_layers", "partial_rotary_factor",
        "qk_rope_head_dim", "rope_parameters",
    ), Ruled()),
    **dict.fromkeys(("swiglu_limit", "routed_scaling_factor", "hc_eps"), Free((float,))),
    **dict.fromkeys((
        "num_key_value_heads", "n_shared_experts", "index_topk", "num_nextn_predict_layers",
        "norm_topk_prob", "output_router_logits", "router_jitter_noise", "attention_bias",
        "compress_rope_theta", "rope_scaling", "topk_method", "expert_dtype",
    ), FREE),
}  # fmt: skip
DEEPSEEK_V4 = Family(
    "deepseek_v4",
    classes("deepseek_v4", "DeepseekV4"),
    USES,
    (
        Rule(("num_hidden_layers",), _stack),
        Rule(("num_hidden_layers",), _mixtures),
        Rule((), _rounds),
        Rule(("head_dim", "index_head_dim", "num_hidden_layers"), _turned),
        Rule(("num_attention_heads", "head_dim", "o_groups"), _groups),
        Rule(("n_routed_experts", "num_experts_per_tok"), _chosen),
    ),
    TENSORS,
)  # fmt: skip
"""No class has the module that predicts a second token, nor biases; there is one shared expert and
one vector for keys and values, whatever ``n_shared_experts`` and ``num_key_value_heads`` say."""
