"""Zamba: keys of Mamba's mixers and of one block, and which layers use it."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Settings, SizeOf, among, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import WIDTHS, layers
from symledger.config_keys.expert_keys import classes
from symledger.config_keys.family import AtLeast, Family, Rule, Ruled, Values
from symledger.config_keys.mamba_hybrid_keys import SILU
from symledger.errors import BadInput, shown

MAMBA, HYBRID = "linear_attention", "hybrid"


def _unsaid(values: Values, number: int) -> list[str]:
    """Return the kinds of layers where none are listed: the third, and one of every so many."""
    period = size("attn_layer_period", values["attn_layer_period"])
    offset = size("attn_layer_offset", values["attn_layer_offset"], least=0)
    later = (HYBRID if i % period == offset else MAMBA for i in range(number - 3))
    return [MAMBA, MAMBA, HYBRID, *later]


def _kinds(values: Values) -> Settings:
    """Return how many layers use the shared block.

    Raises:
        BadInput: not every layer is named, or too few or all of them use it.
    """
    number, listed = layers(values), values.get("layers_block_type")
    listed = _unsaid(values, number) if listed is None else listed
    if not isinstance(listed, list) or len(listed) != number:
        raise BadInput(
            f"layers_block_type = {shown(written(listed))} does not name the kinds of {number} "
            "layers."
        )
    named = [MAMBA if kind == "mamba" else kind for kind in listed]
    uses = sum(among("layers_block_type", kind, (MAMBA, HYBRID)) == HYBRID for kind in named)
    if uses < 2 or uses == number:
        raise BadInput(
            f"layers_block_type names {uses} of {number} layers {HYBRID}, which is not supported: "
            "at least two layers have to use the shared block, and some none."
        )
    if values["tie_word_embeddings"] is False:
        raise BadInput(
            "tie_word_embeddings = false is not supported: the class then ties no weights at all, "
            "those of the shared block neither. Leave it out."
        )
    return {"L_a": str(uses)}


def _heads(values: Values) -> Settings:
    """Return the widths of heads: those of attention share twice the width of the model."""
    d, h = values["hidden_size"], size("num_attention_heads", values["num_attention_heads"])
    h_kv = size("num_key_value_heads", values["num_key_value_heads"])
    read, said = values.get("attention_hidden_size") or 2 * d, values.get("attention_head_dim")
    if read != 2 * d:
        raise BadInput(
            f"attention_hidden_size = {written(read)} is not twice hidden_size = {d}: the shared "
            "block reads two vectors of that width. Leave it out."
        )
    if h % h_kv or (not said and 2 * d < h):
        raise BadInput(
            f"num_attention_heads = {h} does not fit hidden_size = {d} and num_key_value_heads = "
            f"{h_kv}: heads share twice the width, and heads of keys and values divide heads."
        )
    d_h = size("attention_head_dim", said) if said else 2 * d // h
    return {"d_h": str(d_h)}


def _channels(values: Values) -> Settings:
    """Return the heads of a mixer, and the rank of its step sizes, d/16 unless it is said."""
    d, rank = size("hidden_size", values["hidden_size"]), values["mamba_dt_rank"]
    number = size("n_mamba_heads", values["n_mamba_heads"])
    inner = size("mamba_expand", values["mamba_expand"]) * d
    if inner % number:
        raise BadInput(
            f"n_mamba_heads = {number} does not divide mamba_expand times hidden_size = {inner}: "
            "no such model can be built."
        )
    rank = -(-d // 16) if rank == "auto" else size("mamba_dt_rank", rank)
    return {"h_s": str(number), "d_hs": str(inner // number), "d_r": str(rank)}


ROOT, USE = "model.layers.*.", "shared.use."
MIXER = {
    **{f"{theirs}_proj.{weight}": f"{theirs}.{w}" for theirs in ("in", "out")
       for weight, w in (("weight", "W"), ("bias", "b"))},
    "conv1d.weight": "convolution.F", "conv1d.bias": "convolution.b",
    "x_proj_weight": "W_select", "dt_proj_weight": "W_step", "dt_proj_bias": "b_step",
    "A_log": "scan.A_log", "D": "scan.D",
}  # fmt: skip
BLOCK = f"{ROOT}shared_transf."
TENSORS = {
    "model.embed_tokens.weight": ("token_embedding.E",),
    "model.final_layernorm.weight": ("final_norm.g",),
    "lm_head.weight": ("head.W",),
    **{f"{ROOT}{inside}mamba.{name}": (f"{ours}layer.mixer.{w}",)
       for inside, ours in (("", ""), ("mamba_decoder.", USE)) for name, w in MIXER.items()},
    f"{ROOT}input_layernorm.weight": ("layer.norm.g",),
    f"{ROOT}mamba_decoder.input_layernorm.weight": (f"{USE}layer.norm.g",),
    f"{ROOT}linear.weight": (f"{USE}map.W",),
    **{f"{BLOCK}self_attn.{x.lower()}_proj.weight": (f"shared.W_{x}",) for x in "QKVO"},
    f"{BLOCK}input_layernorm.weight": ("shared.g_1",),
    f"{BLOCK}pre_ff_layernorm.weight": ("shared.g_2",),
    **{f"{BLOCK}feed_forward.{x}_proj.weight": (f"shared.W_{ours}",)
       for x, ours in (("gate", "gate"), ("up", "up"), ("down", "out"))},
}  # fmt: skip

ZAMBA = Family(
    "zamba",
    classes("zamba", "Zamba"),
    {
        **{name: use for name, use in WIDTHS.items() if name != "head_dim"},
        "hidden_act": Acting(),
        "hidden_mamba_act": SILU,
        "mamba_d_state": SizeOf("d_s"),
        "mamba_d_conv": AtLeast("K", least=2),
        "mamba_conv_bias": Choice("convolution_bias", BOOLS),
        "mamba_proj_bias": Choice("projection_bias", BOOLS),
        **dict.fromkeys((
            "layers_block_type", "attn_layer_period", "attn_layer_offset", "n_mamba_heads",
            "mamba_expand", "mamba_dt_rank", "attention_hidden_size", "attention_head_dim",
        ), Ruled()),
        **dict.fromkeys((
            "use_mamba_kernels", "use_associative_scan", "time_step_min", "time_step_max",
            "time_step_floor", "attention_dropout", "num_logits_to_keep",
        ), FREE),
    },
    (
        Rule(("num_hidden_layers", "tie_word_embeddings"), _kinds),
        Rule(("hidden_size", "num_attention_heads", "num_key_value_heads"), _heads),
        Rule(("hidden_size",), _channels),
    ),
    TENSORS,
)  # fmt: skip
