"""MaskFormer: Swin and DETR as configurations inside, and what fuses maps and draws masks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from symledger.arguments.specs import BOOLS, Only, Settings, SizeOf, size
from symledger.config_keys.activations import Acting
from symledger.config_keys.backbone_keys import stages
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import head_width
from symledger.config_keys.encoder_keys import Tensors, maps, norms
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import STAGES, UNTIED
from symledger.errors import BadInput
from symledger.models.detr.config import DETR, FED, ITSELF, attended
from symledger.models.swin.config import MASKFORMER as SWIN

GROUPS = 32
"""Groups of channels that are normalized together (transformers 5.23.0)."""
BASE: Mapping[str, Any] = {
    "image_size": 384, "embed_dim": 128, "depths": [2, 2, 18, 2], "num_heads": [4, 8, 16, 32],
    "window_size": 12, "out_features": ["stage1", "stage2", "stage3", "stage4"],
}  # fmt: skip
"""What the class builds where nothing is said of what sees."""


def _read(values: Values) -> Settings:
    """Refuse other maps than those of all stages."""
    if stages(values, STAGES) != [1, 2, 3, 4]:
        raise BadInput("out_features of backbone_config is not supported but for all four stages.")
    return {}


def _finding(values: Values) -> Settings:
    """Refuse heads that do not divide the width of queries, and a width without a quarter."""
    keys = ("d_model", "decoder_attention_heads")
    head_width({key: size(key, values[key]) for key in keys}, *keys)
    if values["d_model"] % 4:
        raise BadInput(
            f"d_model = {values['d_model']} does not fit: a quarter of it each are sines and "
            "cosines of rows and of columns."
        )
    return {}


def _fitting(values: Values) -> Settings:
    """Refuse channels that groups do not divide, and say whether the smallest map is projected."""
    channels = size("fpn_feature_size", values["fpn_feature_size"])
    if channels % GROUPS:
        raise BadInput(
            f"fpn_feature_size = {channels} does not fit: {GROUPS} groups of channels are "
            "normalized, so that as many divide it."
        )
    found = {}
    for part, family, key in (
        ("backbone_config", SEEN, "embed_dim"), ("decoder_config", FINDING, "d_model"),
    ):  # fmt: skip
        given = values[part] if isinstance(values[part], dict) else family.absent
        found[key] = {**family.facts["keys"], **given}[key]
    projected = 2 ** (STAGES - 1) * size("embed_dim", found["embed_dim"]) != found["d_model"]
    width = {"d": str(found["d_model"])} if projected else {}
    return {"C_fpn": str(channels), "G_fpn": str(GROUPS), "projected": BOOLS[projected], **width}


FREED = ("out_features", "out_indices")
SEEN = replace(
    SWIN, model_type="swin",
    uses={
        **{key: use for key, use in SWIN.uses.items() if key not in FREED},
        **dict.fromkeys((*FREED, "encoder_stride", "num_layers"), FREE),
        "hidden_act": Acting("seen_by"),
    },
    absent=BASE,
    others=(replace(
        SWIN, uses={**SWIN.uses, **dict.fromkeys(FREED, Ruled()),
                    **dict.fromkeys(("encoder_stride", "num_layers"), FREE),
                    "hidden_act": Acting("seen_by")},
        rules=(*SWIN.rules[:2], Rule((), _read)),
    ),),
)  # fmt: skip
"""Of Swin itself the class reads all stages, whichever are named."""
READ = ("decoder_layers", "decoder_attention_heads", "decoder_ffn_dim",
        "activation_function", "num_queries")  # fmt: skip
FINDING = replace(
    DETR,
    uses={**dict.fromkeys((*DETR.uses, *DETR.parts), FREE), **{k: DETR.uses[k] for k in READ},
          "d_model": Ruled()},
    rules=(Rule(("d_model", "decoder_attention_heads"), _finding),), parts={}, kinds={}, absent={},
)  # fmt: skip
"""Its decoder alone: DETR's residual network and encoder are not built."""


def _drawn() -> Tensors:
    """Return whose tensors those of what fuses maps and draws masks are."""
    fpn, lateral = "model.pixel_level_module.decoder.fpn.", [f"_{i}" for i in (1, 2, 3)]

    def both(ours: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        weights = tuple(x for name in ours for x in (f"{name}.F", f"{name}_norm.g"))
        return weights, tuple(f"{name}_norm.b" for name in ours)

    found = {
        f"{fpn}stem.*": both(["stem"]),
        f"{fpn}layers.*.proj.*": both([f"lateral{i}" for i in lateral]),
        f"{fpn}layers.*.block.*": both([f"fused{i}" for i in lateral]),
        "model.pixel_level_module.decoder.mask_projection": (("places.F",), ("places.b",)),
        "model.transformer_module.input_projection": (("projection.F",), ("projection.b",)),
        "mask_embedder.*.*": tuple(
            tuple(f"mask.{i}.{x}" for i in (1, 2, 3)) for x in "Wb"),
    }  # fmt: skip
    return {
        f"{name}.{said}": ours
        for name, pair in found.items()
        for said, ours in zip(("weight", "bias"), pair, strict=True)
    }


SEES, FINDS = "model.pixel_level_module.encoder.", "model.transformer_module."
LAYER: Tensors = {
    **maps(**FED), **ITSELF, **attended("encoder_attn", "cross_attention"),
    **norms(self_attn_layer_norm="norm_1", encoder_attn_layer_norm="norm_2",
            final_layer_norm="norm_3"),
}  # fmt: skip
MASKFORMER = Family(
    "maskformer",
    {
        "MaskFormerForInstanceSegmentation": Built("maskformer", {"head": "masks"}, labels=True),
        "MaskFormerModel": Built("maskformer", {"head": "bare"}),
    },
    {
        "mask_feature_size": SizeOf("d_msk"),
        "fpn_feature_size": Ruled(),
        "use_auxiliary_loss": Only((False, None), "each layer would score classes and draw masks"),
        **dict.fromkeys((
            "no_object_weight", "init_std", "init_xavier_std", "dice_weight", "mask_weight",
            "cross_entropy_weight", "output_auxiliary_logits", "num_attention_heads",
            "num_hidden_layers", "backbone", "use_pretrained_backbone", "use_timm_backbone",
            "backbone_kwargs",
        ), FREE),
        **UNTIED,
    },
    (Rule(("backbone_config", "decoder_config"), _fitting),),
    tensors={
        **{f"{SEES}model.{name}": tuple(f"backbone.{x}" for x in ours)
           for name, ours in SWIN.tensors.items() if "." in name},
        **{f"{SEES}hidden_states_norms.*.{said}": tuple(
            f"backbone.map_norm_{i}.{x}" for i in range(1, 5))
           for said, x in (("weight", "g"), ("bias", "b"))},
        **_drawn(),
        f"{FINDS}queries_embedder.weight": ("Q", "first_block.Q"),
        **{f"{FINDS}decoder.layers.*.{name}": (f"first_block.{part}", f"decoder.{part}")
           for name, (part,) in LAYER.items()},
        **norms(**{f"{FINDS}decoder.layernorm": "decoder_norm"}),
        **maps(class_predictor="classes"),
    },
    parts={"backbone_config": SEEN, "decoder_config": FINDING},
)  # fmt: skip
