"""Zamba2: Mamba-2's keys in words of its own, and which layers use a shared block."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, SizeOf, among, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import WIDTHS, layers
from symledger.config_keys.expert_keys import classes
from symledger.config_keys.family import AtLeast, Context, Family, Rule, Ruled, Values
from symledger.config_keys.mamba_hybrid_keys import mixer
from symledger.errors import BadInput, shown

MAMBA, HYBRID = "linear_attention", "hybrid"
UNSAID = [MAMBA, *([MAMBA] * 5 + [HYBRID]) * 7, *[MAMBA] * 4, HYBRID, *[MAMBA] * 3, HYBRID,
          *[MAMBA] * 2]  # fmt: skip
"""The kinds of layers where none are listed (transformers 5.23, ``Zamba2Config``)."""


def _kinds(values: Values) -> Settings:
    """Return how many layers use a shared block, and how many such blocks there are.

    Raises:
        BadInput: not every layer is named, or all of them are of one kind.
    """
    number, listed = layers(values), values.get("layers_block_type")
    listed = UNSAID if listed is None else listed
    if not isinstance(listed, list) or len(listed) != number:
        raise BadInput(
            f"layers_block_type = {shown(written(listed))} does not name the kinds of {number} "
            "layers."
        )
    named = [MAMBA if kind == "mamba" else kind for kind in listed]
    uses = sum(among("layers_block_type", kind, (MAMBA, HYBRID)) == HYBRID for kind in named)
    if uses in (0, number):
        raise BadInput(
            f"layers_block_type names {uses} of {number} layers {HYBRID}, which is not supported: "
            "some layers have to use the shared block, and some none."
        )
    shared, said = [i for i, kind in enumerate(named) if kind == HYBRID], "hybrid_layer_ids"
    if values.get(said) not in (None, shared):
        raise BadInput(
            f"{said} = {shown(written(values[said]))} does not fit: {shown(written(shared))} "
            "follows from layers_block_type. Leave it out."
        )
    blocks = size("num_mem_blocks", values["num_mem_blocks"])
    if values["tie_word_embeddings"] is False and blocks < uses:
        raise BadInput(
            f"tie_word_embeddings = false with num_mem_blocks = {blocks} of {uses} uses is not "
            "supported: the class then ties no weights at all, those of shared blocks neither. "
            "Leave it out."
        )
    return {"L_a": str(uses), "n_m": str(min(blocks, uses))}


def _heads(values: Values) -> Settings:
    """Return the widths of heads: those of attention share twice the width of the model."""
    d, h = values["hidden_size"], size("num_attention_heads", values["num_attention_heads"])
    said = values.get("num_key_value_heads")
    h_kv = h if said is None else size("num_key_value_heads", said)
    number = size("n_mamba_heads", values["n_mamba_heads"])
    inner = size("mamba_expand", values["mamba_expand"]) * d
    groups = size("mamba_ngroups", values["mamba_ngroups"])
    if 2 * d % h or h % h_kv:
        raise BadInput(
            f"num_attention_heads = {h} does not fit hidden_size = {d} and num_key_value_heads = "
            f"{h_kv}: heads divide twice the width, and heads of keys and values divide heads."
        )
    width = _saved(values, {"attention_hidden_size": 2 * d, "mamba_headdim": inner // number})
    d_h = 2 * d // h if width is None else size("attention_head_dim", width)
    if inner % number or number % groups:
        raise BadInput(
            f"n_mamba_heads = {number} does not divide mamba_expand times hidden_size = {inner}, "
            f"or mamba_ngroups = {groups} does not divide it: no such model can be built."
        )
    if values.get("use_shared_attention_adapter") and h * d_h != 2 * d:
        raise BadInput(
            f"use_shared_attention_adapter = true with attention_head_dim = {d_h} is not "
            f"supported: narrow maps give {2 * d} numbers, and fail where they are added to "
            f"{h * d_h}."
        )
    if values.get("use_shared_attention_adapter") and h_kv != h:
        raise BadInput(
            f"use_shared_attention_adapter = true with num_key_value_heads = {h_kv} of {h} heads "
            "is not supported: the class builds narrow maps to all heads, and fails where it adds "
            "them to fewer. Choose as many."
        )
    return {"d_h": str(d_h), "h_kv": str(h_kv), "h_s": str(number),
            "d_hs": str(inner // number), "G": str(groups)}  # fmt: skip


def _saved(values: Values, meant: Mapping[str, int]) -> object:
    """Return the width of a head that a file says, before what follows from other keys.

    Raises:
        BadInput: another key, which its class would take before what follows, says otherwise.
    """
    for key, n in meant.items():
        if values.get(key) not in (None, n):
            raise BadInput(
                f"{key} = {shown(written(values[key]))} does not fit: {n} follows from the other "
                "keys, and its class would build neither. Leave it out."
            )
    said = values.get("attention_head_dim")
    return values.get("head_dim") if said is None else said


def _network(values: Values) -> Settings:
    """Return the width of the shared network: four times the model's where none is said."""
    width = values.get("intermediate_size") or 4 * values["hidden_size"]
    return {"d_ff": str(size("intermediate_size", width))}


ROOT, SHARED = "model.layers.*.", "shared.use."
BLOCK = f"{ROOT}shared_transformer."
TENSORS = {
    "model.embed_tokens.weight": ("token_embedding.E",),
    "model.final_layernorm.weight": ("final_norm.g",),
    "lm_head.weight": ("head.W",),
    **mixer(kinds=("layer",), ours="block.mixer"),
    f"{ROOT}input_layernorm.weight": ("layer.norm.g",),
    **{name.replace(".mamba.", ".mamba_decoder.mamba."): tuple(f"{SHARED}{x}" for x in ours)
       for name, ours in mixer(kinds=("layer",), ours="block.mixer").items()},
    f"{ROOT}mamba_decoder.input_layernorm.weight": (f"{SHARED}layer.norm.g",),
    f"{ROOT}linear.weight": (f"{SHARED}map.W",),
    **{f"{BLOCK}{theirs}.weight": (f"shared.{ours}",) for theirs, ours in (
        ("input_layernorm", "g_1"), ("pre_ff_layernorm", "g_2"),
        *((f"self_attn.{x.lower()}_proj", f"W_{x}") for x in "QKVO"),
        ("feed_forward.gate_up_proj", "W_in"), ("feed_forward.down_proj", "W_out"),
    )},
    **{f"{BLOCK}{theirs}_adapter_list.*.*.weight": (f"{SHARED}{x}_down.W", f"{SHARED}{x}_up.W")
       for theirs, x in (("feed_forward.gate_up_proj", "in"), *(
           (f"self_attn.linear_{x.lower()}", x) for x in "QKV"))},
}  # fmt: skip

ZAMBA2 = Family(
    "zamba2",
    classes("zamba2", "Zamba2"),
    {
        **{name: use for name, use in WIDTHS.items() if name != "head_dim"},
        "hidden_act": Acting(),
        "max_position_embeddings": Context(),
        "mamba_d_state": SizeOf("d_s"),
        "mamba_d_conv": AtLeast("K", least=2),
        "chunk_size": SizeOf("Q"),
        "add_bias_linear": Only((False,), "maps of mixers and of the shared network have none"),
        "use_shared_attention_adapter": Choice("adapted", BOOLS),
        "use_mem_rope": Choice("rotary", BOOLS),
        "adapter_rank": SizeOf("d_r"),
        **dict.fromkeys((
            "layers_block_type", "num_mem_blocks", "n_mamba_heads", "mamba_expand",
            "mamba_ngroups", "num_key_value_heads", "intermediate_size", "attention_hidden_size",
            "attention_head_dim", "head_dim", "mamba_headdim", "hybrid_layer_ids",
        ), Ruled()),
        **dict.fromkeys((
            "time_step_min", "time_step_max", "time_step_floor", "time_step_limit",
            "use_mamba_kernels", "use_mem_eff_path", "attention_dropout", "num_logits_to_keep",
            "use_long_context", "kv_channels", "num_query_groups", "use_conv_bias",
        ), FREE),
    },
    (
        Rule(("num_hidden_layers", "tie_word_embeddings"), _kinds),
        Rule(("hidden_size", "num_attention_heads", "use_shared_attention_adapter"), _heads),
        Rule(("hidden_size",), _network),
    ),
    TENSORS,
)  # fmt: skip
"""Keys of the last lines follow from others, or change no count."""
