"""LLaVA: an encoder and a decoder, each with a configuration of its own."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import BOOLS, Choice, Settings, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE
from symledger.config_keys.family import Family, Rule, Ruled, Values
from symledger.config_keys.seeing_keys import (
    ONE_IMAGE,
    TIED,
    TOWER,
    decoding,
    generating,
    grid,
    inner,
    read_layer,
    tied_by_either,
    within,
)
from symledger.errors import BadInput
from symledger.models.clip.config import IMAGE, image
from symledger.models.llama.config import LLAMA

TEXT = decoding(LLAMA)
VISION = replace(
    IMAGE, uses={**IMAGE.uses, **TOWER},
    absent={"intermediate_size": 4096, "hidden_size": 1024, "patch_size": 14, "image_size": 336,
            "num_hidden_layers": 24, "num_attention_heads": 16},
)  # fmt: skip
"""What its class makes of a configuration without the part (transformers 5.23, LlavaConfig)."""


PROJECTOR = {
    "multi_modal_projector.linear_1.weight": ("projector.1.W",),
    "multi_modal_projector.linear_1.bias": ("projector.1.b",),
    "multi_modal_projector.linear_2.weight": ("projector.2.W",),
    "multi_modal_projector.linear_2.bias": ("projector.2.b",),
}
KINDS = ("block", "unread_block", "read_block.block")


def unread(theirs: str, ours: str) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weights of an encoder whose last blocks nothing reads."""
    return {
        name: tuple(part.replace(f"{ours}block", f"{ours}{kind}", 1) for kind in KINDS)
        if part.startswith(f"{ours}block") else (part,)
        for name, (part,) in image(theirs, ours).items() if name.startswith(theirs)
    }  # fmt: skip


UNREAD = unread("model.vision_tower.", "tower.")

LLAVA = Family(
    "llava",
    generating("llava", "Llava"),
    {
        **TIED,
        "projector_hidden_act": Acting("projector_activation"),
        "multimodal_projector_bias": Choice("projector_bias", BOOLS),
        "vision_feature_select_strategy": Choice("all_read", {"default": "false", "full": "true"}),
        "vision_feature_layer": Ruled(),
        **dict.fromkeys(("image_seq_length", "ignore_index", "vocab_size"), FREE),
    },
    (
        Rule((), lambda values: grid(values, TEXT, VISION)),
        Rule((), lambda values: read_layer(values, VISION)),
        tied_by_either(TEXT),
    ),
    {
        **within("model.language_model.", DENSE),
        **UNREAD,
        **{f"model.{name}": ours for name, ours in PROJECTOR.items()},
    },
    implied=ONE_IMAGE,
    parts={"text_config": TEXT, "vision_config": VISION},
)


def _several(values: Values) -> Settings:
    """Return how many blocks of the encoder are read, and how many come after the last of them.

    Raises:
        BadInput: they are not there, or one is named twice.
    """
    layers = size("num_hidden_layers", inner(values, "vision_config", VISION, "num_hidden_layers"))
    said = values["vision_feature_layer"]
    named = said if isinstance(said, list) else [said]
    known = [i for i in named if type(i) is int and -layers <= i <= layers and i != 0]
    read = {i if i > 0 else layers + 1 + i for i in known}
    if not named or len(read) != len(named):
        raise BadInput(
            f"vision_feature_layer = {written(said)} does not fit: vision_config has {layers} "
            f"blocks, which are counted from 1, or from the last, -1, to -{layers}, each once."
        )
    unread = layers - max(read)
    found = {"L_u": str(unread), "inner": "true"} if unread else {"inner": "false"}
    return {"L_v": str(len(read)), **found}


VIPLLAVA = replace(
    LLAVA, model_type="vipllava", builds=generating("vipllava", "VipLlava"),
    uses={
        **{key: use for key, use in LLAVA.uses.items()
           if key not in ("multimodal_projector_bias", "vision_feature_select_strategy")},
        "projector_layernorm_eps": FREE,
    },
    rules=(LLAVA.rules[0], Rule((), _several)),  # its decoder's own part does not tie the head
    tensors={
        **LLAVA.tensors,
        "model.multi_modal_projector.projector_layernorm.weight": ("projector_norm.g",),
        "model.multi_modal_projector.projector_layernorm.bias": ("projector_norm.b",),
    },
)  # fmt: skip
