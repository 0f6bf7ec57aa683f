"""SigLIP: its two encoders, by themselves and together, each with a configuration of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isqrt

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, SizeOf, Use, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.encoder_keys import maps
from symledger.config_keys.family import Built, Family, Rule, Ruled, Unless, Values
from symledger.config_keys.image_keys import UNTIED
from symledger.config_keys.tower_keys import either, norm, seen, tower
from symledger.errors import BadInput

WIDTHS: Mapping[str, Use] = {
    "hidden_size": SizeOf("d"),
    "intermediate_size": SizeOf("d_ff"),
    "num_hidden_layers": SizeOf("L"),
    "num_attention_heads": SizeOf("h"),
    "hidden_act": Acting(),
    "initializer_range": FREE,
    "initializer_factor": FREE,
    **UNTIED,
}


def text(theirs: str, ours: str) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weights of the text encoder."""
    return {
        f"{theirs}embeddings.token_embedding.weight": (f"{ours}token_embedding.E",),
        f"{theirs}embeddings.position_embedding.weight": (f"{ours}positions.P",),
        **tower(theirs, ours), **norm(f"{theirs}final_layer_norm", f"{ours}final_norm"),
        f"{theirs}head.weight": (f"{ours}projection.W",),
        f"{theirs}head.bias": (f"{ours}projection.b",),
    }  # fmt: skip


def image(theirs: str, ours: str) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weights of the image encoder."""
    head, pool = f"{theirs}head.", f"{ours}pool"
    return {
        f"{theirs}embeddings.patch_embedding.weight": (f"{ours}patches.convolution.F",),
        f"{theirs}embeddings.patch_embedding.bias": (f"{ours}patches.convolution.b",),
        f"{theirs}embeddings.position_embedding.weight": (f"{ours}positions.P",),
        **tower(theirs, ours), **norm(f"{theirs}post_layernorm", f"{ours}final_norm"),
        f"{head}probe": (f"{ours}query",),
        **{f"{head}attention.in_proj_{x}": tuple(f"{pool}.{part}.{y}" for part in "QKV")
           for x, y in (("weight", "W"), ("bias", "b"))},
        **maps(**{f"{head}attention__out_proj": f"{pool}.O", f"{head}mlp__fc1": f"{pool}_network.1",
                  f"{head}mlp__fc2": f"{pool}_network.2"}),
        **norm(f"{head}layernorm", f"{pool}_norm"),
    }  # fmt: skip


TEXT = Family(
    "siglip_text_model",
    {"SiglipTextModel": Built("siglip_text")},
    {
        **WIDTHS,
        "vocab_size": SizeOf("V"),
        "max_position_embeddings": SizeOf("T_max", ("T",)),
        "projection_size": Unless(SizeOf("d_proj")),
    },
    tensors={**text("", ""), **text("text_model.", "")},
)

TEXT2 = replace(
    TEXT, model_type="siglip2_text_model", builds={"Siglip2TextModel": Built("siglip_text")}
)
IMAGE = Family(
    "siglip_vision_model",
    {"SiglipVisionModel": Built("siglip_image")},
    {
        **WIDTHS,
        "num_channels": SizeOf("C_in"),
        "image_size": SizeOf("H", ("W",)),
        "patch_size": SizeOf("P"),
        "vision_use_head": Choice("pooled", BOOLS),
    },
    tensors={**image("", ""), **image("vision_model.", "")},
)


def within(model_type: str, name: str) -> Family:
    """Return an encoder that is part of another model, and has nothing that reads it."""
    uses = {key: use for key, use in IMAGE.uses.items() if key != "vision_use_head"}
    built = {f"{name}VisionTransformer": Built("siglip_image", {"pooled": "false"})}
    tensors = {theirs: ours for theirs, ours in image("", "").items() if "head." not in theirs}
    return Family(model_type, built, uses, tensors=tensors)


IDEFICS3 = within("idefics3_vision", "Idefics3")
SMOLVLM = within("smolvlm_vision", "SmolVLM")
IDEFICS2 = within("idefics2_vision", "Idefics2")


PHI4 = replace(
    IMAGE, model_type="phi4_multimodal_vision",
    builds={"Phi4MultimodalVisionModel": Built("siglip_image")},
    uses={**{key: use for key, use in IMAGE.uses.items() if key != "vision_use_head"},
          **dict.fromkeys(("crop_size", "image_token_id", "feature_layer"), FREE)},
    tensors=image("", ""),
)  # fmt: skip
"""The encoder of Phi-4-multimodal; which layer is read, and how tiles are cut, says the whole."""


LARGE = 10**18
"""Beyond any width."""


def _widened(values: Values) -> Settings:
    """Return how wide the networks are: so many times the width, rounded down.

    Raises:
        BadInput: it is no number, or no network would have an element.
    """
    d, ratio = size("hidden_size", values["hidden_size"]), values["mlp_ratio"]
    if isinstance(ratio, bool) or not isinstance(ratio, int | float) or not 1 <= d * ratio < LARGE:
        raise BadInput(f"mlp_ratio = {written(ratio)} does not fit hidden_size = {d}.")
    return {"d_ff": str(int(d * ratio))}


JANUS = Family(
    "janus_vision_model", {"JanusVisionModel": Built("siglip_image", {"pooled": "false"})},
    {
        **{key: use for key, use in IDEFICS3.uses.items() if key != "intermediate_size"},
        "mlp_ratio": Ruled(),
        "attention_bias": Only((True,), "maps without a bias are not derived here"),
        "use_qk_norm": Only((False,), "norms of queries and keys are not derived here"),
        **dict.fromkeys((
            "attention_dropout", "hidden_dropout_rate", "projection_dim", "projection_dropout",
            "depth", "num_image_tokens",
        ), FREE),
    },
    (Rule(("hidden_size", "mlp_ratio"), _widened),),
    {name.replace("out_proj", "projection_layer"): ours for name, ours in IDEFICS3.tensors.items()},
)  # fmt: skip
"""The encoder of Janus; its first vector, normalized once more, is not given by itself."""


def _as_wide(values: Values) -> Settings:
    """Refuse a text's vector that is not as wide as an image's: they could not be compared."""
    wide = {}
    for name, part in SIGLIP.parts.items():
        said = values.get(name)
        wide[name] = {**part.facts["keys"], **(said if isinstance(said, dict) else {})}
    text, image = wide["text_config"], wide["vision_config"]
    width = text["hidden_size"] if text["projection_size"] is None else text["projection_size"]
    if width != image["hidden_size"]:
        raise BadInput(
            f"text_config with hidden_size or projection_size = {written(width)} does not fit "
            f"vision_config with hidden_size = {written(image['hidden_size'])}: the vectors of "
            "both are compared. Say projection_size."
        )
    return {}


UNREAD = Choice("idle", BOOLS)
"""What images are pooled by, where the mean is classified: it is computed, and not used."""
NEEDED = Only((True,), "what is compared with a text is what the head makes of an image")

SIGLIP = Family(
    "siglip",
    {
        "SiglipModel": Built("siglip", rules=(Rule((), _as_wide),)),
        "SiglipForImageClassification": Built(
            "siglip_image", {"classified": "true"}, labels=True,
            parts=seen(replace(IMAGE, uses={**IMAGE.uses, "vision_use_head": UNREAD}), TEXT),
        ),
    },
    {"initializer_factor": FREE, **UNTIED},
    (),
    {
        "logit_scale": ("scale",), "logit_bias": ("offset",), **text("text_model.", "text."),
        **either(image("vision_model.", "image."), image("vision_model.", "")),
        **maps(classifier="classifier"),
    },
    parts={
        "text_config": replace(TEXT, uses={**TEXT.uses, "projection_size": FREE}),
        "vision_config": replace(IMAGE, uses={
            **IMAGE.uses,
            "hidden_size": SizeOf("d_img"),
            "intermediate_size": SizeOf("f_img"),
            "num_hidden_layers": SizeOf("L_img"),
            "num_attention_heads": SizeOf("h_img"),
            "hidden_act": Acting("image_activation"),
            "vision_use_head": NEEDED,
        }),
    },
)  # fmt: skip


def _filled(values: Values) -> Settings:
    """Return the largest square image, each patch of which has a row of the table for itself.

    Raises:
        BadInput: there are no so many rows.
    """
    rows = size("num_patches", values["num_patches"])
    side = isqrt(rows)
    if side**2 != rows:
        raise BadInput(
            f"num_patches = {rows} does not fit: a table is that of a square, of "
            f"{side**2} or {(side + 1) ** 2} rows."
        )
    length = str(side * size("patch_size", values["patch_size"]))
    return {"H": length, "W": length}


FLAT = {
    **{key: use for key, use in IMAGE.uses.items() if key != "image_size"},
    "num_patches": Ruled(), "patch_size": SizeOf("P"),
}  # fmt: skip
IMAGE2 = replace(
    IMAGE, model_type="siglip2_vision_model",
    builds={"Siglip2VisionModel": Built("siglip_image")}, uses=FLAT,
    rules=(Rule(("patch_size",), _filled),),
)  # fmt: skip
"""It is given patches, of images of any shape: here as many as its table has rows."""
SIGLIP2 = replace(
    SIGLIP, model_type="siglip2",
    builds={
        "Siglip2Model": SIGLIP.builds["SiglipModel"],
    },
    parts={
        "text_config": replace(SIGLIP.parts["text_config"], model_type="siglip2_text_model"),
        "vision_config": replace(
            SIGLIP.parts["vision_config"], model_type="siglip2_vision_model",
            uses={
                **{key: use for key, use in SIGLIP.parts["vision_config"].uses.items()
                   if key != "image_size"},
                "num_patches": Ruled(),
            },
            rules=(Rule(("patch_size",), _filled),),
        ),
    },
)  # fmt: skip
