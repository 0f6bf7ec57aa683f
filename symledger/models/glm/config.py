"""GLM-4, and the decoders of those of its models that see."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import BOOLS, Choice, SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE, GATE, WIDTHS, heads, share
from symledger.config_keys.family import Built, Family, Ruled

KEYS = {
    **WIDTHS,
    "hidden_act": GATE,
    "attention_bias": Choice("qkv_bias"),
    "attention_dropout": FREE,
    "partial_rotary_factor": Ruled(),
    "rope_scaling": Ruled(),
    "rope_parameters": Ruled(),
}
RULES = (share(0.5),)
TENSORS = {
    **DENSE,
    "model.layers.*.mlp.gate_up_proj.weight": (
        "block.feed_forward.gate.W", "block.feed_forward.up.W",
    ),
}  # fmt: skip
NORMS = {
    f"model.layers.*.{name}.weight": (f"block.norm_{i + 1}.g",)
    for i, name in enumerate((
        "input_layernorm", "post_self_attn_layernorm",
        "post_attention_layernorm", "post_mlp_layernorm",
    ))
}  # fmt: skip

GLM = Family(
    "glm",
    heads("glm", "Glm", spans=False),
    {**KEYS, "num_key_value_heads": SizeOf("h_kv"), "head_dim": SizeOf("d_h")},
    RULES,
    TENSORS,
)

GLM4 = Family("glm4", heads("glm4", "Glm4", spans=False), KEYS, RULES, {**TENSORS, **NORMS})


def _inside(model_type: str, name: str, **fixed: bool) -> Family:
    """Return the decoder of a model that sees, whose class says ``fixed`` what keys say of GLM-4.

    Positions are told along three axes, which turns as many elements.
    """
    options = {"head": "bare", **{key: BOOLS[value] for key, value in fixed.items()}}
    uses = {key: use for key, use in KEYS.items() if key != "attention_bias" or not fixed}
    uses |= {"vision_vocab_size": FREE, **({"attention_bias": FREE} if fixed else {})}
    return replace(
        GLM4, model_type=model_type, uses=uses, rules=(share(1.0),),
        builds={f"{name}TextModel": Built("glm4", options)},
    )  # fmt: skip


GLM4V_TEXT = _inside("glm4v_text", "Glm4v", qkv_bias=True)
GLM_OCR_TEXT = _inside("glm_ocr_text", "GlmOcr", qkv_bias=False)
GLM_IMAGE_TEXT = _inside("glm_image_text", "GlmImage")
