"""What hears in Phi-4-multimodal: its keys."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.arguments.specs import Only, Settings, SizeOf, Use, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.encoder_keys import Tensors, maps, norms, under
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.errors import BadInput

FRAMES = {"T_f": "1000", "w_smx": "500"}
"""No key says how long a spectrum is: a thousand frames, ten seconds. The longest chunk that is
read at once is a number of its class (transformers 5.23, ``Phi4MultimodalAudioModel``)."""
HALVED = "its class builds that, and what is derived is made eight times shorter"
SAME = ("ext_pw_out_channel", "depthwise_separable_out_channel")


def _heard(values: Values) -> Settings:
    """Return how many bands there are, and how many distances a table has rows for.

    Raises:
        BadInput: bands are not halved evenly, or maps inside blocks give another width.
    """
    C, d = (size(key, values[key]) for key in ("input_size", "hidden_size"))
    if C % 8:
        raise BadInput(f"input_size = {C} is not supported: a multiple of 8 is.")
    left = values.get("nemo_final_size")
    if left is not None and left != C // 8:
        raise BadInput(
            f"nemo_final_size = {written(left)} does not fit input_size = {C}: {C // 8}."
        )
    for key in SAME:
        if values[key] != d:
            raise BadInput(
                f"{key} = {written(values[key])} does not fit hidden_size = {d}: what a block "
                f"gives is added to what entered it. Say {d}."
            )
    if d % size("num_attention_heads", values["num_attention_heads"]):
        raise BadInput(f"num_attention_heads does not divide hidden_size = {d}.")
    far = size("bias_max_distance", values["bias_max_distance"])
    return {"C": str(C), "n_r": str(far if values["bias_symmetric"] else 2 * far)}


SILU = Only(("swish", "silu"), "another nonlinearity is not derived inside of convolutions")
KEYS: Mapping[str, Use] = {
    "hidden_size": SizeOf("d_snd"),
    "intermediate_size": SizeOf("f_snd"),
    "num_blocks": SizeOf("L_snd"),
    "num_attention_heads": SizeOf("h_snd"),
    "kernel_size": SizeOf("K"),
    "nemo_conv_channels": SizeOf("C_1"),
    "activation": Acting("sound_activation", learned=False),
    **dict.fromkeys(("conv_activation", "conv_glu_type"), SILU),
    "nemo_activation": Only(("relu",), "another nonlinearity is not derived there"),
    "time_reduction": Only((8,), HALVED),
    "depthwise_multiplier": Only((1,), "several channels of each are not derived"),
    **dict.fromkeys((*SAME, "input_size", "nemo_final_size", "bias_max_distance", "bias_symmetric"),
                    Ruled()),
    **dict.fromkeys(("chunk_size", "left_chunk", "dropout_rate", "audio_token_id", "feature_layer"),
                    FREE),
    "downsample_rate": Only((1,), "its class joins no vectors, and fails"),
}  # fmt: skip
"""Which positions see one another changes no count, nor does the layer that is said to be read:
its class reads the last."""
FED = {
    f"feed_forward_{theirs}.{name}": ours
    for theirs, i, n in (("in", 1, 1), ("out", 2, 4))
    for name, ours in {
        **norms(layer_norm=f"norm_{n}"), **maps(down_proj=f"feed_forward_{i}.down"),
        **{f"gate_up_proj.{x}": (f"feed_forward_{i}.up.{y}", f"feed_forward_{i}.gate.{y}")
           for x, y in (("weight", "W"), ("bias", "b"))},
    }.items()
}  # fmt: skip
BLOCK: Tensors = {
    **FED,
    **norms(layer_norm_att="norm_2", conv__layer_norm="norm_3", layer_norm="norm_5"),
    **maps(**{f"self_attn__{x}_proj": f"attention.{x.upper()}" for x in "qkvo"},
           conv__glu__ext_pw_conv_1d="near.in", conv__dw_sep_conv_1d__pw_conv="near.mix",
           conv__ext_pw_conv_1d="near.out"),
    "conv.glu.b1": ("near.b_open",), "conv.glu.b2": ("near.b_gate",),
    "conv.dw_sep_conv_1d.dw_conv.weight": ("near.convolution.F",),
    "conv.dw_sep_conv_1d.dw_conv.bias": ("near.convolution.b",),
}  # fmt: skip
HEARD: Tensors = {
    **{f"embed.conv.*.{theirs}": (
        *(f"shorten_{i}.{conv}" for i in (1, 2, 3)), *(f"mix_{i}.{lin}" for i in (2, 3)))
       for theirs, conv, lin in (("weight", "F", "W"), ("bias", "b", "b"))},
    **maps(embed__out="projection"),
    "relative_attention_bias_layer.bias_values.weight": ("biases",),
    **under("encoders.*.", "block.", BLOCK),
}  # fmt: skip
PHI4_SOUND = Family(
    "phi4_multimodal_audio", {"Phi4MultimodalAudioModel": Built("phi4_sound_encoder")}, KEYS,
    (Rule((), _heard),), HEARD, FRAMES,
)  # fmt: skip
