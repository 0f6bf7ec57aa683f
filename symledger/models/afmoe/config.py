"""AFMoE (Trinity) and Laguna: LLaMA's keys, windows, and those of experts and shared ones."""

from __future__ import annotations

from symledger.arguments.specs import (
    BOOLS,
    Choice,
    Free,
    Number,
    Only,
    Settings,
    SizeOf,
    size,
    written,
)
from symledger.config_keys.common import FREE, SHARE
from symledger.config_keys.decoder_keys import (
    ATTENTION,
    EXPERTS,
    LLAMA_KEYS,
    head_width,
    layers,
    turned,
)
from symledger.config_keys.expert_keys import LAYER, classes, layered, listed_dense
from symledger.config_keys.family import Family, Rule, Ruled, Values
from symledger.config_keys.window_keys import (
    FULL,
    LISTED,
    SLIDING,
    all_but_each,
    beside_dense,
    by_kind,
    listed,
)
from symledger.errors import BadInput, shown
from symledger.models.gemma.config import Cap

KEYS = {
    **LLAMA_KEYS,
    **LISTED,
    "head_dim": SizeOf("d_h"),
    "attention_bias": Choice("attention_bias", BOOLS),
    "moe_intermediate_size": SizeOf("d_exp"),
    "num_experts": SizeOf("E"),
    "num_experts_per_tok": SizeOf("k"),
    "output_router_logits": FREE,
}
SHARED = {
    f"{LAYER}mlp.shared_experts.{x}_proj.weight": (f"block.feed_forward.shared_experts.{x}.W",)
    for x in ("gate", "up", "down")
}


def _first(values: Values) -> list[bool]:
    """Return which layers are dense: as many of the first as is said."""
    first = size("num_dense_layers", values["num_dense_layers"], least=0)
    return [i < first for i in range(layers(values))]


KINDS = ("block", "windowed_block", "dense_block", "windowed_dense_block")
NORMS = {
    f"{LAYER}{name}.weight": tuple(f"{kind}.norm_{i + 1}.g" for kind in KINDS)
    for i, name in enumerate((
        "input_layernorm", "post_attention_layernorm", "pre_mlp_layernorm", "post_mlp_layernorm",
    ))
}  # fmt: skip

AFMOE = Family(
    "afmoe",
    classes("afmoe", "Afmoe"),
    {
        **KEYS,
        "num_shared_experts": SizeOf("E_s"),
        "num_dense_layers": Ruled(),
        "global_attn_every_n_layers": Ruled(),
        "route_scale": Free((float,)),
        "mup_enabled": FREE,
    },
    beside_dense(
        all_but_each(4, "global_attn_every_n_layers", unless_listed=True), _first, asked=True
    ),
    {
        **layered(
            {
                **EXPERTS,
                **SHARED,
                f"{LAYER}mlp.router.gate.weight": ("block.feed_forward.router.W",),
                f"{LAYER}mlp.expert_bias": ("block.feed_forward.router.balance",),
            },
            {**ATTENTION, f"{LAYER}self_attn.gate_proj.weight": ("block.attention.gate.W",)},
        ),
        **NORMS,
    },
)

GATES = {True: "heads", "per-head": "heads", "per-element": "elements"}


def _none_of_them(values: Values, number: int) -> list[bool]:
    return [False] * number


def _heads(values: Values) -> Settings:
    """Return how many heads layers with a window have, and the others.

    Raises:
        BadInput: layers of one kind have not all as many.
    """
    number = layers(values)
    every = values.get("num_attention_heads_per_layer")
    if every is None:
        every = [size("num_attention_heads", values["num_attention_heads"])] * number
    kinds = [SLIDING if near else FULL
             for near in listed(values.get("layer_types") or [FULL] * number, number)]  # fmt: skip
    if not isinstance(every, list) or len(every) != number:
        raise BadInput(
            f"num_attention_heads_per_layer = {shown(written(every))} does not say how many heads "
            f"each of {number} layers has."
        )
    every = [size("num_attention_heads_per_layer", h) for h in every]
    met = {kind: {h for h, of in zip(every, kinds, strict=True) if of == kind}
           for kind in (FULL, SLIDING)}  # fmt: skip
    if any(len(found) > 1 for found in met.values()):
        raise BadInput(
            f"num_attention_heads_per_layer = {shown(written(every))} is not supported: layers of "
            "one kind of layer_types have to have as many heads."
        )
    full, near = (next(iter(met[kind]), None) for kind in (FULL, SLIDING))
    said = {"h": near if full is None else full, "h_w": full if near is None else near}
    return {name: str(n) for name, n in said.items()}


def _turned(values: Values) -> Settings:
    """Return how much of a head is turned where no window is; where one is, it is all of it."""
    said = by_kind(values) or {FULL: {SHARE: 0.5}}
    shares = {kind: (said.get(kind) or {}).get(SHARE, 1.0) for kind in (FULL, SLIDING)}
    if shares[SLIDING] != 1 and SLIDING in (values.get("layer_types") or ()):
        raise BadInput(
            f"rope_parameters with {SHARE} = {written(shares[SLIDING])} of "
            f"{SLIDING} is not supported: such layers turn all of a head. Say 1.0, or leave it out."
        )
    width = values["head_dim"] or head_width(values)
    return turned({SHARE: shares[FULL]}, SHARE, 1.0, width)


LAGUNA = Family(
    "laguna",
    classes("laguna", "Laguna"),
    {
        **KEYS,
        "num_attention_heads": Ruled(),
        "num_attention_heads_per_layer": Ruled(),
        "shared_expert_intermediate_size": SizeOf("d_sh"),
        "mlp_layer_types": Ruled(),
        "gating": Choice("gated", GATES),
        "rope_parameters": Ruled(),
        "router_aux_loss_coef": FREE,
        "moe_routed_scaling_factor": Free((float,)),
        "moe_router_logit_softcapping": Only((0.0, 0)),
        "moe_apply_router_weight_on_input": Only((False,)),
        "decoder_sparse_step": Only((1,)),
        "mlp_only_layers": Only(([0], [], None)),
        "use_bidirectional_attention": Only((False, None)),
        **dict.fromkeys(("gating_types", "norm_topk_prob", SHARE), FREE),
    },
    (
        Rule(("num_hidden_layers",), _heads),
        Rule(("head_dim",), _turned),
        *beside_dense(_none_of_them, listed_dense),
    ),
    layered(
        {
            **EXPERTS,
            **SHARED,
            f"{LAYER}mlp.gate.e_score_correction_bias": ("block.feed_forward.router.balance",),
        },
        {**ATTENTION, f"{LAYER}self_attn.g_proj.weight": ("block.attention.gate.W",)},
    ),
)


def _beam_windows(values: Values, number: int) -> list[bool]:
    """Return which layers have a window: all but the last of every six, and the very last."""
    return [(i + 1) % 6 != 0 and i + 1 < number for i in range(number)]


def _beam_dense(values: Values) -> list[bool]:
    """Return which layers are dense: those listed, else the first three."""
    if values.get("mlp_layer_types") is not None:
        return listed_dense(values)
    return [i < 3 for i in range(layers(values))]


def _beam_turned(values: Values) -> Settings:
    """Refuse that layers with a window are told no positions, or others are."""
    said = values.get("rope_parameters")
    if said is None:
        return {}
    found = by_kind(values)
    if found.get(FULL) is not None or (SLIDING in found and found[SLIDING] is None):
        raise BadInput(
            f"rope_parameters = {shown(written(said))} is not supported: {SLIDING} layers are "
            f"turned, and {FULL} ones are told no positions (null). Leave it out."
        )
    return {}


BEAM = Family(
    "beam",
    classes("beam", "Beam"),
    {
        **{name: use for name, use in KEYS.items() if name != "output_router_logits"},
        "rope_parameters": Ruled(),
        "mlp_layer_types": Ruled(),
        "final_logit_softcapping": Cap("capped_logits"),
        "routed_scaling_factor": Number(),
        **dict.fromkeys(("norm_topk_prob", "output_router_logits", "n_group", "topk_group"), FREE),
    },
    (*beside_dense(_beam_windows, _beam_dense, asked=True), Rule((), _beam_turned)),
    {
        **layered(EXPERTS, {
            **ATTENTION,
            f"{LAYER}self_attn.gate_proj.weight": ("block.attention.gate.W",),
            f"{LAYER}self_attn.gate_bias": ("block.attention.gate_bias",),
        }),
        **{name.replace("pre_mlp", "pre_feedforward").replace("post_mlp", "post_feedforward"): ours
           for name, ours in NORMS.items()},
    },
)  # fmt: skip
