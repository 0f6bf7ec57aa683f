"""LFM2 and LFM2-MoE: LLaMA's keys, those of short convolutions, and which layers attend."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Free, Settings, SizeOf, among, size, written
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import EXPERTS, FLOORED, TIED, WIDTHS, layers
from symledger.config_keys.expert_keys import classes
from symledger.config_keys.family import AtLeast, Family, Rule, Ruled, Values
from symledger.config_keys.hybrid_keys import (
    BLOCKS,
    DENSE_BLOCKS,
    alternating,
    alternating_dense,
    attending,
    everywhere,
    indexed,
    which,
)
from symledger.config_keys.window_keys import FULL, SLIDING
from symledger.errors import BadInput, shown

CONVOLUTION = "conv"
MOST = 10**9

KEYS = {
    **WIDTHS,
    "layer_types": Ruled(),
    "tie_embedding": Ruled(),
    "tie_word_embeddings": TIED,
    "conv_L_cache": AtLeast("K", least=2),
    "conv_bias": Choice("bias", BOOLS),
    **dict.fromkeys((
        "conv_dim", "conv_dim_out", "conv_use_xavier_init", "num_heads", "theta", "use_pos_enc",
    ), FREE),
}  # fmt: skip
"""The keys of the last line stand in published files, and the class reads none of them."""


def _attending(values: Values) -> list[bool]:
    """Return which layers attend: those that are listed in either way, all unless told."""
    listed = attending(values, CONVOLUTION)
    if listed is not None:
        return listed
    number, indices = layers(values), values.get("full_attn_idxs")
    return [True] * number if indices is None else indexed("full_attn_idxs", indices, number)


def _tied(values: Values) -> Settings:
    """Say whether the head is tied, where an older name says so."""
    older = values.get("tie_embedding")
    return {} if older is None else {"tied": BOOLS[among("tie_embedding", older, (True, False))]}


def _width(values: Values) -> Settings:
    """Return how wide networks are: two thirds of what is said, by a factor, rounded up."""
    older = values.get("block_ff_dim")
    name = "intermediate_size" if older is None else "block_ff_dim"
    width = size(name, values[name])
    if not among("block_auto_adjust_ff_dim", values["block_auto_adjust_ff_dim"], (True, False)):
        return {"d_ff": str(width)}
    width, factor = int(2 * width / 3), values["block_ffn_dim_multiplier"]
    if factor is not None:
        if type(factor) not in (int, float) or not 0 < factor < MOST:
            raise BadInput(
                f"block_ffn_dim_multiplier = {written(factor)} does not fit: a positive number is "
                "meant, or null."
            )
        step = size("block_multiple_of", values["block_multiple_of"])
        width = step * -(-int(factor * width) // step)
    return {"d_ff": str(size("intermediate_size", width))}


LAYER = "model.layers.*."
TENSORS = {
    "model.embed_tokens.weight": ("token_embedding.E",),
    "model.embedding_norm.weight": ("final_norm.g",),
    "lm_head.weight": ("head.W",),
    **everywhere({
        f"{LAYER}operator_norm.weight": ("block.norm_1.g",),
        f"{LAYER}ffn_norm.weight": ("block.norm_2.g",),
        f"{LAYER}conv.conv.weight": ("block.mixer.convolution.F",),
        f"{LAYER}conv.conv.bias": ("block.mixer.convolution.b",),
        **{f"{LAYER}conv.{name}_proj.{theirs}": (f"block.mixer.{name}.{ours}",)
           for name in ("in", "out") for theirs, ours in (("weight", "W"), ("bias", "b"))},
        **{f"{LAYER}self_attn.{theirs}.weight": (f"block.attention.{ours}",) for theirs, ours in (
            ("q_proj", "Q.W"), ("k_proj", "K.W"), ("v_proj", "V.W"), ("out_proj", "O.W"),
            ("q_layernorm", "norm_Q.g"), ("k_layernorm", "norm_K.g"))},
    }, (*BLOCKS, *DENSE_BLOCKS)),
}  # fmt: skip


def _networks(kinds: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    maps = (("w1", "gate"), ("w3", "up"), ("w2", "down"))
    return everywhere({f"{LAYER}feed_forward.{theirs}.weight": (f"block.feed_forward.{ours}.W",)
                       for theirs, ours in maps}, kinds)  # fmt: skip


LFM2 = Family(
    "lfm2",
    classes("lfm2", "Lfm2"),
    {
        **KEYS,
        "intermediate_size": Ruled(),
        "full_attn_idxs": Ruled(),
        **dict.fromkeys((
            "block_ff_dim", "block_auto_adjust_ff_dim", "block_ffn_dim_multiplier",
            "block_multiple_of",
        ), Ruled()),
        **dict.fromkeys((
            "block_dim", "block_norm_eps", "block_use_swiglu", "block_use_xavier_init",
            "block_mlp_init_scale", "block_out_init_scale",
        ), FREE),
    },
    (FLOORED, Rule(("num_hidden_layers",), lambda values: alternating(_attending(values))),
     Rule((), _tied), Rule((), _width)),
    {**TENSORS, **_networks(BLOCKS)},
)  # fmt: skip


def _dense(values: Values) -> Settings:
    """Say which layers attend, and that the first ones are dense."""
    attends = attending(values, CONVOLUTION)
    if attends is None:
        raise BadInput(
            "layer_types is missing: no model can be built without a list of which layers are "
            f"{CONVOLUTION} and which full_attention."
        )
    number = size("num_dense_layers", values["num_dense_layers"], least=0)
    return alternating_dense(attends, [i < number for i in range(len(attends))])


LFM2_MOE = Family(
    "lfm2_moe",
    classes("lfm2_moe", "Lfm2Moe"),
    {
        **KEYS,
        "num_experts": SizeOf("E"),
        "num_experts_per_tok": SizeOf("k"),
        "moe_intermediate_size": SizeOf("d_exp"),
        "num_dense_layers": Ruled(),
        "use_expert_bias": Free((bool,)),
        "norm_topk_prob": FREE,
        "routed_scaling_factor": FREE,
        "output_router_logits": FREE,
    },
    (FLOORED, Rule(("num_hidden_layers",), _dense), Rule((), _tied)),
    {
        **TENSORS, **_networks(DENSE_BLOCKS),
        **everywhere({name.replace("mlp", "feed_forward"): ours for name, ours in EXPERTS.items()},
                     BLOCKS),
    },
)  # fmt: skip


def _kinds(values: Values) -> Settings:
    """Return which layers attend, and which of those look back at a window only."""
    number, listed = layers(values), values.get("layer_types")
    if listed is None:
        listed = [FULL if i % 4 == 2 else SLIDING if i % 4 == 0 and i else CONVOLUTION
                  for i in range(number)]  # fmt: skip
    if not isinstance(listed, list) or len(listed) != number:
        raise BadInput(
            f"layer_types = {shown(written(listed))} does not name the kinds of {number} layers."
        )
    kinds = [among("layer_types", kind, (CONVOLUTION, FULL, SLIDING)) for kind in listed]
    found = alternating([kind != CONVOLUTION for kind in kinds])
    near = [kind == SLIDING for kind in kinds if kind != CONVOLUTION]
    found["windows"] = which(near)
    if not any(near):
        return found
    longest = values["sliding_window"]
    if longest is None:
        raise BadInput(
            f"{sum(near)} layers are {SLIDING}, but how long the window is is not said: give "
            "sliding_window."
        )
    found["w_max"] = str(size("sliding_window", longest))
    return {**found, "L_w": str(sum(near))} if found["windows"] == "some" else found


LFM3_KINDS = (*BLOCKS, "windowed_attention_block")
LFM3_NORMS = everywhere({
    f"{LAYER}{name}.weight": (f"block.{ours}.g",) for name, ours in (
        ("operator_norm", "norm_1"), ("ffn_norm", "norm_2"), ("post_operator_norm", "norm_3"),
        ("post_ffn_norm", "norm_4"),
    )
}, LFM3_KINDS)  # fmt: skip
LFM3_ATTENTION = everywhere({
    f"{LAYER}self_attn.{theirs}": (f"block.attention.{ours}",) for theirs, ours in (
        *((f"{x.lower()}_proj.{w}", f"{x}.{v}")
          for x in "QKVO" for w, v in (("weight", "W"), ("bias", "b"))),
        ("q_norm.weight", "norm_Q.g"), ("k_norm.weight", "norm_K.g"), ("g_proj.weight", "gate.W"),
    )
}, LFM3_KINDS)  # fmt: skip

LFM3 = Family(
    "lfm3",
    classes("lfm3", "Lfm3"),
    {
        **{name: use for name, use in KEYS.items() if name != "tie_embedding"},
        "attention_bias": Choice("attention_bias", BOOLS),
        "attention_dropout": FREE,
        "use_sandwich_norm": Choice("sandwich", BOOLS),
        "use_attention_gate": Choice("gated", BOOLS),
        "sliding_window": Ruled(),
        **dict.fromkeys(("rope_parameters", "rope_scaling"), FREE),
    },
    (FLOORED, Rule(("num_hidden_layers",), _kinds)),
    {**TENSORS, **_networks(LFM3_KINDS), **LFM3_ATTENTION, **LFM3_NORMS},
)  # fmt: skip
