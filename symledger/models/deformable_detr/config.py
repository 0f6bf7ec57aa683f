"""Deformable DETR: DETR's keys, maps of several sizes, and places that are looked at."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import Only, Settings, SizeOf, size, written
from symledger.config_keys.backbone_keys import stages
from symledger.config_keys.common import FREE
from symledger.config_keys.encoder_keys import Tensors, maps, norms
from symledger.config_keys.family import Built, Rule, Ruled, Values
from symledger.config_keys.image_keys import STAGES
from symledger.errors import BadInput
from symledger.models.detr.config import ATTENDED, DETR, SEEN, attended, network, seeing

GROUPS = 32
"""Groups of channels that are normalized together (transformers 5.23.0)."""
READ = {1: ("one", [4]), 3: ("three", [2, 3, 4]), 4: ("four", [2, 3, 4])}
"""What the numbers of levels are called, and the stages that are read where there are as many."""
MAPS = replace(
    SEEN,
    uses={**SEEN.uses, **dict.fromkeys(("out_features", "out_indices"), Ruled()),
          "downsample_in_first_stage": Only((False,), "every map would be half as large")},
    absent={"out_indices": READ[4][1]},
)  # fmt: skip
LOOKED = {"sampling_offsets": "offsets", "attention_weights": "scores", "value_proj": "V",
          "output_proj": "O"}  # fmt: skip
BOTH = (("weight", "W"), ("bias", "b"))


def _levels(values: Values) -> Settings:
    """Say how many maps there are, and refuse another number, or others than are read."""
    number = size("num_feature_levels", values["num_feature_levels"])
    if number not in READ:
        raise BadInput(
            f"num_feature_levels = {number} is not supported: 4 is, the last three stages and a "
            "map of the last one; 3 without that; or 1, the last stage alone."
        )
    name, read = READ[number]
    given = values["backbone_config"]
    found = stages(given, STAGES) if isinstance(given, dict) else read
    if found != read:
        raise BadInput(
            f"out_indices = {written(found)} of backbone_config does not fit num_feature_levels = "
            f"{number}: {written(read)} does. Say it."
        )
    return {"levels": name}


def _grouped(values: Values) -> Settings:
    """Refuse widths that groups of channels do not divide."""
    if size("d_model", values["d_model"]) % GROUPS:
        raise BadInput(
            f"d_model = {values['d_model']} does not fit: {GROUPS} groups of channels are "
            "normalized, so that as many divide it."
        )
    return {"G": str(GROUPS)}


def _told(values: Values) -> Settings:
    """Say how boxes come about, and how many queries there are."""
    chosen, refined = values["two_stage"], values["with_box_refine"]
    if chosen and not refined:
        raise BadInput("two_stage = true needs with_box_refine = true: the class asks for both.")
    if size("decoder_layers", values["decoder_layers"]) == 1 and not chosen:
        raise BadInput(
            "decoder_layers = 1 is not supported: the class ties what tells boxes to that of "
            "further layers, and is not built where there are none. Choose 2 or more."
        )
    number = "two_stage_num_proposals" if chosen else "num_queries"
    head = "chosen" if chosen else "refined" if refined else "boxes"
    return {"head": head, "n_q": str(size(number, values[number]))}


def _asked(values: Values) -> Settings:
    """Return how many queries there are where these are learned."""
    return {"n_q": str(size("num_queries", values["num_queries"]))}


def _block(theirs: str, ours: tuple[str, ...], names: Tensors) -> Tensors:
    """Return whose tensors those of a kind of block are."""
    return {
        f"{theirs}.layers.*.{name}": tuple(f"{x}.{part}" for x in ours)
        for name, (part,) in names.items()
    }


FED = maps(mlp__fc1="feed_forward.1", mlp__fc2="feed_forward.2")
FIRST = norms(self_attn_layer_norm="norm_1")
LAYERS = ("first_block", "layer")
TENSORS: Tensors = {
    **network("model.backbone.model."),
    **{f"model.position_embedding.{n[:-1]}_embeddings.weight": (n,) for n in ("rows", "columns")},
    "model.input_proj.*.*.weight": tuple(
        f"projection_{x}{i}.{part}" for i in range(1, 5) for x, part in (("", "F"), ("norm_", "g"))
    ),
    "model.input_proj.*.*.bias": tuple(
        f"projection_{x}{i}.b" for i in range(1, 5) for x in ("", "norm_")
    ),
    "model.level_embed": ("levels",),
    "model.query_position_embeddings.weight": ("Q",),
    **maps(model__reference_points="place", model__enc_output="chosen", model__pos_trans="told"),
    **norms(model__enc_output_norm="chosen_norm", model__pos_trans_norm="told_norm"),
    **_block("model.encoder", ("encoder",), {
        **attended("self_attn", "looking", LOOKED), **FED, **FIRST,
        **norms(final_layer_norm="norm_2"),
    }),
    **_block("model.decoder", LAYERS, {
        **attended("self_attn", "attention", ATTENDED),
        **attended("encoder_attn", "looking", LOOKED), **FED, **FIRST,
        **norms(encoder_attn_layer_norm="norm_2", final_layer_norm="norm_3"),
    }),
    **{f"{at}class_embed.*.{said}": (
        f"classes.{x}", *(f"{layer}.classes.{x}" for layer in LAYERS), f"chosen_classes.{x}")
       for at in ("", "model.decoder.") for said, x in BOTH},
    **{f"{at}bbox_embed.*.layers.*.{said}": tuple(
        part for i in (1, 2, 3)
        for part in (f"box.{i}.{x}", *(f"{layer}.{x}_{i}" for layer in LAYERS),
                     f"chosen_box.{i}.{x}"))
       for at in ("", "model.decoder.") for said, x in BOTH},
}  # fmt: skip

DEFORMABLE_DETR = seeing(replace(
    DETR,
    model_type="deformable_detr",
    builds={
        "DeformableDetrForObjectDetection": Built(
            "deformable_detr", labels=True, rules=(Rule(("decoder_layers",), _told),)
        ),
        "DeformableDetrModel": Built(
            "deformable_detr", {"head": "bare"}, rules=(Rule((), _asked),),
            uses={"with_box_refine": FREE, "two_stage": Only(
                (False,), "what scores places stands in DeformableDetrForObjectDetection alone")},
        ),
    },
    uses={
        **{name: use for name, use in DETR.uses.items() if name != "decoder_layerdrop"},
        "num_queries": Ruled(),
        "encoder_n_points": SizeOf("n_pt"),
        "decoder_n_points": SizeOf("n_ptd"),
        "tie_word_embeddings": Only((True,), "each block would have what tells classes and boxes "
                                    "of its own"),
        **dict.fromkeys(("num_feature_levels", "two_stage", "with_box_refine",
                         "two_stage_num_proposals"), Ruled()),
        **dict.fromkeys(("focal_alpha", "disable_custom_kernels", "return_intermediate"), FREE),
    },
    rules=(*DETR.rules, Rule((), _levels), Rule(("d_model",), _grouped)),
    tensors=TENSORS,
    parts={"backbone_config": MAPS},
), MAPS)  # fmt: skip
