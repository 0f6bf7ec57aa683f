"""Jamba: LLaMA's keys, those of Mamba's mixers and of experts, and two rhythms of layers."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.arguments.specs import BOOLS, Choice, Free, Settings, SizeOf, size
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import FLOORED, WIDTHS, layers
from symledger.config_keys.expert_keys import classes
from symledger.config_keys.family import AtLeast, Family, Rule, Ruled, Values
from symledger.config_keys.hybrid_keys import (
    BLOCKS,
    DENSE_BLOCKS,
    alternating_dense,
    everywhere,
)
from symledger.config_keys.mamba_hybrid_keys import ATTENTION, ENDS, NETWORK, SILU, mixer
from symledger.errors import BadInput


def rhythm(values: Values, kind: str) -> list[bool]:
    """Return which layers are of a kind: one of every so many, at some place among them.

    Raises:
        BadInput: there is no such place.
    """
    period = size(f"{kind}_period", values[f"{kind}_period"])
    offset = size(f"{kind}_offset", values[f"{kind}_offset"], least=0)
    if offset >= period:
        raise BadInput(
            f"{kind}_offset = {offset} does not fit {kind}_period = {period}: of so many layers "
            f"the one at that place is meant, from 0 to {period - 1}."
        )
    return [i % period == offset for i in range(layers(values))]


def _kinds(values: Values) -> Settings:
    """Return how many layers there are of each kind; a single expert is a network."""
    sparse = rhythm(values, "expert_layer")
    if size("num_experts", values["num_experts"]) == 1:
        sparse = [False] * len(sparse)
    return alternating_dense(rhythm(values, "attn_layer"), [not s for s in sparse])


def _channels(values: Values) -> Settings:
    """Return the channels of a mixer, and the rank of its step sizes, d/16 unless it is said."""
    d, rank = size("hidden_size", values["hidden_size"]), values["mamba_dt_rank"]
    rank = -(-d // 16) if rank == "auto" else size("mamba_dt_rank", rank)
    return {"d_i": str(size("mamba_expand", values["mamba_expand"]) * d), "d_r": str(rank)}


LAYER = "model.layers.*."
EVERY = (*BLOCKS, *DENSE_BLOCKS)
MIXTURE = {
    "feed_forward.router.weight": ("block.feed_forward.router.W",),
    "feed_forward.experts.gate_up_proj": (
        "block.feed_forward.experts.W_gate", "block.feed_forward.experts.W_up"),
    "feed_forward.experts.down_proj": ("block.feed_forward.experts.W_down",),
}  # fmt: skip
MAMBA = {
    **{f"mamba.{theirs}.{weight}": (f"block.mixer.{ours}.{w}",)
       for theirs, ours in (("x_proj", "select"), ("dt_proj", "step"))
       for weight, w in (("weight", "W"), ("bias", "b"))},
    **{f"mamba.{theirs}_layernorm.weight": (f"block.mixer.norm_{ours}.g",)
       for theirs, ours in (("dt", "step"), ("b", "B"), ("c", "C"))},
}  # fmt: skip


def _layers(
    tensors: Mapping[str, tuple[str, ...]], kinds: tuple[str, ...] = EVERY
) -> dict[str, tuple[str, ...]]:
    return everywhere({f"{LAYER}{name}": ours for name, ours in tensors.items()}, kinds)


JAMBA = Family(
    "jamba",
    classes("jamba", "Jamba"),
    {
        **WIDTHS,
        "hidden_act": SILU,
        "mamba_d_state": SizeOf("d_s"),
        "mamba_d_conv": AtLeast("K", least=2),
        "mamba_conv_bias": Choice("convolution_bias", BOOLS),
        "mamba_proj_bias": Choice("projection_bias", BOOLS),
        "num_experts": SizeOf("E"),
        "num_experts_per_tok": SizeOf("k"),
        **dict.fromkeys((
            "mamba_expand", "mamba_dt_rank", "attn_layer_period", "attn_layer_offset",
            "expert_layer_period", "expert_layer_offset",
        ), Ruled()),
        **dict.fromkeys(("use_mamba_kernels", "use_mambapy", "use_associative_scan",
                         "mamba_inner_layernorms", "output_router_logits"), Free((bool,))),
        **dict.fromkeys((
            "router_aux_loss_coef", "num_logits_to_keep", "calc_logits_for_entire_prompt",
            "attention_dropout", "layers_block_type", "layers_num_experts",
        ), FREE),
    },
    (FLOORED, Rule(("num_hidden_layers", "num_experts"), _kinds),
     Rule(("hidden_size",), _channels)),
    {
        **ENDS, **mixer(kinds=EVERY), **_layers(MAMBA), **_layers(ATTENTION),
        **_layers(NETWORK, DENSE_BLOCKS), **_layers(MIXTURE, BLOCKS),
        **_layers({"input_layernorm.weight": ("block.norm_1.g",),
                   "pre_ff_layernorm.weight": ("block.norm_2.g",)}),
    },
)  # fmt: skip
