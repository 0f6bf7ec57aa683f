"""Phi-4-multimodal: Phi-3's keys, with those of an encoder of images and of one of sounds."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import Settings, size
from symledger.config_keys.common import FREE
from symledger.config_keys.encoder_keys import maps, under
from symledger.config_keys.family import Built, Family, Rule, Values
from symledger.config_keys.seeing_keys import TOWER, inner, read_layer
from symledger.errors import BadInput
from symledger.models.phi3.config import PHI3
from symledger.models.phi4_sound.config import FRAMES, HEARD, PHI4_SOUND
from symledger.models.siglip.config import PHI4, image

SEEN = replace(PHI4, uses={**PHI4.uses, **TOWER})
SOUND = replace(PHI4_SOUND, implied={})


def _sensed(values: Values) -> Settings:
    """Return how many patches an image has, which of its encoder's blocks is read, and lengths.

    Raises:
        BadInput: patches are no squares of four, or heads do not divide a width.
    """
    side, patch, d, h = (
        size(f"vision_config.{key}", inner(values, "vision_config", SEEN, key))
        for key in ("image_size", "patch_size", "hidden_size", "num_attention_heads")
    )
    groups, odd = divmod(side // patch, 2)
    if odd or not groups:
        raise BadInput(
            f"image_size = {side} with patch_size = {patch} is not supported: {side // patch} "
            "patches a side are there, and every four are one. Say an even number of them, such as "
            f"image_size = {patch * 2 * max(groups, 1)}."
        )
    if d % h:
        raise BadInput(
            f"vision_config.num_attention_heads = {h} does not divide hidden_size = {d}."
        )
    said = inner(values, "vision_config", SEEN, "feature_layer")
    read = read_layer({**values, "feature_layer": said}, SEEN, "feature_layer")
    fills = 2 * groups * (groups + 1) + 1 + -(-int(FRAMES["T_f"]) // 8) + 2
    longest = size("max_position_embeddings", values["max_position_embeddings"])
    return {"H_g": str(groups), "W_g": str(groups), "H_k": str(groups), **read,
            "T": str(max(longest, fills))}  # fmt: skip


EMBEDDED = "model.embed_tokens_extend."
TOWERS = {
    name: tuple(dict.fromkeys(x.replace(".block.", f".{kind}.")
                              for kind in ("block", "unread_block") for x in ours))
    for name, ours in image(f"{EMBEDDED}image_embed.img_processor.", "tower.").items()
}  # fmt: skip
PROJECTED = maps(**{
    "image_embed__img_projection_up": "image_projector.1",
    "image_embed__img_projection_down": "image_projector.2",
    "audio_embed__up_proj_for_vision_speech": "sound_projector.1",
    "audio_embed__down_proj_for_vision_speech": "sound_projector.2",
})  # fmt: skip
ALONE = {
    f"audio_embed.{theirs}_proj_for_speech.{x}": (f"alone_{y}_{i}",)
    for i, theirs in ((1, "up"), (2, "down")) for x, y in (("weight", "W"), ("bias", "b"))
}  # fmt: skip
PHI4_MULTIMODAL = Family(
    "phi4_multimodal",
    {
        "Phi4MultimodalForCausalLM": Built("phi4_multimodal", {"head": "lm"}),
        "Phi4MultimodalModel": Built("phi4_multimodal", {"head": "bare"}),
    },
    {**PHI3.uses, "max_position_embeddings": FREE},
    (*PHI3.rules, Rule((), _sensed)),
    {
        **PHI3.tensors, **TOWERS, **under(f"{EMBEDDED}audio_embed.encoder.", "ear.", HEARD),
        **under(EMBEDDED, "", {
            **PROJECTED, **ALONE, "image_embed.global_img_feature_extensor": ("between",),
            "image_embed.sub_img_feature_extensor": ("line_end",),
        }),
    },
    implied={"n_img": "1", "n_snd": "1", "N_t": "2", **FRAMES},
    parts={"vision_config": SEEN, "audio_config": SOUND},
)  # fmt: skip
