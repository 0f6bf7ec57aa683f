"""DINOv2: ViT's keys, a network as wide as a ratio says, and what is learned for hidden patches."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import BOOLS, Choice, Settings, SizeOf, among, size
from symledger.config_keys.activations import Acting
from symledger.config_keys.backbone_keys import given_stages
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import HEADS
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import UNTIED, Pair, Square
from symledger.errors import BadInput

LAYER = "dinov2.encoder.layer.*."
BLOCK = {
    "norm1": "norm_1", "norm2": "norm_2",
    **{f"attention.{x.lower()}_proj": f"attention.{x}" for x in "QKVO"},
    "mlp.fc1": "feed_forward.1", "mlp.fc2": "feed_forward.2",
    **{f"mlp.{x}_proj": f"feed_forward.{x}" for x in ("gate", "up", "down")},
}  # fmt: skip


def _hidden(values: Values) -> Settings:
    """How wide the networks are: of gated ones two thirds, up to the next multiple of 8."""
    width = size("hidden_size", values["hidden_size"])
    wide = width * size("mlp_ratio", values["mlp_ratio"])
    if among("use_swiglu_ffn", values["use_swiglu_ffn"], tuple(BOOLS)):
        return {"gated": "true", "d_ff": str((int(wide * 2 / 3) + 7) // 8 * 8)}
    return {"gated": "false", "d_ff": str(wide)}


def _square(values: Values) -> Settings:
    """Refuse images that are no squares: their positions are made of those of a square."""
    image = Pair(("H", "W")).settings("image_size", values["image_size"])
    if image["H"] != image["W"]:
        raise BadInput(
            f"image_size = [{image['H']}, {image['W']}] is not supported: only squares are."
        )
    return image


DINOV2 = Family(
    "dinov2",
    {
        "Dinov2Model": Built("dinov2", {"head": "bare"}),
        "Dinov2ForImageClassification": Built("dinov2", {"head": "classes"}, labels=True),
    },
    {
        "hidden_size": SizeOf("d"),
        "num_hidden_layers": SizeOf("L"),
        "num_attention_heads": SizeOf("h"),
        "head_dim": SizeOf("d_h"),
        "hidden_act": Acting(),
        "image_size": Ruled(),
        "patch_size": Square("P"),
        "num_channels": SizeOf("C_in"),
        "qkv_bias": Choice("qkv_bias", BOOLS),
        "use_mask_token": Choice("hiding", BOOLS),
        **dict.fromkeys(("mlp_ratio", "use_swiglu_ffn"), Ruled()),
        **dict.fromkeys((
            "layerscale_value", "drop_path_rate", "initializer_range", "apply_layernorm",
            "reshape_hidden_states", "out_features", "out_indices", "stage_names",
        ), FREE),
        **UNTIED,
    },
    (
        Rule(("hidden_size",), _hidden), Rule((), _square),
        given_stages(lambda values: size("num_hidden_layers", values["num_hidden_layers"])),
    ),
    {
        "dinov2.embeddings.cls_token": ("embedding.c",),
        "dinov2.embeddings.mask_token": ("embedding.m",),
        "dinov2.embeddings.position_embeddings": ("embedding.positions.P",),
        "dinov2.embeddings.patch_embeddings.projection.weight": (
            "embedding.patches.convolution.F",),
        "dinov2.embeddings.patch_embeddings.projection.bias": ("embedding.patches.convolution.b",),
        **{
            f"{LAYER}{theirs}.{x}": (f"block.{ours}.{'g' if y == 'W' and 'norm' in ours else y}",)
            for theirs, ours in BLOCK.items() for x, y in (("weight", "W"), ("bias", "b"))
        },
        **{f"{LAYER}layer_scale{i}.lambda1": (f"block.g_{i}",) for i in (1, 2)},
        "dinov2.layernorm.weight": ("final_norm.g",),
        "dinov2.layernorm.bias": ("final_norm.b",),
        **HEADS,
    },
)  # fmt: skip
"""What layers are given to other models, and how, belongs to a class that is refused."""


def _registered(name: str) -> str:
    return name.replace("dinov2.", "dinov2_with_registers.", 1)


REGISTERS = replace(
    DINOV2, model_type="dinov2_with_registers",
    builds={
        "Dinov2WithRegistersModel": Built("dinov2_registers", {"head": "bare"}),
        "Dinov2WithRegistersForImageClassification": Built(
            "dinov2_registers", {"head": "classes"}, labels=True
        ),
    },
    uses={**{key: use for key, use in DINOV2.uses.items() if key != "use_mask_token"},
          "num_register_tokens": SizeOf("T_reg")},
    tensors={
        **{_registered(name): tuple(o.replace("embedding.", "embedding.placed.", 1) for o in ours)
           for name, ours in DINOV2.tensors.items()},
        "dinov2_with_registers.embeddings.register_tokens": ("embedding.R",),
    },
    implied={"hiding": "true"},
)  # fmt: skip
TIPS = replace(
    REGISTERS, model_type="tipsv2_vision_model",
    builds={"Tipsv2VisionModel": REGISTERS.builds["Dinov2WithRegistersModel"]},
    tensors={name.removeprefix("dinov2_with_registers."): ours
             for name, ours in REGISTERS.tensors.items() if name not in HEADS},
)  # fmt: skip
