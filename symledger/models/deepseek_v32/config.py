"""DeepSeek-V3.2 and GLM-5: DeepSeek-V3's keys, and those of indexers."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.arguments.specs import Only, Settings, SizeOf, Use, among, size, written
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import layers
from symledger.config_keys.expert_keys import classes, grouped, listed_dense, some_or_none
from symledger.config_keys.family import Family, Rule, Ruled, Values
from symledger.config_keys.hybrid_keys import which
from symledger.errors import BadInput, shown
from symledger.models.deepseek.config import USES, one_for_all, tensors

FULL, SHARED = "full", "shared"
SCHEDULE = ("index_topk_pattern", "index_topk_freq", "index_skip_topk_offset")


def indexers(values: Values) -> list[bool]:
    """Return which layers have an indexer, as they are listed, by letters, or all but some.

    Raises:
        BadInput: they are listed, and not each of them.
    """
    number = layers(values)
    listed, letters = values.get("indexer_types"), values.get("index_topk_pattern")
    name = "indexer_types" if listed is not None else "index_topk_pattern"
    if listed is None and isinstance(letters, str):
        listed = [{"F": FULL, "S": SHARED}.get(letter, letter) for letter in letters]
    elif listed is None:
        listed = letters
    if listed is None:
        each = max(size("index_topk_freq", values.get("index_topk_freq", 1), least=0), 1)
        offset = size("index_skip_topk_offset", values.get("index_skip_topk_offset", 2), least=0)
        return [max(i - offset + 1, 0) % each == 0 for i in range(number)]
    if not isinstance(listed, list) or len(listed) != number:
        raise BadInput(f"{name} = {shown(written(listed))} does not name one of each of {number} "
                       "layers.")  # fmt: skip
    return [among(name, kind, (FULL, SHARED)) == FULL for kind in listed]


def indexing(values: Values) -> Settings:
    """Say how many layers have an indexer, and which of those with experts and without.

    Raises:
        BadInput: the first one has none.
    """
    has, dense = indexers(values), listed_dense(values)
    if not has[0]:
        raise BadInput(
            f"indexer_types begins with {SHARED}: the first layer has no layer before whose choice "
            f"it could use. Let it be {FULL}."
        )
    if all(has):
        return {"indexing": "all"}
    found = {"indexing": "some", "L_x": str(sum(has))}
    inside = {kind: [x for x, d in zip(has, dense, strict=True) if d is kind]
              for kind in (True, False)}  # fmt: skip
    if not inside[True] or not inside[False]:
        return found
    said = {kind: which(chosen) for kind, chosen in inside.items()}
    found |= {"dense_indexing": said[True], "sparse_indexing": said[False]}
    both = said[True] == said[False] == "some"
    return {**found, "L_xd": str(sum(inside[True]))} if both else found


def left_unturned(values: Values) -> Settings:
    """Refuse an indexer whose heads are not wider than what is turned of them."""
    width, turned = values["index_head_dim"], values["qk_rope_head_dim"]
    if size("index_head_dim", width) <= turned:
        raise BadInput(
            f"index_head_dim = {width} does not fit qk_rope_head_dim = {turned}: as much of it is "
            "turned by the position, and something has to be left."
        )
    return {}


def every_indexed(values: Values) -> Settings:
    """Refuse layers of another kind than those that the class builds."""
    kinds = values.get("layer_types")
    known = ("indexed_attention", "deepseek_sparse_attention")
    if kinds is not None and (not isinstance(kinds, list) or any(k not in known for k in kinds)):
        raise BadInput(
            f"layer_types = {shown(written(kinds))} does not fit: every layer is "
            "indexed_attention. Leave it out."
        )
    return {}


INDEXER = {
    f"self_attn.indexer.{theirs}": f"attention.indexer.{ours}"
    for theirs, ours in (
        ("wq_b.weight", "Q.W"), ("wk.weight", "K.W"), ("k_norm.weight", "norm.g"),
        ("k_norm.bias", "norm.b"), ("weights_proj.weight", "weights.W"),
    )
}  # fmt: skip


def tensors_of() -> dict[str, tuple[str, ...]]:
    """Return our weights behind those of the implementation, of each kind of layer."""
    known = {**tensors(), **{
        f"model.layers.*.{theirs}": (f"dense_block.{ours}", f"block.{ours}")
        for theirs, ours in INDEXER.items()
    }}  # fmt: skip
    return {
        name: (*ours, *(f"told_{one}" for one in ours if "block." in one))
        for name, ours in known.items()
    }  # fmt: skip


KEYS: Mapping[str, Use] = {
    **USES,
    "num_experts_per_tok": SizeOf("k"),
    "q_lora_rank": SizeOf("d_q"),
    "index_n_heads": SizeOf("n_i"),
    "index_head_dim": SizeOf("d_x"),
    "index_topk": FREE,
    "mlp_layer_types": Ruled(),
    "layer_types": Ruled(),
    "mlp_bias": FREE,
    "rope_interleave": FREE,
    "topk_method": Only(("noaux_tc",)),
}
RULES = (
    Rule(("num_attention_heads", "num_key_value_heads"), one_for_all),
    Rule(("num_hidden_layers",), some_or_none),
    Rule(("qk_rope_head_dim", "index_head_dim"), left_unturned),
    Rule((), every_indexed),
    grouped(2),
)
DEEPSEEK_V32 = Family(
    "deepseek_v32", classes("deepseek_v32", "DeepseekV32"), KEYS, RULES, tensors_of(),
)  # fmt: skip
GLM_DSA = Family(
    "glm_moe_dsa",
    classes("deepseek_v32", "GlmMoeDsa"),
    {**KEYS, "indexer_types": Ruled(), **dict.fromkeys(SCHEDULE, Ruled()),
     "index_share_for_mtp_iteration": FREE, "moe_router_dtype": FREE},
    (*RULES, Rule(("num_hidden_layers",), indexing)),
    tensors_of(),
)  # fmt: skip
"""No class reads ``mlp_bias``, nor how many positions are chosen for anything but a mask."""


def _grouped(values: Values) -> Settings:
    """Refuse groups that experts do not divide into; without groups there is nothing to refuse."""
    if values["n_group"] is None and values["topk_group"] is None:
        return {}
    if None in (values["n_group"], values["topk_group"]):
        raise BadInput("n_group and topk_group are set together, or neither: say both, or none.")
    return grouped(2).read(values)


def _sparse(values: Values) -> Settings:
    """Say in which layers experts are; older files say it by the first of them, and a step."""
    step = size("moe_layer_freq", values.get("moe_layer_freq", 1))
    if values.get("mlp_layer_types") is not None or step == 1:
        return some_or_none(values)
    first = size("first_k_dense_replace", values.get("first_k_dense_replace", 1), least=0)
    kinds = [i >= first and i % step == 0 for i in range(layers(values))]
    return some_or_none({**values, "mlp_layer_types": ["sparse" if k else "dense" for k in kinds]})


def _behind_gates() -> dict[str, tuple[str, ...]]:
    """Return our weights behind those of A.X K2, whose norms have gates."""
    every = tensors_of().items()
    found = {name: tuple(x for x in ours if "told_" not in x) for name, ours in every}
    kinds = ("block.", "dense_block.")
    found["model.layers.*.self_attn.q_gate_proj.weight"] = tuple(
        f"{kind}attention.Q.W" for kind in kinds
    )
    for theirs, number in (("input_layernorm", 1), ("post_attention_layernorm", 2)):
        for part, ours in (("norm", "norm.g"), ("mlp.fc1", "down.W"), ("mlp.fc2", "up.W")):
            found[f"model.layers.*.{theirs}.{part}.weight"] = tuple(
                f"{kind}norm_{number}.{ours}" for kind in kinds
            )
    return found


AXK2 = Family(
    "axk2",
    classes("axk2", "AXK2"),
    {
        **{name: use for name, use in KEYS.items() if name != "mlp_bias"},
        "gated_norm_rank": SizeOf("d_r"),
        "moe_layer_freq": Ruled(),
        "n_group": Ruled(), "topk_group": Ruled(),
    },
    (
        Rule(("num_attention_heads", "num_key_value_heads"), one_for_all),
        Rule(("num_hidden_layers",), _sparse),
        Rule(("qk_rope_head_dim", "index_head_dim"), left_unturned),
        Rule((), every_indexed),
        Rule(("n_routed_experts",), _grouped),
    ),
    _behind_gates(),
)  # fmt: skip
