"""Qwen2-VL, Qwen2.5-VL and Qwen3-VL: an encoder, and a decoder whose keys older files hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symledger.arguments.specs import BOOLS, Settings, SizeOf, Use
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE, SPARSE
from symledger.config_keys.family import Family, Rule, Values
from symledger.config_keys.seeing_keys import (
    TIED,
    decoding,
    generating,
    inner,
    lasting,
    width,
    within,
)
from symledger.errors import BadInput
from symledger.models.granite.config import HYPERCLOVAX
from symledger.models.qwen2 import config as qwen2
from symledger.models.qwen3 import config as qwen3
from symledger.models.qwen4 import config as qwen4
from symledger.models.qwen_moe import config as qwen_moe
from symledger.models.qwen_next import config as qwen_next
from symledger.models.qwen_vision import config as vision

RENAMED: Mapping[str, Use] = {
    "depth": SizeOf("L_img"), "hidden_size": SizeOf("d_img"),
    "intermediate_size": SizeOf("f_img"), "num_heads": SizeOf("h_img"),
    "hidden_act": Acting("image_activation"), "out_hidden_size": FREE,
}  # fmt: skip
TOKENS = {False: 64, True: 128}
"""Positions that an image fills where nothing is said of its size, seen by windows or not."""
UNUSED = ("vision_token_id", "vocab_size", "language_model_only")
OURS = {"d_ff": "f_img", "windowed": "image_windows", "deep": ""}


def seeing_part(part: Family, uses: Mapping[str, Use], outer: str) -> Family:
    """Return how an encoder is read inside a model, which older files call by the model's name."""

    def renamed(rule: Rule) -> Rule:
        def read(values: Values) -> Settings:
            found = rule.read(values)
            return {OURS.get(k, k): v for k, v in found.items() if OURS.get(k, k)}

        return replace(rule, read=read)

    inside = replace(part, uses={**part.uses, **uses}, rules=tuple(map(renamed, part.rules)))
    older = replace(inside, model_type=outer, like=part.model_type)
    return replace(inside, others=(older,))


def seeing(
    model_type: str, entry: str, name: str, text: Family, encoder: Family,
    tensors: Mapping[str, tuple[str, ...]], uses: Mapping[str, Use] = RENAMED,
    wide: str = "out_hidden_size", texts: tuple[Family, ...] = (),
) -> Family:  # fmt: skip
    """Return the family of a generation; ``wide`` is the key of what the encoder gives.

    Files may call the decoder as one of ``texts``, too.
    """
    text, encoder = decoding(text, *texts), seeing_part(encoder, uses, model_type)
    older = model_type.startswith("qwen2")

    def fitting(values: Values) -> Settings:
        d = width(values, "text_config", text, "hidden_size")
        given = width(values, "vision_config", encoder, wide)
        if given != d:
            raise BadInput(
                f"vision_config.{wide} = {given} does not fit text_config.hidden_size = {d}: what "
                f"is seen stands in the sequence among words. Say {wide} = {d}."
            )
        tied = values["tie_word_embeddings"] is True
        inside = inner(values, "text_config", text, "tie_word_embeddings") is True
        windows = inner(values, "vision_config", encoder, "window_size")
        tokens = TOKENS[windows is not None]
        return {"tied": BOOLS[tied or (inside and older)], **lasting(values, text, tokens)}

    return Family(
        model_type, generating(entry, name), {**TIED, **dict.fromkeys(UNUSED, FREE)},
        (Rule((), fitting),),
        {**within("model.language_model.", tensors), **vision.image("model.visual.", "tower.")},
        implied={"n_img": "1", **vision.IMAGE, **text.implied},
        parts={"text_config": text, "vision_config": encoder},
        flat="text_config" if older else "",
    )  # fmt: skip


OLD: Mapping[str, Use] = {
    **{k: use for k, use in RENAMED.items() if k not in ("intermediate_size", "out_hidden_size")},
    "embed_dim": SizeOf("d_img"), "hidden_size": FREE,
}  # fmt: skip
QWEN2_VL = seeing(
    "qwen2_vl", "qwen2_vl", "Qwen2VL", qwen2.QWEN2_VL, vision.QWEN2, DENSE, OLD, "hidden_size"
)
QWEN25_VL = seeing("qwen2_5_vl", "qwen2_5_vl", "Qwen2_5_VL", qwen2.QWEN25_VL, vision.QWEN25, DENSE)


def deep(tensors: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weights of blocks, the first of which are told more."""
    first = {
        name: tuple(o.replace("block.", "first_block.block.", 1) for o in ours
                    if o.startswith("block."))
        for name, ours in tensors.items()
    }  # fmt: skip
    return {name: (*ours, *first[name]) for name, ours in tensors.items()}


QWEN3_VL = seeing(
    "qwen3_vl", "qwen3_vl", "Qwen3VL", qwen3.QWEN3_VL, vision.QWEN3, deep(DENSE)
)
QWEN3_VL_MOE = seeing(
    "qwen3_vl_moe", "qwen3_vl_moe", "Qwen3VLMoe", qwen_moe.QWEN3_VL_MOE, vision.QWEN3_MOE,
    deep(SPARSE),
)  # fmt: skip
QWEN35_VL = seeing(
    "qwen3_5", "qwen3_5_vl", "Qwen3_5", qwen_next.QWEN35, vision.QWEN35,
    qwen_next.QWEN35.tensors,
)  # fmt: skip
QWEN35_MOE_VL = seeing(
    "qwen3_5_moe", "qwen3_5_moe_vl", "Qwen3_5Moe", qwen_next.QWEN35_MOE, vision.QWEN35_MOE,
    qwen_next.QWEN35_MOE.tensors,
)  # fmt: skip
QWEN4_VL = seeing(
    "qwen4_exp", "qwen4_vl", "Qwen4Exp", qwen4.QWEN4, vision.QWEN4_EXP, qwen4.QWEN4.tensors
)
COSMOS = replace(
    QWEN3_VL, model_type="cosmos3_omni",
    builds={"Cosmos3OmniForConditionalGeneration":
            QWEN3_VL.builds["Qwen3VLForConditionalGeneration"]},
)  # fmt: skip
CLOVA = decoding(HYPERCLOVAX)
CLOVA_VISION = seeing_part(
    vision.QWEN25, {**RENAMED, "out_hidden_size": SizeOf("d_out")}, "qwen2_5_vl"
)


def _clova(values: Values) -> Settings:
    """Return how long a sequence is where nothing is said."""
    windows = inner(values, "vision_config", CLOVA_VISION, "window_size")
    return lasting(values, CLOVA, TOKENS[windows is not None])


HYPERCLOVAX_VISION = Family(
    "hyperclovax_vision_v2", generating("hyperclovax_vision", "HyperCLOVAXVisionV2"),
    {**TIED, "vocab_size": FREE},
    (Rule((), _clova),),
    {
        **within("model.language_model.", HYPERCLOVAX.tensors),
        **vision.image("model.vision_model.", "tower."),
        "model.projector.weight": ("projector.W",), "model.projector.bias": ("projector.b",),
    },
    implied={"n_img": "1", **vision.IMAGE},
    parts={"text_config": CLOVA, "vision_config": CLOVA_VISION},
)  # fmt: skip
"""Its files call the encoder by the name of the whole Qwen2.5-VL."""
