"""MiniMax-M3: Mixtral's keys, those of indexers, and which layers are of which kind."""

from __future__ import annotations

from symledger.arguments.specs import Number, Settings, SizeOf, among, size, written
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import (
    ATTENTION,
    EXPERTS,
    LLAMA_KEYS,
    floored,
    floored_width,
    layers,
    partly,
)
from symledger.config_keys.expert_keys import BLOCK, LAYER
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.hybrid_keys import alternating_dense, everywhere
from symledger.errors import BadInput, shown

FULL, CHOSEN = "full_attention", "minimax_m3_sparse"
OLDER = {"index_n_heads": "sparse_num_index_heads", "index_head_dim": "sparse_index_dim"}


def _inside(values: Values) -> Values:
    """Return what older files say of indexers, in an object of its own."""
    said = values.get("sparse_attention_config")
    if said is not None and not isinstance(said, dict):
        raise BadInput(f"sparse_attention_config = {shown(written(said))} is no object.")
    return said or {}


def _listed(name: str, listed: object, number: int, kinds: tuple[object, object]) -> list[bool]:
    """Return which of so many layers are of the second kind, as they are listed.

    Raises:
        BadInput: not every layer is named.
    """
    if not isinstance(listed, list) or len(listed) != number:
        raise BadInput(
            f"{name} = {shown(written(listed))} does not name the kinds of {number} layers."
        )
    return [among(name, kind, kinds) == kinds[1] for kind in listed]


def _kinds(values: Values) -> Settings:
    """Return which layers attend to everything, and which have no experts."""
    number, frequencies = layers(values), _inside(values).get("sparse_attention_freq")
    chosen, dense = [False] * number, [False] * number
    if values.get("layer_types") is not None:
        chosen = _listed("layer_types", values["layer_types"], number, (FULL, CHOSEN))
    elif frequencies is not None:
        chosen = _listed("sparse_attention_freq", frequencies, number, (0, 1))
    if values.get("mlp_layer_types") is not None:
        dense = _listed("mlp_layer_types", values["mlp_layer_types"], number, ("sparse", "dense"))
    elif values.get("moe_layer_freq") is not None:
        dense = _listed("moe_layer_freq", values["moe_layer_freq"], number, (1, 0))
    return alternating_dense([not c for c in chosen], dense)


def _turned(values: Values) -> Settings:
    """Return how much of a head is turned, and how wide indexers are, of which as much is.

    Raises:
        BadInput: it is no even number of elements, or more than a head of an indexer has.
    """
    width, said = floored_width(values), values.get("rope_parameters") or {}
    share = said.get("partial_rotary_factor") if isinstance(said, dict) else None
    share = values.get("partial_rotary_factor", 1.0) if share is None else share
    fits = type(share) in (int, float) and 0 < share <= 1
    turned = int(width * share) if fits else 0
    if _kinds(values)["attending"] == "all" and turned and turned % 2 == 0:
        return {**floored(values), **partly(turned, width)}  # there is no indexer
    inside = _inside(values)
    n_i, d_x = (size(name, inside.get(older, values[name])) for name, older in OLDER.items())
    if not turned or turned % 2 or turned > d_x or (turned < width and turned == d_x):
        raise BadInput(
            f"partial_rotary_factor = {written(share)} does not fit head_dim = {width} and "
            f"index_head_dim = {d_x}: an even number of elements is turned, and an indexer's heads "
            "are turned as far, so they have to be as wide, or wider where a part is."
        )
    if turned == width != d_x:
        raise BadInput(
            f"index_head_dim = {d_x} with head_dim = {width}, all of which is turned, is not "
            "supported: choose the same of both."
        )
    if values["num_attention_heads"] % n_i:
        raise BadInput(
            f"index_n_heads = {n_i} does not divide num_attention_heads = "
            f"{values['num_attention_heads']}: each chooses for as many heads."
        )
    return {**floored(values), **partly(turned, width), "n_i": str(n_i), "d_x": str(d_x)}


KINDS = ("block", "attention_block", "dense_block", "dense_attention_block")
NETWORK = {
    f"{LAYER}mlp.{theirs}gate_up_proj.weight": tuple(f"{BLOCK}{ours}{x}.W" for x in ("gate", "up"))
    for theirs, ours in (("", ""), ("shared_experts.", "shared_experts."))
} | {
    f"{LAYER}mlp.{theirs}down_proj.weight": (f"{BLOCK}{ours}down.W",)
    for theirs, ours in (("", ""), ("shared_experts.", "shared_experts."))
}
INDEXER = {
    f"{LAYER}self_attn.indexer.{x.lower()}_{theirs}.weight": (f"block.attention.indexer.{ours}",)
    for x in "QK" for theirs, ours in (("proj", f"{x}.W"), ("norm", f"norm_{x}.g"))
}  # fmt: skip


def _tensors() -> dict[str, tuple[str, ...]]:
    """Return our weights behind those of the implementation: attention is a mixer in some."""
    plain = everywhere({**ATTENTION, **EXPERTS, **NETWORK, **INDEXER}, KINDS)
    return {
        name: (*ours, *(x.replace(".attention.", ".mixer.", 1) for x in ours if ".attention." in x))
        for name, ours in plain.items()
    }  # fmt: skip


MINIMAX_M3 = Family(
    "minimax_m3_vl_text",
    {
        "MiniMaxM3VLForCausalLM": Built("minimax_m3", {"head": "lm"}),
        "MiniMaxM3VLTextModel": Built("minimax_m3", {"head": "bare"}),
    },
    {
        **LLAMA_KEYS,
        "hidden_act": FREE,
        "intermediate_size": SizeOf("d_exp"),
        "dense_intermediate_size": SizeOf("d_ff"),
        "shared_intermediate_size": SizeOf("d_sh"),
        "num_local_experts": SizeOf("E"),
        "num_experts_per_tok": SizeOf("k"),
        **dict.fromkeys((
            "layer_types", "mlp_layer_types", "moe_layer_freq", "sparse_attention_config",
            "index_n_heads", "index_head_dim", "rope_parameters", "partial_rotary_factor",
        ), Ruled()),
        **dict.fromkeys((
            "rotary_dim", "swiglu_alpha", "swiglu_limit", "index_block_size", "index_topk_blocks",
            "index_local_blocks", "output_router_logits", "router_jitter_noise",
        ), FREE),
        "routed_scaling_factor": Number(),
    },
    (
        Rule(("num_hidden_layers",), _kinds),
        Rule(("hidden_size", "num_attention_heads", "head_dim"), _turned),
    ),
    _tensors(),
)  # fmt: skip
"""What ``hidden_act`` says, and ``rotary_dim``, the class reads no more: gates are clamped, and a
share of a head is turned."""
