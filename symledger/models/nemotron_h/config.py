"""Nemotron-H: widths, keys of Mamba-2's mixers and of experts, and a pattern of layers."""

from __future__ import annotations

from symledger.arguments.specs import (
    BOOLS,
    Choice,
    Free,
    Only,
    Settings,
    SizeOf,
    among,
    size,
    written,
)
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import MOST_LAYERS, WIDTHS
from symledger.config_keys.expert_keys import classes, grouped
from symledger.config_keys.family import AtLeast, Family, Rule, Ruled, Values
from symledger.config_keys.hybrid_keys import FULL, RENAMED, everywhere
from symledger.config_keys.mamba_hybrid_keys import mixer
from symledger.config_keys.state_space_keys import Limits
from symledger.errors import BadInput, shown

SCANNING, PLAIN, SPARSE = "linear_attention", "mlp", "moe"
LETTERS = {"M": SCANNING, "*": FULL, "-": PLAIN, "E": SPARSE}
DEFAULT: list[object] = [SCANNING, SPARSE, FULL, PLAIN]


def pattern(name: str, value: object) -> list[object]:
    """Return the kinds of layers that a word of letters names.

    Raises:
        BadInput: it has other letters.
    """
    if not isinstance(value, str) or not value or set(value) - set(LETTERS):
        raise BadInput(
            f"{name} = {shown(written(value))} is no pattern of layers: M scans, * attends, - is a "
            "network, E a mixture of experts."
        )
    return [LETTERS[letter] for letter in value]


def _kinds(values: Values) -> list[object]:
    """Return the kind of each layer, as listed in either spelling or as a pattern says."""
    listed, word = values.get("layers_block_type"), values.get("hybrid_override_pattern")
    if listed is None:
        return DEFAULT if word is None else pattern("hybrid_override_pattern", word)
    if not isinstance(listed, list) or not 0 < len(listed) <= MOST_LAYERS:
        raise BadInput(
            f"layers_block_type = {shown(written(listed))} does not fit: a list of the kinds of "
            "layers is meant."
        )
    named = [RENAMED.get(kind, kind) if isinstance(kind, str) else kind for kind in listed]
    kinds = [among("layers_block_type", kind, tuple(LETTERS.values())) for kind in named]
    if word is not None and pattern("hybrid_override_pattern", word) != kinds:
        raise BadInput(
            f"hybrid_override_pattern = {shown(written(word))} says otherwise than "
            "layers_block_type: the class reads the latter. Leave one of them out."
        )
    return kinds


def _layers(values: Values) -> Settings:
    """Return how many layers there are of each kind."""
    kinds = _kinds(values)
    number = {kind: kinds.count(kind) for kind in LETTERS.values()}
    said = values.get("num_hidden_layers")
    if said is not None and size("num_hidden_layers", said) != len(kinds):
        raise BadInput(
            f"num_hidden_layers = {said} is not how many layers are named: {len(kinds)}. The class "
            "builds those that are named; leave num_hidden_layers out."
        )
    if not number[SCANNING]:
        raise BadInput(
            "a Nemotron-H without a layer that scans (M) is not derived: none is known. Name one."
        )
    found = {
        "L": str(len(kinds)), "attending": "some" if number[FULL] else "none",
        "networks": BOOLS[number[PLAIN] > 0], "mixtures": BOOLS[number[SPARSE] > 0],
    }  # fmt: skip
    counts = {"L_a": number[FULL], "L_f": number[PLAIN], "L_e": number[SPARSE]}
    return {**found, **{symbol: str(n) for symbol, n in counts.items() if n}}


def _older(values: Values) -> Settings:
    """Read what older files call otherwise."""
    found: Settings = {}
    for name, symbol in OLDER.items():
        if values.get(name) is not None:
            found[symbol] = str(size(name, values[name], 2 if symbol == "K" else 1))
    if values.get("mamba_conv_bias") is not None:
        found["convolution_bias"] = BOOLS[
            among("mamba_conv_bias", values["mamba_conv_bias"], (True, False))]  # fmt: skip
    return found


OLDER = {"mamba_n_groups": "G", "mamba_d_conv": "K", "mamba_chunk_size": "Q"}


def _heads(values: Values) -> Settings:
    """Refuse groups that heads do not divide into."""
    groups = size("n_groups", values.get("mamba_n_groups") or values["n_groups"])
    number = size("mamba_num_heads", values["mamba_num_heads"])
    if number % groups:
        raise BadInput(
            f"n_groups = {groups} does not divide mamba_num_heads = {number}: each group is read "
            "by as many heads."
        )
    return {}


def _latent(values: Values) -> Settings:
    """Say how wide experts are what they read, where that is not the model's width."""
    width = values.get("moe_latent_size")
    if width is None:
        return {"latent": "false"}
    return {"latent": "true", "d_l": str(size("moe_latent_size", width))}


LAYER = "model.layers.*."
MIXTURE = {
    "gate.weight": ("router.W",), "experts.up_proj": ("experts.W_up",),
    "experts.down_proj": ("experts.W_down",),
    **{f"{theirs}.{weight}": (f"{ours}.{w}",) for theirs, ours in (
        ("shared_experts.up_proj", "shared_experts.1"),
        ("shared_experts.down_proj", "shared_experts.2"),
        ("fc1_latent_proj", "narrow"), ("fc2_latent_proj", "widen"),
    ) for weight, w in (("weight", "W"), ("bias", "b"))},
}  # fmt: skip
NETWORK = {
    f"{theirs}_proj.{weight}": (f"{ours}.{w}",)
    for theirs, ours in (("up", "1"), ("down", "2"))
    for weight, w in (("weight", "W"), ("bias", "b"))
}  # fmt: skip
ATTENTION = {f"{x.lower()}_proj.weight": (f"{x}.W",) for x in "QKVO"}
TENSORS = {
    "model.embeddings.weight": ("token_embedding.E",),
    "model.norm_f.weight": ("final_norm.g",),
    "lm_head.weight": ("head.W",),
    **mixer("mixer", ("block",)),
    **{f"{LAYER}mixer.{name}": tuple(f"{kind}.mixer.{one}" for one in ours)
       for kind, tensors in (("attention_block", ATTENTION), ("network_block", NETWORK),
                             ("mixture_block", MIXTURE))
       for name, ours in tensors.items()},
    **everywhere({f"{LAYER}norm.weight": ("block.norm.g",)},
                 ("block", "attention_block", "network_block", "mixture_block")),
}  # fmt: skip

NEMOTRON_H = Family(
    "nemotron_h",
    classes("nemotron_h", "NemotronH"),
    {
        **WIDTHS,
        **dict.fromkeys((
            "num_hidden_layers", "layers_block_type", "hybrid_override_pattern",
            "mamba_n_groups", "mamba_d_conv", "mamba_chunk_size", "mamba_conv_bias",
            "moe_latent_size",
        ), Ruled()),
        "tie_word_embeddings": Free((bool,)),
        "mlp_hidden_act": Acting(),
        "mlp_bias": Choice("mlp_bias", BOOLS),
        "use_bias": Choice("projection_bias", BOOLS),
        "use_conv_bias": Choice("convolution_bias", BOOLS),
        "mamba_hidden_act": Only(("silu", "swish")),
        "sliding_window": Only((None,)),
        "ssm_state_size": SizeOf("d_s"),
        "mamba_num_heads": SizeOf("h_s"),
        "mamba_head_dim": SizeOf("d_hs"),
        "n_groups": SizeOf("G"),
        "conv_kernel": AtLeast("K", least=2),
        "chunk_size": SizeOf("Q"),
        "time_step_limit": Limits(),
        "n_routed_experts": SizeOf("E"),
        "num_experts_per_tok": SizeOf("k"),
        "moe_intermediate_size": SizeOf("d_exp"),
        "moe_shared_expert_intermediate_size": SizeOf("d_sh"),
        **dict.fromkeys(("n_group", "topk_group"), Ruled()),
        **dict.fromkeys((
            "attention_bias", "mamba_proj_bias", "residual_in_fp32", "rescale_prenorm_residual",
            "moe_shared_expert_overlap", "norm_topk_prob", "output_router_logits",
            "use_mamba_kernels",
        ), Free((bool,))),
        **dict.fromkeys((
            "expand", "n_shared_experts", "num_logits_to_keep", "num_nextn_predict_layers",
            "mtp_layers_block_type", "mtp_hybrid_override_pattern", "mamba_ssm_cache_dtype",
            "routed_scaling_factor", "time_step_min", "time_step_max", "time_step_floor",
            "mamba_expand", "mamba_dt_min", "mamba_dt_max", "mamba_dt_limit",
            "mamba_dt_init_floor", "time_step_rank", "attention_head_dim",
            "partial_rotary_factor",
        ), FREE),
    },
    (Rule((), _layers), Rule((), _older), Rule(("mamba_num_heads", "n_groups"), _heads),
     Rule((), _latent), grouped(2)),
    TENSORS,
)  # fmt: skip
"""Layers of multi-token prediction are not built by the class, and its head is never tied.

No position turns a head: ``partial_rotary_factor`` is not read.
"""
