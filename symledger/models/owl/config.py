"""OWL-ViT and OWLv2: CLIP's keys, and heads as wide as its parts are."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import Settings, size, written
from symledger.config_keys.common import FREE
from symledger.config_keys.encoder_keys import Tensors, maps, norms
from symledger.config_keys.family import Built, Family, Rule, Values
from symledger.errors import BadInput
from symledger.models.clip.config import (
    CLIP,
    OWLV2_IMAGE,
    OWLV2_TEXT,
    OWLVIT_IMAGE,
    OWLVIT_TEXT,
    PARTS,
    image,
    text,
)


def _named(values: Values) -> Settings:
    """Refuse names that have other widths than what patches are mapped to: that of texts."""
    given = values["text_config"] if isinstance(values["text_config"], dict) else {}
    width = {**OWLV2_TEXT.facts["keys"], **given}["hidden_size"]
    if size("projection_dim", values["projection_dim"]) != width:
        raise BadInput(
            f"projection_dim = {values['projection_dim']} does not fit text_config: patches are "
            f"mapped to hidden_size = {written(width)} numbers, and compared with names of as many."
        )
    return {}


HEADS: Tensors = {
    **maps(class_head__dense0="classes", class_head__logit_shift="shift",
           class_head__logit_scale="scaling"),
    **maps(**{f"{theirs}__dense{i - 1}": f"{ours}.{i}" for i in (1, 2, 3)
              for theirs, ours in (("box_head", "box"), ("objectness_head", "there"))}),
    **norms(layer_norm="merged_norm"),
}  # fmt: skip


def _owl(model_type: str, name: str, sure: str, words: Family, pictures: Family) -> Family:
    """Return a family whose parts go by such names."""
    parts = {
        key: replace(PARTS[key], model_type=part.model_type)
        for key, part in (("text_config", words), ("vision_config", pictures))
    }
    tower = {
        **text(f"{model_type}.text_model.", "text."),
        **{n.replace("pre_layrnorm", "pre_layernorm"): ours + tuple(f"image.{x}" for x in ours)
           for n, ours in image(f"{model_type}.vision_model.", "").items()},
    }  # fmt: skip
    outside = {n: ours for n, ours in tower.items() if "projection" in n}
    return replace(
        CLIP, model_type=model_type, parts=parts,
        builds={
            f"{name}ForObjectDetection": Built(
                "owl", {"sure": sure}, uses={"projection_dim": FREE},
                rules=(Rule(("projection_dim", "text_config"), _named),),
            ),
            f"{name}Model": Built("clip"),
        },
        tensors={
            **tower, **{f"{model_type}.{n}": ours for n, ours in outside.items()},
            f"{model_type}.logit_scale": ("scale",), **HEADS,
        },
    )  # fmt: skip


OWLVIT = _owl("owlvit", "OwlViT", "false", OWLVIT_TEXT, OWLVIT_IMAGE)
OWLV2 = _owl("owlv2", "Owlv2", "true", OWLV2_TEXT, OWLV2_IMAGE)
