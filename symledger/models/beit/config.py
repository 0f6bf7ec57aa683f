"""BEiT and data2vec: ViT's keys, and how layers are told where patches lie."""

from __future__ import annotations

from symledger.arguments.specs import BOOLS, Choice, Settings, SizeOf, Use, among, size
from symledger.config_keys.activations import Acting
from symledger.config_keys.backbone_keys import given_stages
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import HEADS, floored_width, head_width
from symledger.config_keys.encoder_keys import Tensors, maps, norms, under
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import BACKBONE, UNTIED, Pair, positive
from symledger.errors import BadInput

OWN, SHARED = "use_relative_position_bias", "use_shared_relative_position_bias"


def _ways(values: Values) -> Settings:
    """Say who has tables of ways between places: each layer, all together, or nobody."""
    own, shared = (among(key, values[key], tuple(BOOLS)) for key in (OWN, SHARED))
    if own and shared:
        raise BadInput(
            f"{OWN} with {SHARED} is not supported: each layer would add biases of its own to "
            "those of all. Set one of them to false."
        )
    return {"ways": "own" if own else "shared" if shared else "none"}


def _scaled(values: Values) -> Settings:
    """Say whether layers have factors: where these do not begin as zero."""
    return {"scaled": BOOLS[positive(values, "layer_scale_init_value")]}


def _heads(values: Values) -> Settings:
    """Return how wide heads are: those of data2vec have to divide the width."""
    return {"d_h": str(head_width(values))}


def _floored(values: Values) -> Settings:
    """Return how wide heads are, as wide as they can be beside each other."""
    return {"d_h": str(floored_width(values))}


USES: dict[str, Use] = {
    "hidden_size": SizeOf("d"),
    "num_hidden_layers": SizeOf("L"),
    "num_attention_heads": SizeOf("h"),
    "intermediate_size": SizeOf("d_ff"),
    "hidden_act": Acting(),
    "image_size": Pair(("H", "W")),
    "patch_size": SizeOf("P"),
    "num_channels": SizeOf("C_in"),
    "use_mask_token": Choice("hiding", BOOLS),
    "use_absolute_position_embeddings": Choice("placed", BOOLS),
    "use_mean_pooling": Choice("averaged", BOOLS),
    **dict.fromkeys((OWN, SHARED, "layer_scale_init_value"), Ruled()),
    **dict.fromkeys((
        "drop_path_rate", "initializer_range", "pool_scales", "use_auxiliary_head",
        "auxiliary_loss_weight", "auxiliary_channels", "auxiliary_num_convs",
        "auxiliary_concat_input", "semantic_loss_ignore_index",
    ), FREE),
}  # fmt: skip
"""Heads that score each place, and what these have besides, belong to classes that are refused."""
WIDTHS = ("hidden_size", "num_attention_heads")
RULES = (Rule((), _ways), Rule((), _scaled))
TABLE = "relative_position_bias_table"
EMBEDDINGS: Tensors = {
    "cls_token": ("embedding.c",), "mask_token": ("embedding.m",),
    "position_embeddings": ("embedding.positions.P",),
    "patch_embeddings.projection.weight": ("embedding.patches.convolution.F",),
    "patch_embeddings.projection.bias": ("embedding.patches.convolution.b",),
}  # fmt: skip
NORMS = norms(layernorm_before="norm_1", layernorm_after="norm_2")
LAYER = {
    **NORMS, "lambda_1": ("g_1",), "lambda_2": ("g_2",),
    **maps(**{f"attention__{x.lower()}_proj": f"attention.{x}" for x in "QKVO"},
           mlp__fc1="feed_forward.1", mlp__fc2="feed_forward.2"),
    f"relative_position_bias.{TABLE}": ("R",),
}  # fmt: skip
OLDER = {
    **NORMS, "lambda_1": ("g_1",), "lambda_2": ("g_2",),
    **maps(**{f"attention__attention__{x}": f"attention.{x[0].upper()}"
              for x in ("query", "key", "value")},
           attention__output__dense="attention.O",
           intermediate__dense="feed_forward.1", output__dense="feed_forward.2"),
    f"attention.attention.relative_position_bias.{TABLE}": ("R",),
}  # fmt: skip
ENDS = norms(layernorm="final_norm", pooler__layernorm="pooled_norm")

BEIT = Family(
    "beit",
    {
        "BeitForImageClassification": Built("beit", {"head": "classes"}, labels=True),
        "BeitModel": Built("beit", {"head": "pooled"}),
        "BeitForMaskedImageModeling": Built(
            "beit", {"head": "tokens"}, uses={"vocab_size": SizeOf("V")}
        ),
    },
    {
        **USES, "vocab_size": FREE, "segmentation_indices": FREE,
        **dict.fromkeys(("add_fpn", "reshape_hidden_states"), FREE), **BACKBONE,
    },
    (
        *RULES, Rule(WIDTHS, _floored),
        given_stages(lambda values: size("num_hidden_layers", values["num_hidden_layers"])),
    ),
    tensors={
        **under("beit.embeddings.", "", EMBEDDINGS),
        **under("beit.layers.*.", "block.", LAYER),
        f"beit.shared_position_bias.{TABLE}": ("R",),
        **under("beit.", "", ENDS),
        "layernorm.weight": ("head_norm.g", "final_norm.g"),
        "layernorm.bias": ("head_norm.b", "final_norm.b"),
        **HEADS, **maps(lm_head="head"),
    },
)  # fmt: skip

DATA2VEC = Family(
    "data2vec-vision",
    {
        "Data2VecVisionForImageClassification": Built("beit", {"head": "classes"}, labels=True),
        "Data2VecVisionModel": Built("beit", {"head": "bare"}),
    },
    {**USES, "out_indices": FREE, **UNTIED},
    (*RULES, Rule(WIDTHS, _heads)),
    tensors={
        **under("data2vec_vision.embeddings.", "", EMBEDDINGS),
        **under("data2vec_vision.encoder.layer.*.", "block.", OLDER),
        f"data2vec_vision.encoder.relative_position_bias.{TABLE}": ("R",),
        **under("data2vec_vision.", "", ENDS), **HEADS,
    },
)  # fmt: skip
