"""GLM-V and GLM-OCR: an encoder of images of any size, and decoders of several types."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.arguments.specs import Choice, Number, Settings, SizeOf, Use, size
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import quartered
from symledger.config_keys.seeing_keys import (
    TIED,
    decoding,
    generating,
    lasting,
    tied_by_either,
    width,
    within,
)
from symledger.errors import BadInput
from symledger.models.glm import config as glm
from symledger.models.glm4_moe import config as glm4_moe
from symledger.models.qwen_vision.config import IMAGE, KEYS

QKV: Mapping[object, str] = {False: "none", True: "qkv"}
ALL: Mapping[object, str] = {False: "none", True: "all"}
PARTS = {
    "norm1": "norm_1.g", "norm2": "norm_2.g", "attn.proj": "attention.O.W",
    **{f"attn.{x.lower()}_norm": f"attention.norm_{x}.g" for x in "QK"},
    **{f"mlp.{x}_proj": f"feed_forward.{x}.W" for x in ("gate", "up", "down")},
}  # fmt: skip
MERGER = {"proj": "map", **{f"{x}_proj": f"network.{x}" for x in ("gate", "up", "down")}}


def image(theirs: str, ours: str) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weights of the encoder."""
    blocks = f"{theirs}blocks.*."
    return {
        f"{theirs}embeddings.position_embedding.weight": (f"{ours}table",),
        f"{theirs}patch_embed.proj.weight": (f"{ours}patches.F",),
        f"{theirs}patch_embed.proj.bias": (f"{ours}patches.b",),
        f"{theirs}post_conv_layernorm.weight": (f"{ours}patch_norm.g",),
        **{f"{blocks}{name}.weight": (f"{ours}block.{part}",) for name, part in PARTS.items()},
        **{f"{blocks}{name}.bias": (f"{ours}block.{part[:-1]}b",)
           for name, part in PARTS.items() if part.endswith("W")},
        **{f"{blocks}attn.qkv.{said}": tuple(f"{ours}block.attention.{x}.{y}" for x in "QKV")
           for said, y in (("weight", "W"), ("bias", "b"))},
        f"{theirs}post_layernorm.weight": (f"{ours}final_norm.g",),
        f"{theirs}downsample.weight": (f"{ours}groups.convolution.F",),
        f"{theirs}downsample.bias": (f"{ours}groups.convolution.b",),
        f"{theirs}merger.post_projection_norm.weight": (f"{ours}merger.norm.g",),
        f"{theirs}merger.post_projection_norm.bias": (f"{ours}merger.norm.b",),
        **{f"{theirs}merger.{name}.weight": (f"{ours}merger.{part}.W",)
           for name, part in MERGER.items()},
    }  # fmt: skip


def _placed(values: Values) -> Settings:
    """Return how wide networks are, and how many places the table has.

    Raises:
        BadInput: there are none.
    """
    quartered(values, h="num_heads")
    image, patch = (size(key, values[key]) for key in ("image_size", "patch_size"))
    if image < patch:
        raise BadInput(f"image_size = {image} is less than a patch, {patch}: no place is left.")
    return {"d_ff": str(size("out_hidden_size", values["out_hidden_size"])),
            "T_max": str((image // patch) ** 2)}  # fmt: skip


def _divided(values: Values) -> Settings:
    """Refuse heads that positions do not fit."""
    quartered(values, h="num_heads")
    return {}


def _channelled(values: Values) -> Settings:
    """Return how wide the last network is: as many times what comes out as there are channels."""
    quartered(values, h="num_heads")
    channels, out = (size(key, values[key]) for key in ("in_channels", "out_hidden_size"))
    return {"f_g": str(channels * out)}


USES: Mapping[str, Use] = {
    **{k: use for k, use in KEYS.items() if k not in ("in_chans", "spatial_patch_size")},
    "hidden_act": Acting(),
    "attention_dropout": FREE,
    "image_size": FREE,
    "rms_norm_eps": FREE,
    "rope_parameters": FREE,
}
PLACED = {**USES, "intermediate_size": SizeOf("f_g"), "image_size": Ruled(),
          "attention_bias": Choice("biases", QKV)}  # fmt: skip
VISION, MOE_VISION = (
    Family(name, {f"{built}VisionModel": Built("glm_vision")}, PLACED,
           (Rule(("patch_size", "out_hidden_size"), _placed),), image("", ""), IMAGE)
    for name, built in (("glm4v_vision", "Glm4v"), ("glm4v_moe_vision", "Glm4vMoe"))
)  # fmt: skip
OCR_VISION = Family(
    "glm_ocr_vision",
    {"GlmOcrVisionModel": Built("glm_vision")},
    {**USES, "attention_bias": Choice("biases", ALL)},
    (Rule(("in_channels", "out_hidden_size"), _channelled),),
    image("", ""),
    {**IMAGE, "placed": "false", "qk_norm": "true"},
)
NEXT_VISION = Family(
    "glm5_next_vision",
    {"Glm5NextVisionModel": Built("glm_vision")},
    {**USES, "attention_bias": Choice("biases", ALL), "projection_intermediate_size": SizeOf("f_g"),
     "swiglu_limit": Number()},
    (Rule((), _divided),),
    image("", ""),
    {**IMAGE, "placed": "false", "qk_norm": "true", "cut": "true"},
)  # fmt: skip
INSIDE: Mapping[str, Use] = {
    "depth": SizeOf("L_img"), "hidden_size": SizeOf("d_img"), "num_heads": SizeOf("h_img"),
    "hidden_act": Acting("image_activation"), "out_hidden_size": FREE,
}  # fmt: skip
OURS = {"d_ff": "f_img"}


def inside(part: Family, uses: Mapping[str, Use]) -> Family:
    """Return how an encoder is read inside a model."""

    def read(values: Values) -> Settings:
        found = part.rules[0].read(values)
        return {OURS.get(key, key): value for key, value in found.items()}

    return Family(
        part.model_type, part.builds, {**part.uses, **INSIDE, **uses},
        (Rule(part.rules[0].keys, read),), part.tensors,
    )  # fmt: skip


GLM_INSIDE, MOE_INSIDE = (
    inside(part, {"attention_bias": Choice("image_biases", QKV)}) for part in (VISION, MOE_VISION)
)
OCR_INSIDE = inside(OCR_VISION, {
    "attention_bias": Choice("image_biases", ALL), "intermediate_size": SizeOf("f_img"),
})  # fmt: skip


FORWARDED = ("glm4v", "glm4v_moe", "glm_ocr")
"""Types whose class ties the head where the decoder's part alone says so (transformers 5.23)."""


def seeing(
    model_type: str, entry: str, name: str, text: Family, encoder: Family, **implied: str
) -> Family:
    """Return the family of a model: its decoder, and what it sees by."""
    text = decoding(text)

    def fitting(values: Values) -> Settings:
        d = width(values, "text_config", text, "hidden_size")
        given = width(values, "vision_config", encoder, "out_hidden_size")
        if given != d:
            raise BadInput(
                f"vision_config.out_hidden_size = {given} does not fit text_config.hidden_size = "
                f"{d}: what is seen stands in the sequence among words. Say out_hidden_size = {d}."
            )
        return lasting(values, text, 64)

    return Family(
        model_type, generating(entry, name), {**TIED, "vocab_size": FREE},
        (Rule((), fitting), *((tied_by_either(text),) if model_type in FORWARDED else ())),
        {**within("model.language_model.", text.tensors), **image("model.visual.", "tower.")},
        implied={"n_img": "1", **IMAGE, **implied},
        parts={"text_config": text, "vision_config": encoder},
    )  # fmt: skip


GLM4V = seeing("glm4v", "glm4v", "Glm4v", glm.GLM4V_TEXT, GLM_INSIDE)
GLM46V = seeing("glm46v", "glm4v", "Glm46V", glm.GLM4V_TEXT, GLM_INSIDE)
GLMGA = seeing("glmga", "glm4v", "Glm46V", glm.GLM4V_TEXT, GLM_INSIDE)
GLM_OCR = seeing(
    "glm_ocr", "glm4v", "GlmOcr", glm.GLM_OCR_TEXT, OCR_INSIDE, qkv_bias="false",
    image_placed="false", image_qk_norm="true",
)  # fmt: skip
GLM4V_MOE = seeing("glm4v_moe", "glm4v_moe", "Glm4vMoe", glm4_moe.GLM4V_MOE_TEXT, MOE_INSIDE)
