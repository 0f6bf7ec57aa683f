"""RT-DETR: what sees, as a configuration inside; an encoder of its maps, and a decoder."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, SizeOf, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.backbone_keys import stages
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import head_width
from symledger.config_keys.encoder_keys import Tensors, maps, norms
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import CONVOLVED, STAGES, UNTIED, Stages
from symledger.errors import BadInput
from symledger.models.resnet.config import UNITS, parts, widened

READ = {"out_indices": [2, 3, 4]}
"""The stages that are read where nothing is said of what sees."""


def _read(values: Values) -> Settings:
    """Refuse other maps than those of the last three stages: where none are said, the last is."""
    read = stages(values, STAGES)
    if read != READ["out_indices"]:
        raise BadInput(
            f"out_indices = {written(read)} of backbone_config is not supported: three maps are "
            f"fused, of out_indices = {READ['out_indices']}. Say it."
        )
    return {}


def _seen(values: Values) -> Settings:
    """Refuse widths that cannot be halved or quartered, and a first stage that would not fit."""
    first, widths = size("embedding_size", values["embedding_size"]), values["hidden_sizes"]
    if first % 2:
        raise BadInput(f"embedding_size = {first} does not fit: half of it comes first.")
    if values["layer_type"] == "basic" and widths[0] != first:
        raise BadInput(
            f"hidden_sizes[0] = {written(widths[0])} does not fit embedding_size = {first}: where "
            "layer_type is basic, the class halves an image beside what it does not halve."
        )
    if values["layer_type"] == "basic" and len({*widths}) < len(widths):
        raise BadInput(
            f"hidden_sizes = {written(widths)} is not supported: where layer_type is basic and a "
            "stage is as wide as the one before, an image is not averaged beside it."
        )
    if values["layer_type"] == "bottleneck" and any(width % 4 for width in widths):
        raise BadInput(
            f"hidden_sizes = {written(widths)} does not fit: a quarter of each is inside blocks."
        )
    return {}


SEEN = Family(
    "rt_detr_resnet",
    {},
    {
        "num_channels": SizeOf("C_in"),
        "embedding_size": SizeOf("C"),
        "hidden_sizes": Stages("C"),
        "depths": Stages("L"),
        "layer_type": Choice("bottleneck", {"bottleneck": "true", "basic": "false"}),
        "hidden_act": Acting("seen_by", learned=False),
        "downsample_in_first_stage": Only((False,), "every map would be half as large"),
        "downsample_in_bottleneck": Choice("early", BOOLS),
        **dict.fromkeys(("out_features", "out_indices"), Ruled()),
        "stage_names": FREE,
        **UNTIED,
    },
    (
        Rule(("embedding_size", "hidden_sizes", "layer_type"), _seen),
        Rule(("hidden_sizes", "embedding_size"), widened), Rule((), _read),
    ),
    absent=READ,
)


def _fitting(values: Values) -> Settings:
    """Refuse widths and heads that do not fit, and say how wide is what fuses maps."""
    given = values["backbone_config"] if isinstance(values["backbone_config"], dict) else {}
    seen = {**SEEN.facts["keys"], **given}["hidden_sizes"]
    width = size("encoder_hidden_dim", values["encoder_hidden_dim"])
    if not isinstance(seen, list):
        raise BadInput(f"hidden_sizes = {written(seen)} of backbone_config is no list.")
    if values["encoder_in_channels"] != seen[1:]:
        raise BadInput(
            f"encoder_in_channels = {written(values['encoder_in_channels'])} does not fit "
            f"backbone_config: it gives {written(seen[1:])}."
        )
    if values["decoder_in_channels"] != [width] * 3:
        raise BadInput(
            f"decoder_in_channels = {written(values['decoder_in_channels'])} does not fit: three "
            f"maps of encoder_hidden_dim = {width} enter."
        )
    if width % 4:
        raise BadInput(
            f"encoder_hidden_dim = {width} does not fit: a quarter of it each are sines and "
            "cosines of rows and of columns."
        )
    head_width(values, "encoder_hidden_dim", "encoder_attention_heads")
    head_width(values, "d_model", "decoder_attention_heads")
    return {"d_img": str(width), **_fused(values, width)}


def _fused(values: Values, width: int) -> Settings:
    """Return how many channels are inside of what fuses maps: a share of theirs."""
    share: Any = values["hidden_expansion"]
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1000:
        raise BadInput(f"hidden_expansion = {written(share)} does not fit: a number above 0 is.")
    inside = size("hidden_expansion", int(width * share))
    if inside == width:
        return {"mapped": "false"}
    return {"C_csp": str(inside), "mapped": "true"}


def _noised(values: Values) -> Settings:
    """Say whether there is a table for what should be found."""
    return {"noised": BOOLS[size("num_denoising", values["num_denoising"], 0) > 0]}


BOTH = (("weight", "W"), ("bias", "b"))
NORM = (("weight", "g"), ("bias", "b"))
UNIT = {"conv.weight": "convolution.F", "norm.weight": "norm.g", "norm.bias": "norm.b"}
WINDOW = CONVOLVED["convolution.weight"]
BACK = "model.backbone.model."


def _units(theirs: str, *ours: str) -> Tensors:
    """Return whose tensors those of convolutions with their norms are."""
    return {f"{theirs}.{said}": tuple(f"{x}.{part}" for x in ours) for said, part in UNIT.items()}


def _mapped(theirs: str, ours: str) -> Tensors:
    """Return the same where the convolution and the norm are numbered."""
    three = [f"{ours}_{i}" for i in (1, 2, 3)]
    weights = [f"{x}.{part}" for x in three for part in ("convolution.F", "norm.g")]
    return {
        f"{theirs}.*.*.weight": tuple(weights),
        f"{theirs}.*.*.bias": tuple(f"{x}.norm.b" for x in three),
    }


def _fusing(theirs: str, ours: str) -> Tensors:
    """Return whose tensors those of blocks are that fuse two maps."""
    two = [f"pyramid.{ours}_{i}" for i in (1, 2)]
    return {
        **{name: x for i in (1, 2, 3) for name, x in
           _units(f"{theirs}.*.conv{i}", *(f"{x}.conv_{i}" for x in two)).items()},
        **{name: x for i in (1, 2) for name, x in _units(
            f"{theirs}.*.bottlenecks.*.conv{i}", *(f"{x}.block.conv_{i}" for x in two)).items()},
    }  # fmt: skip


def _attended(theirs: str, ours: str) -> Tensors:
    return {f"{theirs}.{x.lower()}_proj.{said}": (f"{ours}.attention.{x}.{part}",)
            for x in "QKVO" for said, part in BOTH}  # fmt: skip


def _block(theirs: str, ours: str, last: int) -> Tensors:
    """Return whose tensors those of a block are: its attention to itself, network and norms."""
    return {
        **_attended(f"{theirs}.self_attn", ours),
        **{f"{theirs}.mlp.fc{i}.{said}": (f"{ours}.feed_forward.{i}.{x}",)
           for i in (1, 2) for said, x in BOTH},
        **{f"{theirs}.{name}.{said}": (f"{ours}.norm_{i}.{x}",)
           for name, i in (("self_attn_layer_norm", 1), ("final_layer_norm", last))
           for said, x in NORM},
    }  # fmt: skip


def _three(theirs: str, ours: str) -> Tensors:
    return {f"{theirs}.layers.*.{said}": tuple(f"{ours}.{i}.{x}" for i in (1, 2, 3))
            for said, x in BOTH}  # fmt: skip


LAYER = "model.decoder.layers.*"
LOOKED = {"sampling_offsets": "offsets", "attention_weights": "scores", "value_proj": "V",
          "output_proj": "O"}  # fmt: skip
TENSORS: Tensors = {
    f"{BACK}embedder.embedder.*.convolution.weight": tuple(
        f"backbone.stem_{i}.{WINDOW}" for i in (1, 2, 3)),
    **{f"{BACK}encoder.stages.*.layers.*.{theirs}.convolution.weight": tuple(
        f"backbone.{x}" for x in parts(names, WINDOW))
       for theirs, names in (("shortcut", ("shortcut",)), ("shortcut.*", ("averaged",)),
                             ("layer.*", UNITS))},
    **_mapped("model.encoder_input_proj", "input"), **_mapped("model.decoder_input_proj", "output"),
    **_block("model.encoder.aifi.*.layers.*", "encoder", 2),
    **_units("model.encoder.lateral_convs.*", "pyramid.lateral_1", "pyramid.lateral_2"),
    **_units("model.encoder.downsample_convs.*", "pyramid.smaller_1", "pyramid.smaller_2"),
    **_fusing("model.encoder.fpn_blocks", "upwards"),
    **_fusing("model.encoder.pan_blocks", "downwards"),
    "model.denoising_class_embed.weight": ("noised",),
    "model.enc_output.*.weight": ("chosen.W", "chosen_norm.g"),
    "model.enc_output.*.bias": ("chosen.b", "chosen_norm.b"),
    **maps(model__enc_score_head="chosen_classes"),
    **_three("model.enc_bbox_head", "chosen_box"),
    **_block(LAYER, "layer", 3), **norms(**{f"{LAYER}.encoder_attn_layer_norm": "layer.norm_2"}),
    **{f"{LAYER}.encoder_attn.{n}.{said}": (f"layer.cross_attention.{m}.{x}",)
       for n, m in LOOKED.items() for said, x in BOTH},
    "model.decoder.query_pos_head.layers.*.weight": ("W_1", "W_2"),
    "model.decoder.query_pos_head.layers.*.bias": ("b_1", "b_2"),
    **{f"{kind}class_embed.*.{said}": (f"layer.classes.{x}",)
       for kind in ("", "model.decoder.") for said, x in BOTH},
    **_three("bbox_embed.*", "layer.box"), **_three("model.decoder.bbox_embed.*", "layer.box"),
}  # fmt: skip

RT_DETR = Family(
    "rt_detr",
    {"RTDetrForObjectDetection": Built("rt_detr", labels=True)},
    {
        "d_model": SizeOf("d"),
        "encoder_layers": SizeOf("L_enc"),
        "encoder_ffn_dim": SizeOf("f_img"),
        "encoder_attention_heads": SizeOf("h"),
        "decoder_layers": SizeOf("L_dec"),
        "decoder_ffn_dim": SizeOf("d_dec"),
        "decoder_attention_heads": SizeOf("h_dec"),
        "decoder_n_points": SizeOf("n_pt"),
        "num_queries": SizeOf("n_q"),
        "num_feature_levels": Only((3,), "another map would be made of the last one"),
        "encode_proj_layers": Only(([2],), "other maps than the smallest would be read"),
        "normalize_before": Only((False,), "norms would stand before each part"),
        "learn_initial_query": Only((False,), "queries would be learned"),
        "freeze_backbone_batch_norms": Only((True,), "norms of what sees would be trained"),
        "eval_size": Only((None,), "places would not be told where they stand"),
        "anchor_image_size": Only((None,), "boxes would be told for images of one size"),
        "encoder_activation_function": Acting("read_by"),
        "activation_function": Acting("fused_by", learned=False),
        "decoder_activation_function": Acting(),
        **dict.fromkeys(("backbone_config", "encoder_hidden_dim", "encoder_in_channels",
                         "decoder_in_channels", "hidden_expansion", "num_denoising"), Ruled()),
        **dict.fromkeys((
            "feat_strides", "positional_encoding_temperature", "label_noise_ratio",
            "box_noise_scale", "disable_custom_kernels", "with_box_refine", "is_encoder_decoder",
            "matcher_alpha", "matcher_gamma", "matcher_class_cost", "matcher_bbox_cost",
            "matcher_giou_cost", "use_focal_loss", "auxiliary_loss", "focal_loss_alpha",
            "focal_loss_gamma", "weight_loss_vfl", "weight_loss_bbox", "weight_loss_giou",
            "eos_coefficient", "initializer_range", "initializer_bias_prior_prob", "backbone",
            "use_pretrained_backbone", "use_timm_backbone", "backbone_kwargs",
        ), FREE),
        **UNTIED,
    },
    (
        Rule(("d_model", "encoder_attention_heads", "decoder_attention_heads"), _fitting),
        Rule((), _noised),
    ),
    tensors=TENSORS,
    parts={"backbone_config": SEEN},
)  # fmt: skip
RT_DETR_V2 = replace(
    RT_DETR, model_type="rt_detr_v2",
    builds={"RTDetrV2ForObjectDetection": Built("rt_detr", labels=True)},
    uses={
        **RT_DETR.uses,
        "decoder_n_levels": Only((3,), "another map would be looked at"),
        "decoder_offset_scale": FREE,
        "tie_word_embeddings": Only((True,), "what says classes and boxes would be there twice"),
        "decoder_method": Only(("default",), "values would be taken at whole places, and no "
                               "gradient would go back to where these are"),
    },
)  # fmt: skip
