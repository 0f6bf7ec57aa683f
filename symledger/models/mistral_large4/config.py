"""Mistral Large 4: DeepSeek-V3.2's keys, and which layers are told no positions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symledger.arguments.specs import Number, Settings, SizeOf, Use, among, size, written
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import layers
from symledger.config_keys.expert_keys import dense_or_not, grouped, listed_dense
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.hybrid_keys import which
from symledger.config_keys.seeing_keys import decoding, generating
from symledger.errors import BadInput, shown
from symledger.models.deepseek.config import USES, one_for_all
from symledger.models.deepseek_v32.config import SCHEDULE, every_indexed, indexers, left_unturned
from symledger.models.deepseek_v32.config import tensors_of as indexed_tensors
from symledger.models.pixtral.config import INSIDE, MISTRAL3, seeing
from symledger.models.pixtral.config import grouped as grouped_patches


def _untold(values: Values) -> list[bool]:
    """Return which layers are told no positions: those listed with a 0, else the last of some.

    Raises:
        BadInput: they are not listed.
    """
    number, listed = layers(values), values.get("no_rope_layers")
    if listed is None:
        every = size("no_rope_layer_interval", values.get("no_rope_layer_interval", 4))
        return [(i + 1) % every == 0 for i in range(number)]
    if not isinstance(listed, list) or len(listed) < number:
        raise BadInput(
            f"no_rope_layers = {shown(written(listed))} does not say of each of {number} layers "
            "whether it is told positions (1) or not (0)."
        )
    return [among("no_rope_layers", told, (0, 1)) == 0 for told in listed[:number]]


def _kinds(values: Values) -> Settings:
    """Say how many layers are told no positions, and which of those with experts and without."""
    untold, dense = _untold(values), listed_dense(values)
    found = {**dense_or_not(values), "untold": which(untold)}
    if found["untold"] != "some":
        return found
    found["L_n"] = str(sum(untold))
    inside = {kind: [x for x, d in zip(untold, dense, strict=True) if d is kind]
              for kind in (True, False)}  # fmt: skip
    if not inside[True]:
        return found
    said = {kind: which(chosen) for kind, chosen in inside.items()}
    found |= {"dense_untold": said[True], "sparse_untold": said[False]}
    return {**found, "L_nd": str(sum(inside[True]))} if said[True] == "some" else found


def _each_its_own(values: Values) -> Settings:
    """Refuse layers that use what others chose, or what others remember."""
    number, sources = layers(values), values.get("kv_source_layers")
    if not all(indexers(values)):
        raise BadInput(
            "layers without an indexer, which use what was chosen before them, are not supported "
            "of Mistral Large 4: let every one of indexer_types be full."
        )
    if sources is not None and sources != list(range(number)):
        raise BadInput(
            f"kv_source_layers = {shown(written(sources))} is not supported: every layer has keys "
            f"and values of its own, 0 to {number - 1}. Leave it out."
        )
    return {}


KINDS = ("block", "dense_block")
ALSO = {
    "indexer.q_input_norm.weight": "indexer.norm_Q.g",
    "indexer.q_input_norm.bias": "indexer.norm_Q.b",
    "indexer.softmax_scaling.scale": "indexer.log_scale.scale",
    "indexer.softmax_scaling.bias": "indexer.log_scale.b",
    "softmax_scaling.scale": "log_scale.scale",
    "softmax_scaling.bias": "log_scale.b",
}


def _tensors() -> dict[str, tuple[str, ...]]:
    """Return our weights behind those of the implementation, of each kind of layer."""
    known = {name: tuple(x for x in ours if not x.startswith("told_"))
             for name, ours in indexed_tensors().items()}  # fmt: skip
    known |= {
        f"model.layers.*.self_attn.{theirs}": tuple(
            f"{kind}.attention.{ours}" for kind in KINDS)
        for theirs, ours in ALSO.items()
    }  # fmt: skip
    return {name: (*ours, *(f"untold_{x}" for x in ours if x.split(".")[0] in KINDS))
            for name, ours in known.items()}  # fmt: skip


LEFT_OUT = ("q_lora_rank", "scoring_func", "norm_topk_prob", "moe_layer_freq")
KEYS: Mapping[str, Use] = {
    **{name: use for name, use in USES.items() if name not in LEFT_OUT},
    "num_experts_per_tok": SizeOf("k"),
    "index_n_heads": SizeOf("n_i"),
    "index_head_dim": SizeOf("d_x"),
    "index_topk": FREE,
    "final_logit_softcapping": Number(above=0),
    **dict.fromkeys((
        "mlp_layer_types", "layer_types", "indexer_types", "no_rope_layers",
        "no_rope_layer_interval", "kv_source_layers", *SCHEDULE,
    ), Ruled()),
}  # fmt: skip
MISTRAL_LARGE4 = Family(
    "mistral_large4_text",
    {"MistralLarge4TextModel": Built("mistral_large4", {"head": "bare"})},
    KEYS,
    (
        Rule(("num_attention_heads", "num_key_value_heads"), one_for_all),
        Rule(("num_hidden_layers",), _kinds),
        Rule((), _each_its_own),
        Rule(("qk_rope_head_dim", "index_head_dim"), left_unturned),
        Rule((), every_indexed),
        grouped(2),
    ),
    _tensors(),
)
TEXT = decoding(MISTRAL_LARGE4)
VISION = replace(INSIDE, absent={
    "hidden_size": 2048, "intermediate_size": 6144, "num_hidden_layers": 30,
    "num_attention_heads": 16, "patch_size": 14, "image_size": 1540, "hidden_act": "silu",
})  # fmt: skip
"""What its class makes of a configuration without the part (transformers 5.23)."""
MISTRAL_LARGE4_VL = replace(
    MISTRAL3, model_type="mistral_large4", builds=generating("mistral_large4_vl", "MistralLarge4"),
    rules=(grouped_patches(TEXT, VISION),),
    tensors=seeing("multi_modal_projector", "vision_tower", MISTRAL_LARGE4.tensors),
    parts={"text_config": TEXT, "vision_config": VISION},
)  # fmt: skip
