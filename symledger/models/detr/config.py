"""DETR: what sees, as a configuration inside, and an encoder-decoder of queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symledger.arguments.specs import Choice, Only, Settings, SizeOf, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import head_width
from symledger.config_keys.encoder_keys import Tensors, maps, norms, under
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import CONVOLVED, UNTIED
from symledger.errors import BadInput
from symledger.models.resnet.config import RESNET, UNITS, parts

TIMM = "use_timm_backbone"
NETWORKS: Mapping[str, Values] = {
    "resnet18": {"hidden_sizes": [64, 128, 256, 512], "depths": [2, 2, 2, 2],
                 "layer_type": "basic"},
    "resnet101": {"depths": [3, 4, 23, 3]},
}  # fmt: skip
"""What sizes of timm's networks differ from those of ResNet-50, the usual one. Source: He et al.,
*Deep Residual Learning for Image Recognition* (2015), table 1."""


def _heads(values: Values) -> Settings:
    """Refuse heads that do not divide the width, and a width of which half has no half."""
    for key in ("encoder_attention_heads", "decoder_attention_heads"):
        head_width(values, "d_model", key)
    if values["d_model"] % 4:
        raise BadInput(
            f"d_model = {values['d_model']} does not fit: a quarter of it each are sines and "
            "cosines of rows and of columns."
        )
    return {}


def _rest(values: Values) -> Settings:
    """Say what of the residual network is not trained: all of one of transformers (5.23).

    Its parameters have other names than the class looks for; of one of timm stages 2 to 4 are.
    """
    given = values["backbone_config"]
    if isinstance(given, dict):
        return {"at_rest": "all"}
    if values.get("backbone", "resnet50") not in (None, "resnet50", *NETWORKS):
        raise BadInput(
            f"backbone = {written(values['backbone'])} without backbone_config is not supported: "
            f"{', '.join(NETWORKS)} and resnet50 are. Say backbone_config for another."
        )
    if values.get(TIMM, True) is not True:
        return {"at_rest": "all"}
    return {"at_rest": "first"}


SEEN = replace(
    RESNET,
    uses={**RESNET.uses, "hidden_act": Acting("seen_by", learned=False),
          **dict.fromkeys(("backbone", "features_only", "freeze_batch_norm_2d",
                           "use_pretrained_backbone"), FREE),
          "output_stride": Only((None, 32)),
          "out_features": Only((None, ["stage4"]), "another image than the last would be read"),
          "out_indices": Only((None, [4]), "another image than the last would be read")},
    absent={"out_features": ["stage4"], "out_indices": [4]},
)  # fmt: skip
ATTENDED = {f"{x.lower()}_proj": x for x in "QKVO"}
KWARGS = ({"out_indices": [1, 2, 3, 4]}, {"in_chans": 3, "out_indices": [1, 2, 3, 4]})
"""What older files say to timm: which images it gives, of which the last is read."""
WINDOW = CONVOLVED["convolution.weight"]
QUERIES = {"model.query_position_embeddings.weight": ("first_block.Q", "Q")}


def seeing(family: Family, seen: Family = SEEN) -> Family:
    """Return a family that also knows networks of timm by their names."""
    named = {
        name: replace(seen, absent={**seen.absent, **sizes}) for name, sizes in NETWORKS.items()
    }
    return replace(family, kinds={
        ("backbone", name): replace(family, parts={"backbone_config": part})
        for name, part in named.items()
    })  # fmt: skip


def attended(name: str, ours: str, names: Mapping[str, str] = ATTENDED) -> Tensors:
    """Return whose tensors those of an attention are."""
    return maps(**{f"{name}__{said}": f"{ours}.{x}" for said, x in names.items()})


def network(back: str) -> Tensors:
    """Return whose tensors those of a residual network are."""
    return {
        f"{back}embedder.embedder.convolution.weight": (f"backbone.stem.{WINDOW}",),
        **{f"{back}encoder.stages.*.layers.*.{theirs}.convolution.weight": tuple(
            f"backbone.{x}" for x in parts(names, WINDOW))
           for theirs, names in (("shortcut", ("shortcut",)), ("layer.*", UNITS))},
    }  # fmt: skip


def around(back: str, places: str) -> Tensors:
    """Return whose tensors those of a residual network are, and those around the blocks."""
    return {
        **network(back),
        f"{places}row_embeddings.weight": ("rows",),
        f"{places}column_embeddings.weight": ("columns",),
        "model.input_projection.weight": ("projection.F",),
        "model.input_projection.bias": ("projection.b",),
        **norms(model__decoder__layernorm="decoder_norm"),
        **maps(class_labels_classifier="boxes.classes"),
        **{f"bbox_predictor.layers.*.{said}": tuple(f"boxes.box.{i}.{x}" for i in (1, 2, 3))
           for said, x in (("weight", "W"), ("bias", "b"))},
    }  # fmt: skip


def blocks(fed: Mapping[str, str], encoder: Tensors, decoder: Tensors) -> Tensors:
    """Return whose tensors those of blocks are: their networks, norms and attentions."""
    layer = {**maps(**fed), **norms(self_attn_layer_norm="norm_1")}
    read = {**layer, **norms(final_layer_norm="norm_2"), **encoder}
    found = {**layer, **decoder,
             **norms(encoder_attn_layer_norm="norm_2", final_layer_norm="norm_3")}  # fmt: skip
    return {
        **under("model.encoder.layers.*.", "encoder.", read),
        **{f"model.decoder.layers.*.{name}": (f"first_block.{part}", f"decoder.{part}")
           for name, (part,) in found.items()},
    }  # fmt: skip


FED = {"mlp__fc1": "feed_forward.1", "mlp__fc2": "feed_forward.2"}
ITSELF = attended("self_attn", "attention")

DETR = seeing(Family(
    "detr",
    {
        "DetrForObjectDetection": Built("detr", {"head": "boxes"}, labels=True),
        "DetrModel": Built("detr", {"head": "bare"}),
    },
    {
        "d_model": SizeOf("d"),
        "encoder_layers": SizeOf("L_enc"),
        "decoder_layers": SizeOf("L_dec"),
        "encoder_attention_heads": SizeOf("h"),
        "decoder_attention_heads": SizeOf("h_dec"),
        "encoder_ffn_dim": SizeOf("d_ff"),
        "decoder_ffn_dim": SizeOf("d_dec"),
        "activation_function": Acting(),
        "num_queries": SizeOf("n_q"),
        "position_embedding_type": Choice("places", {"sine": "sines", "learned": "learned"}),
        "dilation": Only((False,), "the last stage would keep the size of the image"),
        **dict.fromkeys(("backbone_config", "backbone", TIMM), Ruled()),
        "backbone_kwargs": Only((None, {}, *KWARGS)),
        **dict.fromkeys((
            "num_channels", "num_hidden_layers", "use_pretrained_backbone", "encoder_layerdrop",
            "decoder_layerdrop", "init_std", "init_xavier_std", "auxiliary_loss", "class_cost",
            "bbox_cost", "giou_cost", "mask_loss_coefficient", "dice_loss_coefficient",
            "bbox_loss_coefficient", "giou_loss_coefficient", "eos_coefficient", "scale_embedding",
            "max_position_embeddings",
        ), FREE),
        **UNTIED,
    },
    (
        Rule((), _rest),
        Rule(("d_model", "encoder_attention_heads", "decoder_attention_heads"), _heads),
    ),
    tensors={
        **around("model.backbone.model.", "model.position_embedding."),
        **QUERIES,
        **blocks(FED, ITSELF, {**ITSELF, **attended("encoder_attn", "cross_attention")}),
    },
    parts={"backbone_config": SEEN},
))  # fmt: skip
