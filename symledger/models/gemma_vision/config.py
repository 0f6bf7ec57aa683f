"""Gemma 3 with images, and PaliGemma: an encoder and a decoder with configurations of their own."""

from __future__ import annotations

from dataclasses import replace
from math import isqrt

from symledger.arguments.specs import BOOLS, Choice, Only, Remark, Settings, size
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE
from symledger.config_keys.family import Family, Rule, Ruled, Values
from symledger.config_keys.seeing_keys import (
    ONE_IMAGE,
    TIED,
    decoding,
    generating,
    grid,
    inner,
    tied_by_either,
    width,
    within,
)
from symledger.errors import BadInput
from symledger.models.gemma.config import GEMMA, GEMMA3, NORMS
from symledger.models.idefics3.config import SIGLIP
from symledger.models.siglip.config import image

VISION = replace(SIGLIP, uses={
    **SIGLIP.uses, "vision_use_head": Choice("idle", BOOLS), "num_image_tokens": FREE,
    "projector_hidden_act": FREE,
})  # fmt: skip
GEMMA3_TEXT = decoding(replace(GEMMA3, uses={
    **GEMMA3.uses,
    "use_bidirectional_attention": Only(
        (False, None), "that words see what comes after them is derived without images alone"
    ),
    "attn_logit_softcapping": Only((None,)),
}))  # fmt: skip


def side(values: Values) -> int:
    """Return how many patches a group has down and across, all of which are averaged; or none."""
    patches, patch = (
        size(key, inner(values, "vision_config", VISION, key))
        for key in ("image_size", "patch_size")
    )
    tokens = isqrt(size("mm_tokens_per_image", values["mm_tokens_per_image"]))
    return int(patches // patch) // tokens


def _grouped(values: Values) -> Settings:
    """Return how large groups are: as many as tokens are wanted, where there are that many."""
    by = max(side(values), 1)
    group = "a group for each token, of a side of"
    return {"g": str(by), **grid(values, GEMMA3_TEXT, VISION, "g", by, group)}


def too_many(values: Values) -> Remark | None:
    """Say of more tokens than patches what becomes of them."""
    return None if side(values) else Remark("more_tokens_than_patches")


GEMMA3_VISION = Family(
    "gemma3",
    {
        name: replace(built, remarks={"mm_tokens_per_image": too_many})
        for name, built in generating("gemma3_vision", "Gemma3").items()
    },
    {**TIED, "mm_tokens_per_image": Ruled(), "vocab_size": FREE},
    (Rule(("mm_tokens_per_image",), _grouped),),
    {
        **within("model.language_model.", {**DENSE, **NORMS}),
        **image("model.vision_tower.", "tower."),
        "model.multi_modal_projector.mm_input_projection_weight": ("projector.W",),
        "model.multi_modal_projector.mm_soft_emb_norm.weight": ("projector_norm.g",),
    },
    implied=ONE_IMAGE,
    parts={"text_config": GEMMA3_TEXT, "vision_config": VISION},
)
SHIELDGEMMA2 = replace(
    GEMMA3_VISION, model_type="shieldgemma2",
    rules=(*GEMMA3_VISION.rules, tied_by_either(GEMMA3_TEXT)),
    builds=dict.fromkeys(
        ("ShieldGemma2ForImageClassification", "Gemma3ForConditionalGeneration"),
        GEMMA3_VISION.builds["Gemma3ForConditionalGeneration"],
    ),
    tensors={f"{outer}{name}": ours for outer in ("", "model.")
             for name, ours in GEMMA3_VISION.tensors.items()},
)  # fmt: skip
"""Its own class picks two of the scores that the other gives, all of which are computed."""

PROMPTED = replace(GEMMA, uses={
    **GEMMA.uses,
    "use_bidirectional_attention": Only(
        (True, None), "all of a prompt sees all of it, as its class has it by default"
    ),
    "num_image_tokens": FREE,
    "query_pre_attn_scalar": FREE,
})  # fmt: skip
PALIGEMMA_TEXT = replace(decoding(PROMPTED), absent={
    "hidden_size": 2048, "num_hidden_layers": 18, "intermediate_size": 16384,
    "num_attention_heads": 8, "num_key_value_heads": 1, "vocab_size": 257152,
})  # fmt: skip
PALIGEMMA_VISION = replace(VISION, absent={
    "intermediate_size": 4096, "hidden_size": 1152, "patch_size": 14, "image_size": 224,
    "num_hidden_layers": 27, "num_attention_heads": 16, "vision_use_head": False,
})  # fmt: skip
"""What its class makes of a configuration without a part (transformers 5.23, PaliGemmaConfig)."""


def _wide(values: Values) -> Settings:
    """Refuse vectors of images that are not as wide as those of words, among which they stand."""
    d = width(values, "text_config", PALIGEMMA_TEXT, "hidden_size")
    given = size("projection_dim", values["projection_dim"])
    if given != d:
        raise BadInput(
            f"projection_dim = {given} does not fit text_config.hidden_size = "
            f"{d}: what is seen stands in the sequence among words. Say projection_dim = {d}."
        )
    return {}


PALIGEMMA = Family(
    "paligemma",
    generating("paligemma", "PaliGemma"),
    {
        **TIED,
        **dict.fromkeys(("projection_dim", "hidden_size", "vocab_size", "ignore_index"), FREE),
    },
    (Rule((), lambda values: grid(values, PALIGEMMA_TEXT, PALIGEMMA_VISION)),
     Rule(("projection_dim",), _wide)),
    {
        **within("model.language_model.", DENSE), **image("model.vision_tower.", "tower."),
        "model.multi_modal_projector.linear.weight": ("projector.W",),
        "model.multi_modal_projector.linear.bias": ("projector.b",),
    },
    implied=ONE_IMAGE,
    parts={"text_config": PALIGEMMA_TEXT, "vision_config": PALIGEMMA_VISION},
)
