"""What hears in Granite Speech: its keys."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.arguments.specs import Settings, SizeOf, Use, size
from symledger.config_keys.encoder_keys import Tensors, maps, norms
from symledger.config_keys.family import AtLeast, Built, Family, Rule, Ruled, Values
from symledger.errors import BadInput

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
HEARD: Tensors = {
    **maps(input_linear="in", out="guess", out_mid="back"),
    **{f"layers.*.{name}": tuple(f"{kind}.{x}" for kind in ("first_block", "block") for x in ours)
       for name, ours in BLOCK.items()},
}  # fmt: skip
GRANITE_SPEECH_ENCODER = Family(
    "granite_speech_encoder", {"GraniteSpeechCTCEncoder": Built("granite_speech_encoder")}, KEYS,
    (Rule((), _widths),), HEARD, FRAMES,
)  # fmt: skip
