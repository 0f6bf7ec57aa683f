"""RecurrentGemma: LLaMA's keys, those of a recurrence and a window, and a rhythm of layers."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Number, Settings, SizeOf, among, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import WIDTHS, layers, share
from symledger.config_keys.expert_keys import classes
from symledger.config_keys.family import AtLeast, Family, Rule, Ruled, Values
from symledger.config_keys.hybrid_keys import BLOCKS, alternating, everywhere
from symledger.errors import BadInput, shown

REPEATED = 100
"""How often the class repeats its rhythm of layers, at most."""


def _kinds(values: Values) -> Settings:
    """Return how many layers attend, of a rhythm that is repeated."""
    rhythm, number = values["block_types"], layers(values)
    if not isinstance(rhythm, list) or not number <= REPEATED * len(rhythm):
        raise BadInput(
            f"block_types = {shown(written(rhythm))} does not fit: a list of recurrent and "
            f"attention is meant, which {REPEATED} times over names at least {number} layers."
        )
    named = [among("block_types", kind, ("recurrent", "attention")) for kind in rhythm]
    return alternating([named[i % len(named)] == "attention" for i in range(number)])


def _widths(values: Values) -> Settings:
    """Return the channels of a recurrence, which blocks divide, and half of a network's width."""
    d, h = (size(name, values[name]) for name in ("hidden_size", "num_attention_heads"))
    width = values["lru_width"]
    channels = d if width is None else size("lru_width", width)
    if channels % h:
        raise BadInput(
            f"lru_width = {channels} does not divide into num_attention_heads = {h} blocks: gates "
            "are mapped block by block."
        )
    half = size("intermediate_size", values["intermediate_size"]) // 2
    return {"d_i": str(channels), "d_ff": str(size("half of intermediate_size", half))}


LAYER = "model.layers.*."
PAIRS = (("weight", "W"), ("bias", "b"))
TENSORS = {
    "model.embed_tokens.weight": ("token_embedding.E",),
    "model.final_norm.weight": ("final_norm.g",),
    "lm_head.weight": ("head.W",),
    **everywhere({
        f"{LAYER}temporal_pre_norm.weight": ("block.norm_1.g",),
        f"{LAYER}channel_pre_norm.weight": ("block.norm_2.g",),
        **{f"{LAYER}mlp_block.{x}_proj.{theirs}": (f"block.feed_forward.{x}.{ours}",)
           for x in ("gate", "up", "down") for theirs, ours in PAIRS},
        **{f"{LAYER}temporal_block.{x.lower()}_proj.{theirs}": (f"block.attention.{x}.{ours}",)
           for x in "QKVO" for theirs, ours in PAIRS},
        **{f"{LAYER}temporal_block.linear_{name}.{theirs}": (f"block.mixer.{ours}.{weight}",)
           for name, ours in (("y", "gate"), ("x", "in"), ("out", "out"))
           for theirs, weight in PAIRS},
        f"{LAYER}temporal_block.conv_1d.weight": ("block.mixer.convolution.F",),
        f"{LAYER}temporal_block.conv_1d.bias": ("block.mixer.convolution.b",),
        f"{LAYER}temporal_block.rg_lru.recurrent_param": ("block.mixer.recurrence.L",),
        **{f"{LAYER}temporal_block.rg_lru.{theirs}_gate_{weight}": (
            f"block.mixer.recurrence.{w}_{ours}",)
           for theirs, ours in (("input", "input"), ("recurrent", "decay"))
           for weight, w in PAIRS},
    }, BLOCKS),
}  # fmt: skip

RECURRENT_GEMMA = Family(
    "recurrent_gemma",
    classes("recurrent_gemma", "RecurrentGemma"),
    {
        **WIDTHS,
        "hidden_activation": Acting(learned=False),
        "attention_bias": Choice("attention_bias", BOOLS),
        "attention_dropout": FREE,
        "attention_window_size": SizeOf("w_max"),
        "conv1d_width": AtLeast("K", least=2),
        "logits_soft_cap": Number((0,)),
        **dict.fromkeys(("block_types", "lru_width", "intermediate_size"), Ruled()),
        **dict.fromkeys((
            "w_init_variance_scale", "final_w_init_variance_scale", "embeddings_scale_by_sqrt_dim",
            "hidden_act",
        ), FREE),
    },
    (share(0.5), Rule(("num_hidden_layers",), _kinds),
     Rule(("hidden_size", "num_attention_heads"), _widths)),
    TENSORS,
    {"T": "8192"},
)  # fmt: skip
"""No key says how long a sequence is."""
