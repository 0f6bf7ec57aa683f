"""GLM-5.3's text model: keys of Kimi Linear, of indexers and of residual streams."""

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
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import layers
from symledger.config_keys.delta_keys import CHUNK
from symledger.config_keys.expert_keys import grouped, listed_dense
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.hybrid_keys import FULL, alternating_dense, attending, everywhere
from symledger.config_keys.mamba_hybrid_keys import SILU
from symledger.errors import BadInput
from symledger.models.deepseek.config import one_for_all
from symledger.models.deepseek_v32.config import INDEXER, KEYS, SCHEDULE, indexers
from symledger.models.hy_v4.config import STREAMS, UNREAD
from symledger.models.kimi_linear.config import (
    HEADS,
    KINDS,
    LAYER,
    WIDTHS,
    said_inside,
    tensors_of_kinds,
    widths_of_mixers,
)

CHOSEN = ("indexed_attention", "deepseek_sparse_attention")
"""How files call layers that attend, beside what older ones call them."""


def _attends(values: Values) -> list[bool]:
    """Return which layers attend: those that are listed, or the last of every four."""
    listed = values["layer_types"]
    if isinstance(listed, list):
        values = {**values, "layer_types": [FULL if k in CHOSEN else k for k in listed]}
    return attending(values) or [i % 4 == 3 for i in range(layers(values))]


def _kinds(values: Values) -> Settings:
    """Return which layers attend, and which have no experts: the first three, unless listed."""
    dense = listed_dense({**values, "first_k_dense_replace": 3})
    return alternating_dense(_attends(values), dense)


def _indexers(values: Values) -> Settings:
    """Refuse layers that attend and have no indexer, and blocks that do not fit the choice.

    A layer hands its choice on to the next alone, where that attends as well.
    """
    for i, (attends, has) in enumerate(zip(_attends(values), indexers(values), strict=True)):
        if attends and not has:
            raise BadInput(
                f"indexer_types says shared of layer {i}, which attends: that is not supported. "
                "Let every layer that attends be full."
            )
    if values["index_topk"] % size("index_kpool", values["index_kpool"]):
        raise BadInput(
            f"index_topk = {values['index_topk']} is not divisible by index_kpool = "
            f"{values['index_kpool']}: whole blocks are chosen."
        )
    return {}


def _bounded(values: Values) -> Settings:
    """Say whether decays are bounded; an object of older files bounds them unless it says not."""
    inside = said_inside(values)
    bound = inside.get("gate_lower_bound", values["linear_lower_bound"])
    safe = values.get("linear_attn_config") is not None and inside.get("safe_gate", True)
    return {"bounded": BOOLS[bound is not None or bool(safe)]}


def _rounds(values: Values) -> Settings:
    """Return how many times more rows and columns are divided by their sums."""
    number = size("hc_sinkhorn_iters", values["hc_sinkhorn_iters"])
    if number < 2:
        raise BadInput(f"hc_sinkhorn_iters = {written(number)} is not supported: two or more are.")
    return {"n_n": str(number - 1)}


def _tensors() -> dict[str, tuple[str, ...]]:
    """Return our weights behind those of the implementation, of each kind of layer."""
    added = {
        **{f"{LAYER}{theirs}": (f"block.{ours}",) for theirs, ours in INDEXER.items()},
        f"{LAYER}self_attn.indexer.index_kpool_compress_ape": ("block.attention.indexer.places",),
        f"{LAYER}self_attn.indexer.index_kpool_compress_gate": ("block.attention.indexer.gate.W",),
        **{f"{LAYER}{part}_hc.{theirs}": (f"block.streams_{number}.{ours}",)
           for part, number in (("attn", 1), ("ffn", 2)) for theirs, ours in STREAMS.items()},
    }  # fmt: skip
    return {**tensors_of_kinds(), **everywhere(added, KINDS)}


GLM5_NEXT = Family(
    "glm5_next_text",
    {"Glm5NextTextModel": Built("glm5_next", {"head": "bare"})},
    {
        **{name: use for name, use in KEYS.items() if name not in UNREAD},
        "hidden_act": SILU,
        "tie_word_embeddings": Free((bool,)),
        "attention_bias": Choice("attention_bias", BOOLS),
        "qk_rope_head_dim": Only((0,), "no positions are told where layers attend"),
        "index_kpool": SizeOf("r_c"),
        "index_kpool_always_select_tail": FREE,
        "index_topk": Free((int,)),
        "hc_mult": SizeOf("n_s"),
        "hc_eps": Free((float,)),
        "swiglu_limit": Number(),
        "router_aux_loss_coef": FREE,
        **dict.fromkeys(("hc_sinkhorn_iters", "indexer_types", *SCHEDULE, *WIDTHS,
                         "linear_attn_config", "linear_lower_bound"), Ruled()),
    },
    (
        Rule(("num_hidden_layers",), _kinds), Rule((), widths_of_mixers), Rule((), _bounded),
        Rule(HEADS, one_for_all), Rule(("index_topk", "index_kpool"), _indexers),
        Rule(("hc_sinkhorn_iters",), _rounds), grouped(2),
    ),
    _tensors(),
    CHUNK,
)  # fmt: skip
