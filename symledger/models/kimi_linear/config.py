"""Kimi Linear and Ling 3: latent attention's keys, those of experts, and which layers attend."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.arguments.specs import BOOLS, Choice, Free, Settings, SizeOf, Use, size, written
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import layers
from symledger.config_keys.delta_keys import CHUNK
from symledger.config_keys.expert_keys import classes, grouped, listed_dense
from symledger.config_keys.family import Context, Family, Rule, Ruled, Values
from symledger.config_keys.hybrid_keys import alternating_dense, attending, everywhere
from symledger.config_keys.mamba_hybrid_keys import SILU
from symledger.errors import BadInput, shown
from symledger.models.deepseek.config import USES, low_rank, one_for_all, tensors

WIDTHS = ("linear_head_dim", "linear_num_heads", "linear_conv_kernel_dim")
SYMBOLS = ("d_k", "h_v", "K")


def said_inside(values: Values) -> Values:
    """Return what older files say of layers that do not attend, in an object of its own."""
    said = values.get("linear_attn_config")
    if said is not None and not isinstance(said, dict):
        raise BadInput(f"linear_attn_config = {shown(written(said))} is no object.")
    return said or {}


def _numbered(values: Values) -> list[bool] | None:
    """Return which layers attend, as older files number them, from 1 on; nothing if they do not.

    Raises:
        BadInput: not every layer is named once.
    """
    said = said_inside(values)
    if not {"full_attn_layers", "kda_layers"} <= {*said}:
        return None
    full, others = (said[name] for name in ("full_attn_layers", "kda_layers"))
    number = layers(values)
    lists = isinstance(full, list) and isinstance(others, list)
    if not lists or sorted([*full, *others]) != [*range(1, number + 1)]:
        raise BadInput(
            f"full_attn_layers = {shown(written(full))} and kda_layers = {shown(written(others))} "
            f"do not name each of the layers 1 to {number} once."
        )
    return [i + 1 in full for i in range(number)]


def _kimi_kinds(values: Values) -> Settings:
    """Return which layers attend, and which have no experts."""
    attends = attending(values) or _numbered(values)
    attends = attends or [i > 0 and i % 4 == 0 for i in range(layers(values))]
    return alternating_dense(attends, listed_dense(values))


def _bailing_kinds(values: Values) -> Settings:
    """Return which layers attend, the last of each group, and which have no experts."""
    attends, each = attending(values), size("layer_group_size", values["layer_group_size"])
    attends = attends or [(i + 1) % each == 0 for i in range(layers(values))]
    return alternating_dense(attends, listed_dense(values))


def _sizes(said: Mapping[str, object]) -> Settings:
    found = {}
    for name, symbol in zip(WIDTHS, SYMBOLS, strict=True):
        found[symbol] = str(size(name, said[name], least=2 if symbol == "K" else 1))
    return found


def widths_of_mixers(values: Values) -> Settings:
    """Return the sizes of layers that do not attend, those of an object in older files first."""
    inside = said_inside(values)
    names = zip(WIDTHS, ("head_dim", "num_heads", "short_conv_kernel_size"), strict=True)
    return _sizes({name: inside.get(older, values[name]) for name, older in names})


def _bailing_widths(values: Values) -> Settings:
    """Return the sizes of layers that do not attend: those of attention, unless they are said."""
    names = zip(WIDTHS, ("head_dim", "num_attention_heads", "short_conv_kernel_size"), strict=True)
    return _sizes({
        name: values[other] if values.get(name) is None else values[name] for name, other in names
    })  # fmt: skip


def _bounded(values: Values) -> Settings:
    return {"bounded": BOOLS[bool(values["kda_safe_gate"])]}


KINDS = ("block", "attention_block", "dense_block", "dense_attention_block")
MIXER = {
    **{f"{x.lower()}_proj": x for x in "QKV"}, "o_proj": "O", "b_proj": "write",
    "forget_gate.f_a_proj": "decay_down", "forget_gate.f_b_proj": "decay",
    "forget_gate.f_proj": "decay", "g_a_proj": "gate_down", "g_b_proj": "gate", "g_proj": "gate",
}  # fmt: skip
LAYER = "model.layers.*."
LINEAR = {
    f"{LAYER}self_attn.conv1d.weight": ("block.mixer.convolution.F",),
    f"{LAYER}self_attn.forget_gate.dt_bias": ("block.mixer.dt_bias",),
    f"{LAYER}self_attn.forget_gate.A_log": ("block.mixer.A_log",),
    f"{LAYER}self_attn.o_norm.weight": ("block.mixer.norm.g",),
    f"{LAYER}self_attn.g_proj.weight": ("block.attention.gate.W",),
}


def tensors_of_kinds() -> dict[str, tuple[str, ...]]:
    """Return our weights behind those of the implementation, of each kind of layer."""
    found = dict(everywhere({
        name: tuple(dict.fromkeys(one.replace("dense_block.", "block.", 1) for one in ours))
        for name, ours in tensors().items()
    }, KINDS))  # fmt: skip
    linear = {**LINEAR}
    for theirs, ours in MIXER.items():
        name = f"{LAYER}self_attn.{theirs}.weight"
        linear[name] = (*linear.get(name, ()), f"block.mixer.{ours}.W")
    for name, all_of in everywhere(linear, KINDS).items():
        found[name] = (*found.get(name, ()), *all_of)
    return found


KEYS: Mapping[str, Use] = {
    **{name: use for name, use in USES.items() if name not in (
        "moe_layer_freq", "n_routed_experts", "n_shared_experts", "num_experts_per_tok", "n_group",
        "q_lora_rank", "scoring_func", "topk_method", "norm_topk_prob", "max_position_embeddings",
        "num_mtp_layers",
    )},
    "num_experts_per_token": SizeOf("k"),
    "num_experts": SizeOf("E"),
    "num_shared_experts": SizeOf("E_s"),
    "model_max_length": Context(),
    "hidden_act": SILU,
    "tie_word_embeddings": Free((bool,)),
    "attention_bias": Choice("attention_bias", BOOLS),
    **dict.fromkeys((*WIDTHS, "layer_types", "mlp_layer_types"), Ruled()),
    **dict.fromkeys((
        "moe_router_activation_func", "use_grouped_topk", "mla_use_nope", "topk_method",
        "moe_layer_freq", "rope_interleave", "moe_renormalize", "num_expert_group",
        "mtp_loss_scaling_factor",
    ), FREE),
}  # fmt: skip
"""Their classes name no weights that are tied, whatever a configuration says."""
HEADS = ("num_attention_heads", "num_key_value_heads")


def _groups(values: Values) -> Settings:
    """Refuse groups of experts that these do not divide into."""
    return grouped(2).read({
        **values, "n_routed_experts": values["num_experts"], "n_group": values["num_expert_group"],
    })  # fmt: skip


GROUPS = ("num_expert_group", "topk_group", "num_experts")
KIMI = Family(
    "kimi_linear",
    classes("kimi_linear", "KimiLinear"),
    {**KEYS, "q_lora_rank": Ruled(), "linear_attn_config": Ruled()},
    (
        Rule(("num_hidden_layers",), _kimi_kinds), Rule((), widths_of_mixers),
        Rule((), low_rank), Rule(HEADS, one_for_all), Rule(GROUPS, _groups),
    ),
    tensors_of_kinds(),
    CHUNK,
)  # fmt: skip
BAILING = Family(
    "bailing_hybrid",
    classes("kimi_linear", "BailingHybrid"),
    {
        **KEYS,
        "head_dim": Ruled(),
        **dict.fromkeys(("short_conv_kernel_size", "layer_group_size", "kda_safe_gate"), Ruled()),
        "kda_lower_bound": FREE,
    },
    (
        Rule(("num_hidden_layers",), _bailing_kinds),
        Rule(("num_attention_heads",), _bailing_widths),
        Rule((), _bounded), Rule(HEADS, one_for_all), Rule(GROUPS, _groups),
    ),
    tensors_of_kinds(),
    {**CHUNK, "rotary": "true", "gated": "true", "narrow": "false"},
)  # fmt: skip
