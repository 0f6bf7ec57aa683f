"""What configurations of encoders of sounds say in the same words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, SizeOf, Use, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.encoder_keys import Tensors, maps, norms, under
from symledger.config_keys.family import Built, Ruled, Values
from symledger.config_keys.image_keys import UNTIED, positive
from symledger.errors import BadInput

KERNELS, STRIDES = [10, 3, 3, 3, 3, 2, 2], [5, 2, 2, 2, 2, 2, 2]
"""The windows that the implementation has unless others are asked for."""
ADAPTED = Only((False,), "convolutions that shorten would follow the blocks")
QUANTIZED = (
    "num_codevectors_per_group", "num_codevector_groups", "contrastive_logits_temperature",
    "num_negatives", "codevector_dim", "proj_codevector_dim", "diversity_loss_weight",
    "num_ctc_classes", "replace_prob", "num_clusters",
    *(f"tdnn_{x}" for x in ("dim", "kernel", "dilation")), "xvector_output_dim",
    *(f"adapter_{x}" for x in ("kernel_size", "stride")), "num_adapter_layers",
)  # fmt: skip
"""What classes read that are refused, or parts that are not there."""
MASKED = (
    "apply_spec_augment", "mask_time_length", "mask_time_min_masks", "mask_feature_length",
    "mask_feature_min_masks", "ctc_loss_reduction", "ctc_zero_infinity",
)  # fmt: skip

SOUND_WIDTHS: Mapping[str, Use] = {
    "vocab_size": SizeOf("V"),
    "hidden_size": SizeOf("d"),
    "num_hidden_layers": SizeOf("L"),
    "num_attention_heads": SizeOf("h"),
    "intermediate_size": SizeOf("d_ff"),
    "hidden_act": Acting(),
    "classifier_proj_size": FREE,
    "use_weighted_layer_sum": FREE,
    "output_hidden_size": FREE,
    "add_adapter": ADAPTED,
    **dict.fromkeys(("mask_time_prob", "mask_feature_prob"), Ruled()),
    **dict.fromkeys((*QUANTIZED, *MASKED), FREE),
    **UNTIED,
}
"""The sizes of an encoder of sounds as wav2vec 2.0's configuration names them."""
FRONT: Mapping[str, Use] = {
    "conv_bias": Choice("front_bias"),
    "feat_extract_activation": Acting("front_activation", learned=False),
    "num_conv_pos_embedding_groups": SizeOf("G"),
    **dict.fromkeys(
        ("conv_dim", "conv_kernel", "conv_stride", "num_feat_extract_layers"), Ruled()
    ),
}  # fmt: skip


def listed(values: Values, name: str, number: int) -> list[int]:
    """Return a list of so many whole numbers.

    Raises:
        BadInput: it is none.
    """
    value = values[name]
    if not isinstance(value, list) or len(value) != number:
        raise BadInput(
            f"{name} = {written(value)} is not supported: {number} convolutions are, with a "
            "number for each."
        )
    return [size(name, n) for n in value]


def convolved(
    kernels: Sequence[int], strides: Sequence[int], widths: Sequence[int]
) -> Callable[[Values], Settings]:
    """Return what reads the convolutions: ``widths`` says which have the same channels."""

    def read(values: Values) -> Settings:
        number = len(kernels)
        for name, usual in (("conv_kernel", kernels), ("conv_stride", strides)):
            if listed(values, name, number) != list(usual):
                raise BadInput(
                    f"{name} = {written(values[name])} is not supported, only {list(usual)} is: "
                    "how long a sound becomes follows from it."
                )
        layers = values.get("num_feat_extract_layers")
        if layers not in (None, number):
            raise BadInput(
                f"num_feat_extract_layers = {written(layers)} does not fit: conv_dim names "
                f"{number} convolutions. Leave it out."
            )
        found: Settings = {}
        for width, n in zip(widths, listed(values, "conv_dim", number), strict=True):
            if found.setdefault(f"C_{width}", str(n)) != str(n):
                raise BadInput(
                    f"conv_dim = {written(values['conv_dim'])} is not supported: a convolution of "
                    "one position has as many channels as that before it."
                )
        return found

    return read


def masking(values: Values) -> Settings:
    """Say whether a vector stands for what is masked."""
    names = ("mask_time_prob", "mask_feature_prob")
    return {"masked": BOOLS[any(positive(values, name) for name in names)]}


def grouped(values: Values) -> Settings:
    """Refuse groups that do not divide the width.

    Raises:
        BadInput: they do not.
    """
    d, G = (size(x, values[x]) for x in ("hidden_size", "num_conv_pos_embedding_groups"))
    if d % G:
        raise BadInput(
            f"hidden_size = {d} does not divide into num_conv_pos_embedding_groups = {G} groups. "
            "Choose another number of groups."
        )
    return {}


SUMMED = Only((False,), "every layer's vectors would be kept, and summed with learned weights")


def sound_classes(
    entry: str, name: str, frames: bool = False, audio: bool = True
) -> dict[str, Built]:
    """Return what the classes of an encoder of sounds build."""
    classified: Mapping[str, Use] = {"use_weighted_layer_sum": SUMMED, "vocab_size": FREE}
    found = {
        f"{name}ForCTC": Built(entry, {"head": "letters"}),
        f"{name}Model": Built(entry, {"head": "bare"}, uses={"vocab_size": FREE}),
    }
    if audio:
        found[f"{name}ForSequenceClassification"] = Built(
            entry, {"head": "sequences"}, True,
            {**classified, "classifier_proj_size": SizeOf("d_proj")},
        )  # fmt: skip
    if frames:
        found[f"{name}ForAudioFrameClassification"] = Built(
            entry, {"head": "tokens"}, True, classified
        )
    return found


HEARING: Tensors = {
    "masked_spec_embed": ("masked",),
    **{f"feature_extractor.conv_layers.*.{theirs}": tuple(
        f"front_{i}.{ours}" for i in range(1, 14))
       for theirs, ours in (("conv.weight", "convolution.F"), ("conv.bias", "convolution.b"),
                            ("layer_norm.weight", "norm.g"), ("layer_norm.bias", "norm.b"))},
    **norms(feature_projection__layer_norm="front_norm", encoder__layer_norm="encoder_norm"),
    **maps(feature_projection__projection="projection"),
    "encoder.pos_conv_embed.conv.bias": ("positions.convolution.b",),
    "encoder.pos_conv_embed.conv.parametrizations.weight.original0": (
        "positions.convolution.weight_norm.g",),
    "encoder.pos_conv_embed.conv.parametrizations.weight.original1": (
        "positions.convolution.weight_norm.F",),
}  # fmt: skip
BLOCK: Tensors = {
    **maps(**{f"attention__{x}_proj": f"attention.{x.upper()}" for x in "qkv"},
           attention__out_proj="attention.O", feed_forward__intermediate_dense="feed_forward.1",
           feed_forward__output_dense="feed_forward.2"),
    **norms(layer_norm="norm_1", final_layer_norm="norm_2"),
}  # fmt: skip
HEARD_HEADS = maps(lm_head="head", projector="projector", classifier="classifier")


def hearing(model: str, *others: Tensors) -> Tensors:
    """Return whose weights those of an encoder of sounds are."""
    inside = {**HEARING, **under("encoder.layers.*.", "block.", BLOCK)}
    for other in others:
        inside.update(other)
    return {**under(f"{model}.", "", inside), **HEARD_HEADS}
