"""BLIP-2: an encoder, the Q-Former and a decoder, each with its keys; InstructBLIP's parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, SizeOf, Use, size
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import affine, head_width
from symledger.config_keys.encoder_keys import Tensors, under
from symledger.config_keys.family import Built, Family, Rule, Values
from symledger.config_keys.image_keys import Pair, Square
from symledger.config_keys.seeing_keys import ONE_IMAGE, TOWER, decoding, inner
from symledger.config_keys.tower_keys import norm
from symledger.errors import BadInput
from symledger.models.opt.config import OPT


def image(theirs: str, ours: str) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weights of the encoder of images."""
    return {
        f"{theirs}embeddings.class_embedding": (f"{ours}embedding.c",),
        f"{theirs}embeddings.position_embedding": (f"{ours}embedding.positions.P",),
        **{f"{theirs}embeddings.patch_embedding.{x}": (f"{ours}embedding.patches.convolution.{y}",)
           for x, y in (("weight", "F"), ("bias", "b"))},
        **affine(f"{theirs}encoder.layers.*.", {
            "layer_norm1": f"{ours}block.norm_1", "layer_norm2": f"{ours}block.norm_2",
            "self_attn.qkv": tuple(f"{ours}block.attention.{x}" for x in "QKV"),
            "self_attn.projection": f"{ours}block.attention.O",
            "mlp.fc1": f"{ours}block.feed_forward.1", "mlp.fc2": f"{ours}block.feed_forward.2",
        }),
        **norm(f"{theirs}post_layernorm", f"{ours}final_norm"),
    }  # fmt: skip


BLOCKS = ("crossing_block", "block")
PARTS = {
    **{f"attention.attention.{x}": f"attention.{x[0].upper()}" for x in ("query", "key", "value")},
    "attention.output.dense": "attention.O", "attention.output.LayerNorm": "norm_1",
    **{f"crossattention.attention.{x}": f"cross_attention.{x[0].upper()}"
       for x in ("query", "key", "value")},
    "crossattention.output.dense": "cross_attention.O", "crossattention.output.LayerNorm": "norm_2",
    "intermediate_query.dense": "feed_forward.1", "output_query.dense": "feed_forward.2",
    "output_query.LayerNorm": "norm_3",
    "intermediate.dense": "words_feed_forward.1", "output.dense": "words_feed_forward.2",
    "output.LayerNorm": "norm_4",
}  # fmt: skip


def reading(theirs: str, ours: str) -> Tensors:
    """Return what stands behind the weights of the Q-Former."""
    return {
        f"{theirs}embeddings.word_embeddings.weight": (f"{ours}token_embedding.E",),
        f"{theirs}embeddings.position_embeddings.weight": (f"{ours}positions.P",),
        **norm(f"{theirs}layernorm", f"{ours}norm"),
        **norm(f"{theirs}embeddings.layernorm", f"{ours}norm"),
        **{name: tuple(f"{ours}{kind}.{found}" for kind in BLOCKS)
           for name, (found,) in affine(f"{theirs}encoder.layer.*.", PARTS).items()},
    }  # fmt: skip


def _cut(values: Values) -> Settings:
    """Return how many patches an image has, and refuse heads that do not divide the width."""
    head_width({k: size(k, values[k]) for k in ("hidden_size", "num_attention_heads")})
    found = Pair(("H_p", "W_p")).settings("image_size", values["image_size"])
    side = int(Square("P").settings("patch_size", values["patch_size"])["P"])
    if found["H_p"] != found["W_p"] or int(found["H_p"]) < side:
        raise BadInput(
            f"image_size = {values['image_size']} with patch_size = {side} does not fit: its class "
            "takes images as squares, of at least one patch."
        )
    return {key: str(int(n) // side) for key, n in found.items()}


UNREAD = dict.fromkeys(("attention_dropout", "num_channels", "projection_dim"), FREE)
"""Its class takes three colours, whatever is said."""
VISION = Family(
    "blip_2_vision_model",
    {"Blip2VisionModel": Built("blip2_vision")},
    {
        "hidden_size": SizeOf("d"),
        "intermediate_size": SizeOf("d_ff"),
        "num_hidden_layers": SizeOf("L"),
        "num_attention_heads": SizeOf("h"),
        "image_size": FREE,
        "patch_size": Square("P"),
        "hidden_act": Acting(),
        "qkv_bias": Choice("qkv_bias", BOOLS),
        **UNREAD,
    },
    (Rule(("image_size", "patch_size", "hidden_size", "num_attention_heads"), _cut),),
    image("", ""),
    implied={"C_in": "3"},
)


def _renamed(model_type: str, name: str) -> Family:
    """Return the encoder under another name."""
    return replace(
        VISION, model_type=model_type, builds={f"{name}VisionModel": Built("blip2_vision")}
    )


INSTRUCT_VISION = _renamed("instructblip_vision_model", "InstructBlip")
VIDEO_VISION = _renamed("instructblipvideo_vision_model", "InstructBlipVideo")


def inside(vision: Family) -> Family:
    """Return the encoder as a part of another model."""
    sizes = {key: use for key, use in TOWER.items()
             if key not in ("image_size", "patch_size", "num_channels", "vocab_size")}  # fmt: skip
    return replace(vision, uses={**vision.uses, **sizes})


def _crossing(values: Values) -> Settings:
    """Return how many blocks attend to the image."""
    head_width({k: size(k, values[k]) for k in ("hidden_size", "num_attention_heads")})
    number = size("num_hidden_layers", values["num_hidden_layers"])
    every = size("cross_attention_frequency", values["cross_attention_frequency"])
    return {"L_qx": str(-(-number // every))}


QFORMER_KEYS: Mapping[str, Use] = {
    "hidden_size": SizeOf("d"),
    "num_hidden_layers": SizeOf("L"),
    "num_attention_heads": SizeOf("h"),
    "intermediate_size": SizeOf("d_ff"),
    "encoder_hidden_size": SizeOf("d_img"),
    "hidden_act": Acting(),
    "position_embedding_type": Only(("absolute",), "keys of distances are not derived"),
    **dict.fromkeys((
        "cross_attention_frequency", "hidden_dropout_prob", "attention_probs_dropout_prob",
        "chunk_size_feed_forward",
    ), FREE),
}  # fmt: skip
PART_KEYS: Mapping[str, Use] = {
    "hidden_size": SizeOf("d_qf"),
    "num_hidden_layers": SizeOf("L_qf"),
    "num_attention_heads": SizeOf("h_qf"),
    "intermediate_size": SizeOf("f_qf"),
    "encoder_hidden_size": FREE,
    "hidden_act": Acting("query_activation"),
}
"""The whole makes the width of what is read that of the encoder, whatever is said."""
SILENT: Mapping[str, Use] = {
    "use_qformer_text_input": Only((False,), "networks for words are not derived there"),
    **dict.fromkeys(("vocab_size", "max_position_embeddings"), FREE),
}
WORDS: Mapping[str, Use] = {
    "vocab_size": SizeOf("V_ins"), "max_position_embeddings": SizeOf("N_ins"),
}  # fmt: skip
CROSSING = Rule(
    ("num_hidden_layers", "cross_attention_frequency", "hidden_size", "num_attention_heads"),
    _crossing,
)
ALONE = {"n_q": "32", "T_img": "257"}
"""What a Q-Former is given, where nothing is said: the queries and images of BLIP-2's default."""
QFORMER = Family(
    "blip_2_qformer", {"Blip2QFormerModel": Built("qformer")}, {**QFORMER_KEYS, **SILENT},
    (CROSSING,), reading("", ""), implied=ALONE,
)  # fmt: skip


def _told(model_type: str, name: str) -> Family:
    """Return the Q-Former of a model that tells it what is asked."""
    return Family(
        model_type, {f"{name}QFormerModel": Built("qformer", {"told": "true"})},
        {**QFORMER_KEYS, **WORDS}, (CROSSING,), reading("", ""), implied={**ALONE, "T_ins": "32"},
    )  # fmt: skip


INSTRUCT_QFORMER = _told("instructblip_qformer", "InstructBlip")
VIDEO_QFORMER = _told("instructblipvideo_qformer", "InstructBlipVideo")


def part(qformer: Family) -> Family:
    """Return the Q-Former as a part of another model."""
    return replace(qformer, uses={**qformer.uses, **PART_KEYS}, implied={})


OPT_TEXT = replace(decoding(OPT), uses=OPT.uses)
"""The decoder ties its head as it says itself, and its table of places is learned."""


def _fitting(text: Family) -> Rule:
    """Say how long a sequence is, and refuse one that queries fill."""

    def read(values: Values) -> Settings:
        longest = size("max_position_embeddings",
                       inner(values, "text_config", text, "max_position_embeddings"))  # fmt: skip
        queries = size("num_query_tokens", values["num_query_tokens"])
        if longest <= queries:
            raise BadInput(
                f"num_query_tokens = {queries} does not fit text_config.max_position_embeddings = "
                f"{longest}: each query fills a position, and words need some, too."
            )
        return {"T": str(longest)}

    return Rule((), read)


SEEING: Tensors = {
    "query_tokens": ("queries",), **reading("qformer.", "qformer."),
    **affine("", {"language_projection": "projection"}), **image("vision_model.", "tower."),
}  # fmt: skip


def whole(
    model_type: str, builds: Mapping[str, Built], text: Family, vision: Family, qformer: Family,
    tensors: Mapping[str, tuple[str, ...]],
) -> Family:  # fmt: skip
    """Return a model with such a decoder."""
    bare = {name.removeprefix("model."): ours for name, ours in tensors.items()}
    return Family(
        model_type, builds,
        {
            "num_query_tokens": SizeOf("n_q"),
            **dict.fromkeys((
                "image_text_hidden_size", "use_decoder_only_language_model", "image_token_index",
                "video_token_index", "initializer_factor", "tie_word_embeddings",
            ), FREE),
        },
        (_fitting(text),), {**under("language_model.", "", {**bare, **tensors}), **SEEING},
        implied=ONE_IMAGE,
        parts={"text_config": text, "vision_config": vision, "qformer_config": qformer},
    )  # fmt: skip


BLIP2 = whole(
    "blip-2",
    {f"Blip2{x}": Built("blip2", {"head": "lm"}) for x in ("ForConditionalGeneration", "Model")},
    OPT_TEXT, inside(VISION), part(QFORMER), OPT.tensors,
)  # fmt: skip
