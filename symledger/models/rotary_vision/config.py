"""Kimi K2.5, PaddleOCR-VL and VideoLLaMA 3: encoders of images of any size, and their decoders."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.arguments.specs import BOOLS, Only, Settings, SizeOf, Use, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import quartered
from symledger.config_keys.seeing_keys import (
    TIED,
    TOWER,
    decoding,
    generating,
    inner,
    lasting,
    within,
)
from symledger.config_keys.tower_keys import norm, tower
from symledger.errors import BadInput
from symledger.models.deepseek.config import DEEPSEEK_V3, KIMI_K2
from symledger.models.llama.config import PADDLE_OCR
from symledger.models.qwen2.config import QWEN2
from symledger.models.qwen_vision.config import IMAGE

LETTERS = {"weight": "W", "bias": "b"}
BLOCK = {
    "attn.q_proj": "attention.Q", "attn.k_proj": "attention.K", "attn.v_proj": "attention.V",
    "attn.proj": "attention.O", "mlp.fc1": "feed_forward.1", "mlp.fc2": "feed_forward.2",
}  # fmt: skip


def kimi(theirs: str, ours: str) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weights of Kimi's encoder."""
    return {
        f"{theirs}patch_embed.pos_emb.position_embeddings": (f"{ours}table",),
        f"{theirs}patch_embed.proj.weight": (f"{ours}patches.convolution.F",),
        f"{theirs}patch_embed.proj.bias": (f"{ours}patches.convolution.b",),
        **{k: v for i in (1, 2)
           for k, v in norm(f"{theirs}layers.*.norm{i}", f"{ours}block.norm_{i}").items()},
        **{f"{theirs}layers.*.{name}.{said}": (f"{ours}block.{part}.{letter}",)
           for name, part in BLOCK.items() for said, letter in LETTERS.items()},
        **norm(f"{theirs}final_layernorm", f"{ours}final_norm"),
    }  # fmt: skip


def siglip(theirs: str, ours: str) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weights of encoders that are called as SigLIP's are."""
    return {
        f"{theirs}embeddings.patch_embedding.weight": (f"{ours}patches.convolution.F",),
        f"{theirs}embeddings.patch_embedding.bias": (f"{ours}patches.convolution.b",),
        f"{theirs}embeddings.position_embedding.weight": (f"{ours}table",),
        **tower(theirs, ours), **norm(f"{theirs}post_layernorm", f"{ours}final_norm"),
    }  # fmt: skip


def maps(theirs: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weights of two maps."""
    return {f"model.{name}.{said}": (f"projector.{part}.{letter}",)
            for name, part in theirs.items() for said, letter in LETTERS.items()}  # fmt: skip


def _heads(values: Values) -> Settings:
    """Refuse heads that cannot be turned by the row and by the column."""
    quartered(values)
    return {}


def _tabled(values: Values) -> Settings:
    """Return how many places the table has.

    Raises:
        BadInput: there are none.
    """
    quartered(values)
    image, patch = (size(key, values[key]) for key in ("image_size", "patch_size"))
    if image < patch:
        raise BadInput(f"image_size = {image} is less than a patch, {patch}: no place is left.")
    return {"T_max": str((image // patch) ** 2)}


def _squared(values: Values) -> Settings:
    """Return how many places a square has, and how many patches a side of a group.

    Raises:
        BadInput: either is no square.
    """
    quartered(values)
    down, across = (size(f"pos_emb_{x}", values[f"pos_emb_{x}"]) for x in ("height", "width"))
    group = values["merge_kernel_size"]
    sides = group if isinstance(group, list) and len(group) == 2 else [0, 1]
    if down != across or sides[0] != sides[1]:
        raise BadInput(
            f"pos_emb_height = {down}, pos_emb_width = {across} and merge_kernel_size = "
            f"{written(group)} do not fit: places and groups are squares. Say equal sides of each."
        )
    return {"T_max": str(down * across), "g": str(size("merge_kernel_size", sides[0]))}


USES: Mapping[str, Use] = {
    "hidden_size": SizeOf("d"), "intermediate_size": SizeOf("d_ff"),
    "num_hidden_layers": SizeOf("L"), "num_attention_heads": SizeOf("h"),
    "num_channels": SizeOf("C_in"), "patch_size": SizeOf("P"), "hidden_act": Acting(),
    "rope_parameters": FREE, "initializer_range": FREE,
}  # fmt: skip
SQUARED = {"pos_emb_height": Ruled(), "pos_emb_width": Ruled(), "merge_kernel_size": Ruled(),
           "pos_emb_time": FREE}  # fmt: skip
TABLED = {"image_size": Ruled(), "spatial_merge_size": FREE}
ANY = {"H_p": "16", "W_p": "16"}
"""How large an image is where nothing is said: its class takes any."""


def _alone(rule: Rule) -> Rule:
    """Return the rule of an encoder by itself, which merges nothing."""
    return Rule(rule.keys, lambda values: {k: v for k, v in rule.read(values).items() if k != "g"})


KIMI_RULE = Rule(("hidden_size", "num_attention_heads"), _squared)
TABLE_RULE = Rule(("hidden_size", "num_attention_heads", "patch_size"), _tabled)
KIMI = Family(
    "kimi_k25_vision", {"Kimi_K25VisionModel": Built("rotary_vision")},
    {**{k: use for k, use in USES.items() if k != "num_channels"}, **SQUARED},
    (_alone(KIMI_RULE),), kimi("", ""), {**ANY, "C_in": "3"},
)  # fmt: skip
PADDLE = Family(
    "paddleocr_vl_vision",
    {"PaddleOCRVisionModel": Built("rotary_vision"),
     "PaddleOCRVisionTransformer": Built("rotary_vision")},
    {**USES, **TABLED}, (TABLE_RULE,), {**siglip("", ""), **siglip("vision_model.", "")},
    {**ANY, "places": "bilinear"},
)  # fmt: skip
VIDEO = Family(
    "video_llama_3_vision", {"VideoLlama3VisionModel": Built("rotary_vision")}, USES,
    (Rule(("hidden_size", "num_attention_heads"), _heads),), siglip("", ""),
    {**ANY, "places": "none"},
)  # fmt: skip

SEEN = {**TOWER, "rope_parameters": FREE, "initializer_range": FREE}
NO_SIZE = {key: use for key, use in SEEN.items() if key != "image_size"}
OLDER: Mapping[str, Use] = {
    **{key: Only((value,), "its class reads no such key, and has that") for key, value in {
        "vt_hidden_size": 1152, "vt_intermediate_size": 4304, "vt_num_attention_heads": 16,
        "vt_num_hidden_layers": 27, "init_pos_emb_height": 64, "init_pos_emb_width": 64,
        "mm_hidden_size": 1152, "projector_hidden_act": "gelu",
    }.items()},
    **dict.fromkeys((
        "init_pos_emb_time", "text_hidden_size", "merge_type", "mm_projector_type", "pos_emb_type",
        "projector_ln_eps", "video_attn_type",
    ), FREE),
}  # fmt: skip
"""How published files of Kimi K2.5 say what its class in transformers 5.23 has by itself."""
KIMI_INSIDE = Family(
    "kimi_k25_vision", KIMI.builds,
    {**{k: use for k, use in NO_SIZE.items() if k != "num_channels"}, **SQUARED, **OLDER},
    (KIMI_RULE,),
)  # fmt: skip
PADDLE_INSIDE = Family(
    "paddleocr_vl_vision", PADDLE.builds, {**SEEN, "spatial_merge_size": SizeOf("g")},
    (TABLE_RULE,),
)  # fmt: skip
VIDEO_INSIDE = Family("video_llama_3_vision", VIDEO.builds, NO_SIZE, VIDEO.rules)


def _lasting(text: Family) -> Rule:
    """Return the rule of how long a sequence is where nothing is said."""
    return Rule((), lambda values: lasting(values, text, 64))


KIMI_TEXT = decoding(DEEPSEEK_V3, KIMI_K2)


def _as_wide(values: Values) -> Settings:
    """Refuse a projector that expects vectors of another width than the encoder gives."""
    wide = inner(values, "vision_config", KIMI_INSIDE, "hidden_size")
    said = values["projection_hidden_size"]
    if said != wide:
        raise BadInput(
            f"projection_hidden_size = {written(said)} does not fit vision_config.hidden_size = "
            f"{wide}: what the encoder gives is normalized. Say projection_hidden_size = {wide}."
        )
    return {}


KIMI_K25 = Family(
    "kimi_k25",
    {**generating("kimi_k2_5", "Kimi_K25"),
     "KimiK25ForConditionalGeneration": Built("kimi_k2_5", {"head": "lm"})},
    {**TIED, "projection_hidden_size": Ruled(), "projection_layer_norm_eps": FREE,
     **dict.fromkeys((
         "vocab_size", "ignore_index", "use_unified_vision_chunk", "video_placeholder",
     ), FREE)},
    (_lasting(KIMI_TEXT), Rule((), _as_wide)),
    {
        **within("model.language_model.", DEEPSEEK_V3.tensors),
        **kimi("model.vision_tower.", "tower."),
        **norm("model.mm_projector.pre_norm", "projector.norm"),
        **maps({"mm_projector.in_proj": "maps.1", "mm_projector.out_proj": "maps.2"}),
    },
    implied={"n_img": "1", **IMAGE, "C_in": "3"},
    parts={"text_config": KIMI_TEXT, "vision_config": KIMI_INSIDE},
)  # fmt: skip
PADDLE_TEXT = decoding(PADDLE_OCR)


def _tied(text: Family) -> Rule:
    """Return the rule of heads that are tied where the whole says so, or the decoder's part."""

    def read(values: Values) -> Settings:
        inside = inner(values, "text_config", text, "tie_word_embeddings")
        return {"tied": BOOLS[values["tie_word_embeddings"] is True or inside is True]}

    return Rule((), read)


PADDLEOCR_VL = Family(
    "paddleocr_vl", generating("paddleocr_vl", "PaddleOCRVL"), {**TIED, "vocab_size": FREE},
    (_lasting(PADDLE_TEXT), _tied(PADDLE_TEXT)),
    {
        **within("model.language_model.", DENSE),
        **siglip("model.visual.vision_model.", "tower."),
        **norm("model.projector.pre_norm", "projector.norm"),
        **maps({"projector.linear_1": "maps.1", "projector.linear_2": "maps.2"}),
    },
    implied={"n_img": "1", **IMAGE},
    parts={"text_config": PADDLE_TEXT, "vision_config": PADDLE_INSIDE},
    flat="text_config",
)  # fmt: skip
VIDEO_TEXT = decoding(QWEN2)
VIDEO_LLAMA = Family(
    "video_llama_3", generating("video_llama_3", "VideoLlama3"), {**TIED, "vocab_size": FREE},
    (_lasting(VIDEO_TEXT), _tied(VIDEO_TEXT)),
    {
        **within("model.language_model.", DENSE), **siglip("model.vision_model.", "tower."),
        **{f"model.projector.readout.*.{said}": (f"projector.1.{x}", f"projector.2.{x}")
           for said, x in LETTERS.items()},
    },
    implied={"n_img": "1", **IMAGE, "g": "1"},
    parts={"text_config": VIDEO_TEXT, "vision_config": VIDEO_INSIDE},
)  # fmt: skip
