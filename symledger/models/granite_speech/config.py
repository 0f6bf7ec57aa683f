"""Granite Speech: a conformer, the Q-Former of BLIP-2 and Granite, each with its keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symledger.arguments.specs import BOOLS, Settings, SizeOf, Use, size, written
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE, affine
from symledger.config_keys.encoder_keys import Tensors, maps, norms, under
from symledger.config_keys.family import AtLeast, Built, Family, Rule, Ruled, Values
from symledger.config_keys.seeing_keys import TIED, decoding, generating, inner, within
from symledger.errors import BadInput
from symledger.models.blip2.config import PART_KEYS, PARTS, QFORMER
from symledger.models.granite.config import GRANITE

FRAMES = {"T_f": "1000"}
"""No key says how long a spectrum is: a thousand vectors of two frames, twenty seconds."""
KEYS: Mapping[str, Use] = {
    "input_dim": SizeOf("d_in"),
    "hidden_dim": SizeOf("d_snd"),
    "num_layers": AtLeast("L_snd", least=2),
    "num_heads": SizeOf("h_snd"),
    "output_dim": SizeOf("V_snd"),
    "context_size": SizeOf("Q"),
    **dict.fromkeys(
        ("feedforward_mult", "conv_expansion_factor", "conv_kernel_size", "max_pos_emb",
         "dim_head"), Ruled()
    ),
}  # fmt: skip


def _widths(values: Values) -> Settings:
    """Return how wide networks and convolutions are, and how many distances a table has.

    Raises:
        BadInput: a window has no middle, or its class refuses so long chunks.
    """
    d, h = (size(key, values[key]) for key in ("hidden_dim", "num_heads"))
    said = values["dim_head"]
    e = size("dim_head = hidden_dim // num_heads" if said is None else "dim_head",
             d // h if said is None else said)  # fmt: skip
    K, far = size("conv_kernel_size", values["conv_kernel_size"]), values["max_pos_emb"]
    if K % 2 == 0:
        raise BadInput(
            f"conv_kernel_size = {K} is not supported: an odd one is, such as {K + 1}, whose "
            "window has a middle."
        )
    chunk, reach = size("context_size", values["context_size"]), size("max_pos_emb", far)
    if chunk > reach:
        raise BadInput(
            f"context_size = {chunk} is more than max_pos_emb = {reach}: its class refuses that."
        )
    return {
        "K": str(K), "n_r": str(2 * reach + 1), "e_snd": str(e),
        "f_snd": str(d * size("feedforward_mult", values["feedforward_mult"])),
        "c_snd": str(d * size("conv_expansion_factor", values["conv_expansion_factor"])),
    }  # fmt: skip


FED: Tensors = {
    f"ff{i}.{theirs}.{x}": ours
    for i in (1, 2) for theirs, ours_of in (
        ("pre_norm", ("g", "b", f"norm_{1 if i == 1 else 4}")),
        ("up_proj", ("W", "b", f"feed_forward_{i}.1")),
        ("down_proj", ("W", "b", f"feed_forward_{i}.2")),
    )
    for x, ours in (("weight", (f"{ours_of[2]}.{ours_of[0]}",)),
                    ("bias", (f"{ours_of[2]}.{ours_of[1]}",)))
}  # fmt: skip
BLOCK: Tensors = {
    **FED,
    **norms(attn__pre_norm="norm_2", conv__norm="norm_3", conv__batch_norm="near.norm",
            post_norm="norm_5"),
    **maps(attn__to_out="attention.O", conv__up_conv="near.in", conv__down_conv="near.out"),
    "attn.to_q.weight": ("attention.Q.W",),
    "attn.to_kv.weight": ("attention.K.W", "attention.V.W"),
    "attn.rel_pos_emb.weight": ("attention.core.R",),
    "conv.depth_conv.conv.weight": ("near.convolution.F",),
}  # fmt: skip
BLOCKS = ("first_block", "read_block.block", "block")
HEARD: Tensors = {
    **maps(input_linear="in", out="guess", out_mid="back"),
    **{f"layers.*.{name}": tuple(f"{kind}.{x}" for kind in BLOCKS for x in ours)
       for name, ours in BLOCK.items()},
}  # fmt: skip
GRANITE_SPEECH_ENCODER = Family(
    "granite_speech_encoder", {"GraniteSpeechCTCEncoder": Built("granite_speech_encoder")}, KEYS,
    (Rule((), _widths),), HEARD, FRAMES,
)  # fmt: skip


def _beside(values: Values) -> Settings:
    """Return of how many blocks vectors are read besides the last.

    Raises:
        BadInput: they are no list of blocks, each once, or too many for the definition.
    """
    said, layers = values["cat_hidden_layers"], size("num_layers", values["num_layers"])
    if not said:
        return {"beside": BOOLS[False]}
    behind = layers - layers // 2
    whole = isinstance(said, list) and all(type(i) is int and 0 <= i < layers for i in said)
    if not whole or len({*said}) < len(said) or len(said) > behind:
        raise BadInput(
            f"cat_hidden_layers = {written(said)} is not supported with num_layers = {layers}: a "
            f"list of numbers from 0 to {layers - 1}, each once and at most {behind}, is."
        )
    return {"beside": BOOLS[True], "L_rd": str(len(said))}


PLUS_ENCODER = Family(
    "granite_speech_plus_encoder",
    {"GraniteSpeechPlusCTCEncoder": Built("granite_speech_encoder")},
    {**KEYS, "cat_hidden_layers": Ruled()}, (Rule((), _widths), Rule((), _beside)), HEARD, FRAMES,
)  # fmt: skip

TEXT = decoding(GRANITE)
EAR, PLUS_EAR = (replace(x, implied={}) for x in (GRANITE_SPEECH_ENCODER, PLUS_ENCODER))
READING = replace(QFORMER, uses={**QFORMER.uses, **PART_KEYS}, implied={})


def _read(values: Values) -> Settings:
    """Return how many queries read how many frames at once, and how long a sequence is.

    Raises:
        BadInput: windows are no whole number of steps, or another width is read than is heard.
    """
    window, step = (size(key, values[key]) for key in ("window_size", "downsample_rate"))
    if window % step:
        raise BadInput(
            f"window_size = {window} is not divided by downsample_rate = {step}: its class fails "
            "where a sound has several windows."
        )
    heard = size("hidden_dim", inner(values, "encoder_config", EAR, "hidden_dim"))
    beside = inner(values, "encoder_config", PLUS_EAR, "cat_hidden_layers") or []
    wide = heard * (len(beside) + 1) if isinstance(beside, list) else heard
    read = inner(values, "projector_config", READING, "encoder_hidden_size")
    if wide != read:
        raise BadInput(
            f"projector_config.encoder_hidden_size = {written(read)} does not fit "
            f"encoder_config.hidden_dim = {heard}: {wide} numbers of a vector are read, and its "
            f"class fails as soon as it hears. Say {wide}."
        )
    longest = inner(values, "text_config", TEXT, "max_position_embeddings")
    queries, windows = window // step, -(-int(FRAMES["T_f"]) // window)
    T = max(size("max_position_embeddings", longest), queries * windows + 1)
    return {"w_qf": str(window), "n_q": str(queries), "T": str(T)}


ASKED = ("first_block", "crossing_block", "block")
QUERYING: Tensors = {
    **norms(layernorm="norm"),
    **{name: tuple(f"{kind}.{found}" for kind in ASKED)
       for name, (found,) in affine("encoder.layer.*.", PARTS).items()},
}  # fmt: skip
GRANITE_SPEECH = Family(
    "granite_speech", generating("granite_speech", "GraniteSpeech"),
    {
        **TIED,
        **dict.fromkeys(("audio_token_index", "has_lora_adapter"), FREE),
        **dict.fromkeys(("window_size", "downsample_rate"), Ruled()),
    },
    (Rule((), _read),),
    {
        **within("model.language_model.", DENSE), **under("model.encoder.", "tower.", HEARD),
        "model.projector.query": ("queries",),
        **under("model.projector.qformer.", "qformer.", QUERYING),
        **maps(model__projector__linear="projection"),
    },
    implied={"n_snd": "1", **FRAMES},
    parts={"text_config": TEXT, "encoder_config": EAR, "projector_config": READING},
)  # fmt: skip
GRANITE_SPEECH_PLUS = replace(
    GRANITE_SPEECH, model_type="granite_speech_plus",
    builds=generating("granite_speech", "GraniteSpeechPlus"),
    parts={**GRANITE_SPEECH.parts, "encoder_config": PLUS_EAR},
)  # fmt: skip
