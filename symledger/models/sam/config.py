"""Segment Anything: an encoder of images inside, one of prompts, and a decoder of masks."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import Only, Settings, SizeOf, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import head_width
from symledger.config_keys.encoder_keys import Tensors, maps, norms, under
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import UNTIED
from symledger.errors import BadInput
from symledger.models.sam_vision.config import SAM as SEEING
from symledger.models.sam_vision.config import SEEING as GLOBAL
from symledger.models.sam_vision.config import tensors, wide

SEEN, ASKED, DRAWN = "vision_config", "prompt_encoder_config", "mask_decoder_config"


def _fitting(values: Values) -> Settings:
    """Refuse parts that do not fit: widths, maps of other sizes, and heads that do not divide."""
    parts = {SEEN: VISION, ASKED: PROMPTS, DRAWN: MASKS}
    seen, asked, drawn = (
        {**part.facts["keys"], **(values[key] if isinstance(values[key], dict) else {})}
        for key, part in parts.items()
    )
    width = size("output_channels", seen["output_channels"])
    for key, part, name, meant in (
        (ASKED, asked, "hidden_size", width), (DRAWN, drawn, "hidden_size", width),
        (SEEN, seen, "num_pos_feats", width // 2),
        *((ASKED, asked, name, seen[name]) for name in ("image_size", "patch_size")),
    ):
        if part[name] != meant:
            raise BadInput(
                f"{name} = {written(part[name])} of {key} does not fit {SEEN}: {written(meant)} "
                f"does, where output_channels = {width}."
            )
    if wide(seen).get("windowed") == "false":
        raise BadInput(
            f"{GLOBAL} = {written(seen[GLOBAL])} of {SEEN} is not supported: some blocks see "
            "windows here. Leave one out; the encoder alone may have none."
        )
    number = size("num_attention_heads", drawn["num_attention_heads"])
    heads = {"hidden_size": width // 2, "num_attention_heads": number}
    if width % 8:
        raise BadInput(f"output_channels = {width} does not fit: it is divided by 8 in the end.")
    head_width(heads)
    return {}


def _given(values: Values) -> Settings:
    """Return how many channels a mask has that is given, of which a quarter comes first."""
    channels = size("mask_input_channels", values["mask_input_channels"])
    if channels % 4:
        raise BadInput(
            f"mask_input_channels = {channels} does not fit: a quarter of them comes first."
        )
    return {"C_msk": str(channels)}


def _wide(values: Values) -> Settings:
    """Return how many blocks see all of an image: that others see windows is no choice here."""
    return {name: said for name, said in wide(values).items() if name != "windowed"}


VISION = replace(
    SEEING, uses={**SEEING.uses, "hidden_act": Acting("seen_by"), "num_pos_feats": FREE},
    rules=(Rule((), _wide), *SEEING.rules[1:]),
)  # fmt: skip
PROMPTS = Family(
    "sam_prompt_encoder",
    {},
    {
        **dict.fromkeys(("hidden_size", "image_size", "patch_size", "image_embedding_size"), FREE),
        "mask_input_channels": Ruled(),
        "num_point_embeddings": Only((4,), "points are of four kinds"),
        "hidden_act": FREE,
        **UNTIED,
    },
    (Rule((), _given),),
)
MASKS = Family(
    "sam_mask_decoder",
    {},
    {
        "hidden_size": FREE,
        "hidden_act": Acting(),
        "mlp_dim": SizeOf("d_dec"),
        "num_hidden_layers": SizeOf("L_dec"),
        "num_attention_heads": SizeOf("h_dec"),
        "attention_downsample_rate": Only((2,), "the last attention alone would have another"),
        "num_multimask_outputs": SizeOf("n_msk"),
        "iou_head_depth": Only((3,), "scores of masks would be made by other maps"),
        "iou_head_hidden_dim": SizeOf("d_iou"),
        **UNTIED,
    },
)
"""Widths are the encoder's: that they are equal is seen to where all parts are known."""

LAYERS = ("first_layer", "layer")
ATTENDED = {"q_proj": "Q", "k_proj": "K", "v_proj": "V", "out_proj": "O"}
BOTH = (("weight", "W"), ("bias", "b"))
ATTENTIONS = {
    "self_attn": "attention", "cross_attn_token_to_image": "to_image",
    "cross_attn_image_to_token": "to_prompts",
}  # fmt: skip
LAYER: Tensors = {
    **{f"{theirs}.{n}.{said}": (f"{ours}.{m}.{x}",) for theirs, ours in ATTENTIONS.items()
       for n, m in ATTENDED.items() for said, x in BOTH},
    **maps(mlp__lin1="feed_forward.1", mlp__lin2="feed_forward.2"),
    **norms(**{f"layer_norm{i}": f"norm_{i}" for i in range(1, 5)}),
}  # fmt: skip
DECODER: Tensors = {
    **{f"transformer.layers.*.{name}": tuple(f"{layer}.{x}" for layer in LAYERS)
       for name, (x,) in LAYER.items()},
    **{f"transformer.final_attn_token_to_image.{n}.{said}": (f"last.{m}.{x}",)
       for n, m in ATTENDED.items() for said, x in BOTH},
    **norms(transformer__layer_norm_final_attn="last_norm", upscale_layer_norm="larger_norm"),
    **{f"upscale_conv{i}.{said}": (f"larger_{i}.{x}",) for i in (1, 2)
       for said, x in (("weight", "F"), ("bias", "b"))},
    **{f"output_hypernetworks_mlps.*.{theirs}.{said}": (f"{x}_{i}",)
       for theirs, i in (("proj_in", 1), ("layers.*", 2), ("proj_out", 3)) for said, x in BOTH},
    **maps(iou_prediction_head__proj_in="judge_1", iou_prediction_head__proj_out="judge_3"),
    **{f"iou_prediction_head.layers.*.{said}": (f"judge_2.{x}",) for said, x in BOTH},
}  # fmt: skip
MASK: Tensors = {
    **{f"conv{i}.{said}": (f"mask_{x}_{i}",) for i in (1, 2, 3)
       for said, x in (("weight", "F"), ("bias", "b"))},
    **{f"layer_norm{i}.{said}": (f"mask_{x}_{i}",) for i in (1, 2)
       for said, x in (("weight", "g"), ("bias", "shift"))},
}  # fmt: skip

SAM = Family(
    "sam",
    {"SamModel": Built("sam")},
    {
        "initializer_range": FREE,
        "tie_word_embeddings": Only(
            (True,), "places of prompts would be told by directions of their own"),
    },
    (Rule((SEEN, ASKED, DRAWN), _fitting),),
    tensors={
        "shared_image_embedding.positional_embedding": ("directions",),
        **tensors("vision_encoder.", "encoder."),
        **under("prompt_encoder.mask_embed.", "", MASK),
        "prompt_encoder.no_mask_embed.weight": ("no_mask",),
        "prompt_encoder.point_embed.*.weight": ("kinds",),
        "prompt_encoder.not_a_point_embed.weight": ("none",),
        "mask_decoder.iou_token.weight": ("good",), "mask_decoder.mask_tokens.weight": ("masks",),
        **under("mask_decoder.", "decoder.", DECODER),
    },
    parts={SEEN: VISION, ASKED: PROMPTS, DRAWN: MASKS},
)  # fmt: skip
