"""Llama 3.2 Vision: an encoder and a decoder, each with a configuration of its own."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import Settings, size, written
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE, DIVIDED, LLAMA_KEYS, layers
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.seeing_keys import ONE_IMAGE, generating, inner, within
from symledger.errors import BadInput
from symledger.models.mllama_vision import config as vision

CROSSING = [3, 8, 13, 18, 23, 28, 33, 38]
"""Which layers attend to images, where nothing is said (transformers 5.23, MllamaTextConfig)."""
KEY = "cross_attention_layers"


def _crossing(values: Values) -> Settings:
    """Return how many layers attend to images.

    Raises:
        BadInput: they are no list, or all layers or none.
    """
    number, said = layers(values), CROSSING if values[KEY] is None else values[KEY]
    named = {i for i in said if type(i) is int} if isinstance(said, list) else set()
    met = len(named & {*range(number)})
    if not isinstance(said, list) or not 0 < met < number:
        raise BadInput(
            f"{KEY} = {written(said)} is not supported: some of num_hidden_layers = {number} have "
            f"to attend to images here, and some to words. Name some of 0 to {number - 1}."
        )
    return {"L_ca": str(met)}


BESIDE = {
    "layers.*.cross_attn_attn_gate": "g_attention", "layers.*.cross_attn_mlp_gate": "g_network",
    **{f"layers.*.cross_attn.{x.lower()}_proj.weight": f"attention.{x}.W" for x in "QKVO"},
    **{f"layers.*.cross_attn.{x.lower()}_norm.weight": f"attention.norm_{x}.g" for x in "QK"},
}  # fmt: skip
SHARED = ("mlp", "input_layernorm", "post_attention_layernorm")
"""What blocks of both kinds have."""


def _kinds(name: str, ours: tuple[str, ...]) -> tuple[str, ...]:
    """Return the partners of a weight, which may stand in blocks of both kinds."""
    both = any(f"layers.*.{part}." in name for part in SHARED)
    also = (o.replace("block.", "crossing_block.", 1) for o in ours if o.startswith("block."))
    return (*ours, *(also if both else ()))


TENSORS = {
    **{name: _kinds(name, ours) for name, ours in DENSE.items()},
    **{f"model.{name}": (f"crossing_block.{part}",) for name, part in BESIDE.items()},
}
TEXT = Family(
    "mllama_text_model",
    {
        "MllamaForCausalLM": Built("mllama_text", {"head": "lm"}),
        "MllamaTextModel": Built("mllama_text", {"head": "bare"}),
    },
    {
        **{name: use for name, use in LLAMA_KEYS.items() if name != "head_dim"},
        KEY: Ruled(), "tie_word_embeddings": FREE, "dropout": FREE,
    },
    (DIVIDED, Rule((), _crossing)), TENSORS, {"S_img": "4100"},
)  # fmt: skip
INSIDE = replace(TEXT, implied={})
VISION = replace(vision.VISION, uses=vision.INSIDE)


def _fitting(values: Values) -> Settings:
    """Refuse an encoder that gives vectors of another width than the map between takes.

    Raises:
        BadInput: it does.
    """
    keys = ("hidden_size", "num_hidden_layers", vision.INDICES, "vision_output_dim")
    said = {key: inner(values, "vision_config", VISION, key) for key in keys}
    width = size("hidden_size", said["hidden_size"]) * (vision.read_layers(said) + 1)
    if said["vision_output_dim"] != width:
        raise BadInput(
            f"vision_config.vision_output_dim = {written(said['vision_output_dim'])} does not fit: "
            f"what is read is {width} wide. Say vision_output_dim = {width}."
        )
    return {}


MLLAMA = Family(
    "mllama", generating("mllama", "Mllama"),
    dict.fromkeys(("image_token_index", "tie_word_embeddings"), FREE),
    (Rule((), _fitting),),
    {
        **within("model.language_model.", TENSORS), **vision.image("model.vision_model.", "tower."),
        "model.multi_modal_projector.weight": ("projection.W",),
        "model.multi_modal_projector.bias": ("projection.b",),
    },
    implied=ONE_IMAGE, parts={"text_config": INSIDE, "vision_config": VISION},
)  # fmt: skip
