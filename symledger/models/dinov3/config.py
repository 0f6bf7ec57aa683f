"""DINOv3: each map has a bias or none, and there may be registers."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Settings, SizeOf, size
from symledger.config_keys.activations import Acting
from symledger.config_keys.backbone_keys import NAMED, NUMBERED, given_stages
from symledger.config_keys.common import FREE
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import UNTIED, Pair, Square, quartered
from symledger.models.dinov2.config import BLOCK

LAYER = "model.layer.*."
PARTS = {
    **{name: part for name, part in BLOCK.items() if not name.startswith("mlp.")},
    "mlp.up_proj": "feed_forward.1", "mlp.down_proj": "feed_forward.2",
}  # fmt: skip
GATED = {f"mlp.{x}_proj": f"feed_forward.{x}" for x in ("gate", "up", "down")}


def registered(values: Values) -> Settings:
    """Return how many registers there are; none is no length of an axis."""
    number = size("num_register_tokens", values["num_register_tokens"], 0)
    return {"registers": "true", "T_reg": str(number)} if number else {"registers": "false"}


def _turned(values: Values) -> Settings:
    """Refuse heads that a row and a column cannot turn by two angles each."""
    quartered(values)
    return {}


TENSORS: dict[str, tuple[str, ...]] = {
    "embeddings.cls_token": ("embedding.placed.c", "embedding.c"),
    "embeddings.mask_token": ("embedding.placed.m", "embedding.m"),
    "embeddings.register_tokens": ("embedding.R",),
    **{f"embeddings.patch_embeddings.{said}": (
        f"embedding.placed.patches.convolution.{x}", f"embedding.patches.convolution.{x}")
       for said, x in (("weight", "F"), ("bias", "b"))},
    **{
        f"{LAYER}{theirs}.{said}": (f"block.{ours}.{'g' if y == 'W' and 'norm' in ours else y}",)
        for theirs, ours in PARTS.items() for said, y in (("weight", "W"), ("bias", "b"))
    },
    **{f"{LAYER}layer_scale{i}.lambda1": (f"block.g_{i}",) for i in (1, 2)},
    "norm.weight": ("final_norm.g",), "norm.bias": ("final_norm.b",),
}  # fmt: skip
for _name, _ours in GATED.items():
    for _said, _letter in (("weight", "W"), ("bias", "b")):
        _key = f"{LAYER}{_name}.{_said}"
        TENSORS[_key] = (*TENSORS.get(_key, ()), f"block.{_ours}.{_letter}")

DINOV3 = Family(
    "dinov3_vit",
    {"DINOv3ViTModel": Built("dinov3")},
    {
        "hidden_size": SizeOf("d"),
        "intermediate_size": SizeOf("d_ff"),
        "num_hidden_layers": SizeOf("L"),
        "num_attention_heads": SizeOf("h"),
        "hidden_act": Acting(),
        "image_size": Pair(("H", "W")),
        "patch_size": Square("P"),
        "num_channels": SizeOf("C_in"),
        "use_gated_mlp": Choice("gated", BOOLS),
        "query_bias": Choice("query_bias", BOOLS),
        "key_bias": Choice("key_bias", BOOLS),
        "value_bias": Choice("value_bias", BOOLS),
        "proj_bias": Choice("out_bias", BOOLS),
        "mlp_bias": Choice("network_bias", BOOLS),
        "num_register_tokens": Ruled(),
        **dict.fromkeys((
            "layerscale_value", "drop_path_rate", "initializer_range", "apply_layernorm",
            "reshape_hidden_states", NAMED, NUMBERED, "stage_names",
            "pos_embed_shift", "pos_embed_jitter", "pos_embed_rescale", "rope_theta",
        ), FREE),
        **UNTIED,
    },
    (
        Rule((), registered), Rule((), _turned),
        given_stages(lambda values: size("num_hidden_layers", values["num_hidden_layers"])),
    ),
    TENSORS,
)  # fmt: skip
"""Places are shifted and scaled in training alone, which counts nothing."""
