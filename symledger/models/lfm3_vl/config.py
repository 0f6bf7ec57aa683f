"""LFM3 with images: an encoder and LFM3, each with a configuration of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, SizeOf, Use, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.encoder_keys import Tensors
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.hybrid_keys import which
from symledger.config_keys.image_keys import Square, quartered
from symledger.config_keys.seeing_keys import TIED, decoding, generating, lasting, within
from symledger.config_keys.tower_keys import norm
from symledger.errors import BadInput, shown
from symledger.models.lfm2.config import LFM3
from symledger.models.qwen_vision.config import IMAGE

CONVOLUTION = "conv"
KINDS = ("block", "attention_block")
PARTS = {
    "operator_norm": "norm_1.g", "ffn_norm": "norm_2.g", "conv.in_proj": "mixer.in.W",
    "conv.spatial_conv": "mixer.convolution.F", "conv.out_proj": "mixer.out.W",
    "feed_forward.w1": "feed_forward.gate.W", "feed_forward.w3": "feed_forward.up.W",
    "feed_forward.w2": "feed_forward.down.W", "self_attn.q_norm": "attention.norm_Q.g",
    "self_attn.k_norm": "attention.norm_K.g", "self_attn.out_proj": "attention.O.W",
    **{f"self_attn.{x.lower()}_proj": f"attention.{x}.W" for x in "QKV"},
}  # fmt: skip


def image(theirs: str, ours: str) -> Tensors:
    """Return what stands behind the weights of the encoder."""
    return {
        f"{theirs}patch_embed.weight": (f"{ours}patches.F",),
        f"{theirs}embedding_norm.weight": (f"{ours}embedding_norm.g",),
        **{f"{theirs}layers.*.{name}.weight": tuple(f"{ours}{kind}.{part}" for kind in KINDS)
           for name, part in PARTS.items()},
    }  # fmt: skip


def _kinds(symbol: str, option: str) -> Rule:
    """Return the rule of how many layers attend, and of heads and kernels that fit."""

    def read(values: Values) -> Settings:
        quartered(values)
        number = size("num_hidden_layers", values["num_hidden_layers"])
        heads, kv = (size(x, values[x]) for x in ("num_attention_heads", "num_key_value_heads"))
        if heads % kv:
            raise BadInput(f"num_key_value_heads = {kv} does not divide {heads} heads.")
        if size("conv_kernel_size", values["conv_kernel_size"]) % 2 == 0:
            raise BadInput(
                f"conv_kernel_size = {values['conv_kernel_size']} does not fit: with an even one "
                "an image becomes larger, and its class fails."
            )
        listed = values.get("layer_types")
        if listed is None:
            listed = [CONVOLUTION if i < 2 or i % 2 else "full_attention" for i in range(number)]
        if not isinstance(listed, list) or len(listed) < number:
            raise BadInput(
                f"layer_types = {shown(written(listed))} does not name the kinds of {number} "
                "layers."
            )
        attends = [kind != CONVOLUTION for kind in listed[:number]]
        found = {option: which(attends)}
        return {**found, symbol: str(sum(attends))} if found[option] == "some" else found

    return Rule(("num_hidden_layers", "num_attention_heads", "num_key_value_heads", "hidden_size",
                 "conv_kernel_size"), read)  # fmt: skip


COMMON: Mapping[str, Use] = {
    "in_channels": SizeOf("C_in"),
    "patch_size": Square("P"),
    "spatial_merge_size": SizeOf("g"),
    "temporal_patch_size": Only((2,), "an image is seen as two frames"),
    "layer_types": Ruled(),
    **dict.fromkeys(("rope_parameters", "initializer_range", "norm_eps"), FREE),
}
VISION = Family(
    "lfm3_vl_vision",
    {"Lfm3VlVisionModel": Built("lfm3_vision")},
    {
        **COMMON,
        "hidden_size": SizeOf("d"), "intermediate_size": SizeOf("d_ff"),
        "num_hidden_layers": SizeOf("L"), "num_attention_heads": SizeOf("h"),
        "num_key_value_heads": SizeOf("h_kv"), "conv_kernel_size": SizeOf("K"),
    },
    (_kinds("L_a", "attending"),), image("", ""), implied=IMAGE,
)  # fmt: skip
INSIDE = replace(
    VISION,
    uses={
        **COMMON,
        "hidden_size": SizeOf("d_img"), "intermediate_size": SizeOf("f_img"),
        "num_hidden_layers": SizeOf("L_img"), "num_attention_heads": SizeOf("h_img"),
        "num_key_value_heads": SizeOf("h_ki"), "conv_kernel_size": SizeOf("K_img"),
    },
    rules=(_kinds("L_ai", "image_attending"),), implied={},
)  # fmt: skip
TEXT = decoding(LFM3)


def _lasting(values: Values) -> Settings:
    """Return how long a sequence is, where nothing is said."""
    return lasting(values, TEXT, int(IMAGE["H_g"]) * int(IMAGE["W_g"]))


LFM3_VL = Family(
    "lfm3_vl",
    generating("lfm3_vl", "Lfm3Vl"),
    {
        **TIED,
        "projector_hidden_act": Acting("projector_activation"),
        "projector_hidden_size": SizeOf("d_proj"),
        "projector_bias": Choice("projector_bias", BOOLS),
        **dict.fromkeys(("vision_start_token_id", "vision_end_token_id"), FREE),
    },
    (Rule((), _lasting),),
    {
        **within("model.language_model.", LFM3.tensors),
        **image("model.vision_tower.", "tower."),
        **norm("model.multi_modal_projector.layer_norm", "projector_norm"),
        **{f"model.multi_modal_projector.linear_{i}.{said}": (f"projector.{i}.{letter}",)
           for i in (1, 2) for said, letter in (("weight", "W"), ("bias", "b"))},
    },
    implied={"n_img": "1", **IMAGE},
    parts={"text_config": TEXT, "vision_config": INSIDE},
)  # fmt: skip
"""LFM3 with images of any size; what it makes of films is not derived."""
