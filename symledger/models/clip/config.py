"""CLIP: its two encoders, by themselves and together, each with a configuration of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symledger.arguments.specs import Settings, SizeOf, size, written
from symledger.config_keys import common
from symledger.config_keys import types_of_keys as typed
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import head_width
from symledger.config_keys.encoder_keys import maps
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import UNTIED, Pair, Square
from symledger.config_keys.tower_keys import either, norm, seen, tower
from symledger.errors import BadInput, shown


def text(theirs: str, ours: str) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weights of the text encoder."""
    return {
        f"{theirs}embeddings.token_embedding.weight": (f"{ours}token_embedding.E",),
        f"{theirs}embeddings.position_embedding.weight": (f"{ours}positions.P",),
        **tower(theirs, ours), **norm(f"{theirs}final_layer_norm", f"{ours}final_norm"),
        "text_projection.weight": (f"{ours}projection.W",),
    }  # fmt: skip


def image(theirs: str, ours: str) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weights of the image encoder."""
    return {
        f"{theirs}embeddings.class_embedding": (f"{ours}embedding.c",),
        f"{theirs}embeddings.patch_embedding.weight": (f"{ours}embedding.patches.convolution.F",),
        f"{theirs}embeddings.position_embedding.weight": (f"{ours}embedding.positions.P",),
        **norm(f"{theirs}pre_layrnorm", f"{ours}first_norm"), **tower(theirs, ours),
        **norm(f"{theirs}post_layernorm", f"{ours}final_norm"),
        "visual_projection.weight": (f"{ours}projection.W",),
    }  # fmt: skip


TEXT = Family(
    "clip_text_model",
    {
        "CLIPTextModel": Built("clip_text", {"projected": "false"}),
        "CLIPTextModelWithProjection": Built("clip_text", {"projected": "true"}),
    },
    {
        "vocab_size": SizeOf("V"),
        "hidden_size": SizeOf("d"),
        "intermediate_size": SizeOf("d_ff"),
        "num_hidden_layers": SizeOf("L"),
        "num_attention_heads": SizeOf("h"),
        "max_position_embeddings": SizeOf("T_max", ("T",)),
        "projection_dim": SizeOf("d_proj"),
        "hidden_act": Acting(),
        "initializer_range": FREE,
        "initializer_factor": FREE,
        **UNTIED,
    },
    tensors={**text("", ""), **text("text_model.", "")},
)

IMAGE = Family(
    "clip_vision_model",
    {
        "CLIPVisionModel": Built("clip_image", {"projected": "false"}),
        "CLIPVisionModelWithProjection": Built("clip_image", {"projected": "true"}),
    },
    {
        "hidden_size": SizeOf("d"),
        "intermediate_size": SizeOf("d_ff"),
        "num_hidden_layers": SizeOf("L"),
        "num_attention_heads": SizeOf("h"),
        "num_channels": SizeOf("C_in"),
        "image_size": Pair(("H", "W")),
        "patch_size": Square("P"),
        "projection_dim": SizeOf("d_proj"),
        "hidden_act": Acting(),
        "initializer_range": FREE,
        "initializer_factor": FREE,
        **UNTIED,
    },
    tensors={**image("", ""), **image("vision_model.", "")},
)

PARTS: Mapping[str, Family] = {
    "text_config": replace(TEXT, uses={**TEXT.uses, "projection_dim": FREE}),
    "vision_config": replace(IMAGE, uses={
        **IMAGE.uses,
        "hidden_size": SizeOf("d_img"),
        "intermediate_size": SizeOf("f_img"),
        "num_hidden_layers": SizeOf("L_img"),
        "num_attention_heads": SizeOf("h_img"),
        "projection_dim": FREE,
        "hidden_act": Acting("image_activation"),
    }),
}  # fmt: skip
"""The width of the common space is said by the whole; what its parts say of it is not used."""


def _said_twice(values: Values) -> Settings:
    """Refuse parts that older files say once more, where what they say then is not the same.

    ``text_config_dict`` comes before ``text_config``, and keys that it lacks have their defaults.
    """
    for name, part in PARTS.items():
        again = values.get(f"{name}_dict")
        if again is None:
            continue
        if not isinstance(again, dict):
            raise BadInput(f"{name}_dict = {written(again)} does not fit: an object is meant.")
        once, defaults = values.get(name), part.facts["keys"]
        once = once if isinstance(once, dict) else {}
        for key in (*part.uses, *again):
            use = part.uses.get(key) or common.known(key)
            if use is not None and typed.irrelevant(use):
                continue
            first, second = (said.get(key, defaults.get(key)) for said in (once, again))
            if use is None or first != second:
                raise BadInput(
                    f"{name}_dict, which comes before {name}, says {shown(key)} = "
                    f"{written(second)}, and {name} {written(first)}. Leave {name}_dict out."
                )
    return {}


def _divided(values: Values) -> Settings:
    """Refuse heads that do not divide the width, as the class does though it reads no more."""
    head_width({key: size(key, values[key]) for key in ("hidden_size", "num_attention_heads")})
    return {}


CLIP = Family(
    "clip",
    {
        "CLIPModel": Built("clip"),
        "CLIPForImageClassification": Built(
            "clip_image", {"classified": "true"}, labels=True, uses={"projection_dim": FREE},
            parts=seen(replace(IMAGE, uses={**IMAGE.uses, "projection_dim": FREE}), TEXT,
                       Rule((), _divided)),
        ),
    },
    {
        "projection_dim": SizeOf("d_proj"),
        "logit_scale_init_value": FREE,
        "initializer_factor": FREE,
        **dict.fromkeys((f"{name}_dict" for name in PARTS), Ruled()),
        **UNTIED,
    },
    (Rule((), _said_twice),),
    tensors={
        "logit_scale": ("scale",), **text("text_model.", "text."),
        **either(image("vision_model.", "image."), image("vision_model.", "")),
        **maps(classifier="classifier"),
    },
    parts=PARTS,
)


def _renamed(family: Family, model_type: str, name: str, classes: tuple[str, ...]) -> Family:
    """Return an encoder that others call otherwise, and compute alike."""
    builds = {f"{name}{k}": family.builds[f"CLIP{k}"] for k in classes}
    return replace(family, model_type=model_type, builds=builds)


def _pair(model_type: str, name: str, text: Family, image: Family, *classes: str) -> Family:
    """Return both encoders under other names."""
    parts = {"text_config": text, "vision_config": image}
    return replace(
        CLIP, model_type=model_type,
        builds={f"{name}{k}": CLIP.builds[f"CLIP{k}"] for k in classes},
        parts={key: replace(part, model_type=parts[key].model_type) for key, part in PARTS.items()},
    )  # fmt: skip


BOTH = ("TextModel", "TextModelWithProjection"), ("VisionModel", "VisionModelWithProjection")
METACLIP_TEXT = _renamed(TEXT, "metaclip_2_text_model", "MetaClip2", BOTH[0])
METACLIP_IMAGE = _renamed(IMAGE, "metaclip_2_vision_model", "MetaClip2", BOTH[1])
METACLIP = _pair("metaclip_2", "MetaClip2", METACLIP_TEXT, METACLIP_IMAGE, "Model")
CLIPSEG_TEXT = _renamed(TEXT, "clipseg_text_model", "CLIPSeg", ("TextModel",))
CLIPSEG_IMAGE = _renamed(IMAGE, "clipseg_vision_model", "CLIPSeg", ("VisionModel",))
CLIPSEG = _pair("clipseg", "CLIPSeg", CLIPSEG_TEXT, CLIPSEG_IMAGE, "Model")
CLIPSEG = replace(CLIPSEG, uses={**CLIPSEG.uses, **dict.fromkeys((
    "extract_layers", "reduce_dim", "decoder_num_attention_heads", "decoder_attention_dropout",
    "decoder_hidden_act", "decoder_intermediate_size", "conditional_layer",
    "use_complex_transposed_convolution",
), FREE)})  # fmt: skip
"""Without what segments images, which is another class of it."""
ALTCLIP_IMAGE = _renamed(IMAGE, "altclip_vision_model", "AltCLIP", ("VisionModel",))
CHINESE_IMAGE = _renamed(IMAGE, "chinese_clip_vision_model", "ChineseCLIP", ("VisionModel",))


def _looking(model_type: str, name: str, kind: str, family: Family) -> Family:
    """Return an encoder of OWL: its classes stand for one another, and a norm is called better."""
    built = family.builds[f"CLIP{kind}Model"]
    tensors = {t.replace("pre_layrnorm", "pre_layernorm"): o for t, o in family.tensors.items()}
    builds = {f"{name}{kind}Transformer": built, f"{name}{kind}Model": built}
    return replace(family, model_type=model_type, builds=builds, tensors=tensors)


OWLVIT_TEXT = _looking("owlvit_text_model", "OwlViT", "Text", TEXT)
OWLVIT_IMAGE = _looking("owlvit_vision_model", "OwlViT", "Vision", IMAGE)
OWLV2_TEXT = _looking("owlv2_text_model", "Owlv2", "Text", TEXT)
OWLV2_IMAGE = _looking("owlv2_vision_model", "Owlv2", "Vision", IMAGE)
KOSMOS2_IMAGE = replace(
    _looking("kosmos_2_vision_model", "Kosmos2", "Vision", IMAGE),
    tensors={f"{outer}{name}": o for outer in ("", "model.") for name, o in IMAGE.tensors.items()},
)
GIT_IMAGE = _renamed(IMAGE, "git_vision_model", "Git", ("VisionModel",))
XCLIP_TEXT = _renamed(TEXT, "xclip_text_model", "XCLIP", ("TextModel",))
GROUPVIT_TEXT = _looking("groupvit_text_model", "GroupViT", "Text", TEXT)
