"""What configurations of Mamba and Mamba-2 say in the same words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symledger.arguments.specs import BOOLS, Choice, Settings, SizeOf, Use, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import TIED
from symledger.config_keys.family import Ruled, Values
from symledger.errors import BadInput

USES: Mapping[str, Use] = {
    "vocab_size": SizeOf("V"),
    "hidden_size": SizeOf("d"),
    "num_hidden_layers": SizeOf("L"),
    "state_size": SizeOf("d_s"),
    "conv_kernel": SizeOf("K"),
    "expand": Ruled(),
    "use_bias": Choice("bias", BOOLS),
    "use_conv_bias": Choice("convolution_bias", BOOLS),
    "hidden_act": Acting(learned=False),
    "tie_word_embeddings": TIED,
    "intermediate_size": FREE,
    "residual_in_fp32": FREE,
    "rescale_prenorm_residual": FREE,
    **dict.fromkeys((
        "time_step_scale", "time_step_min", "time_step_max", "time_step_floor", "time_step_limit",
    ), FREE),
    **dict.fromkeys((
        "fused_add_norm", "rms_norm", "ssm_cfg", "d_model", "n_layer", "pad_vocab_size_multiple",
    ), FREE),
}  # fmt: skip


def looking_back(values: Values) -> Settings:
    """Refuse a convolution that sees no other token.

    Raises:
        BadInput: it is one token long.
    """
    if size("conv_kernel", values["conv_kernel"]) == 1:
        raise BadInput(
            "conv_kernel = 1 is not supported: such a convolution sees no token but its own, and "
            "nothing that it gives is cut off, where the definition cuts off conv_kernel − 1 "
            "results. Give 2 or more."
        )
    return {}


def inner(values: Values) -> int:
    """Return how many channels there are: as often the width as ``expand`` says."""
    expand = values["expand"]
    if type(expand) not in (int, float) or not 0 < expand < 10**6:
        raise BadInput(f"expand = {written(expand)} is not supported: a positive number is meant.")
    found = int(expand * size("hidden_size", values["hidden_size"]))
    return size("expand * hidden_size", found)


SAVED = [{"__float__": text} for text in ("Infinity", "-Infinity")]
"""How a file that transformers writes says what JSON has no number for."""


@dataclass(frozen=True)
class Limits(Use):
    """The least and the largest of a number that is cut off there, which changes no count."""

    def settings(self, name: str, value: object) -> Settings:
        """Refuse what does not name both; nothing is set."""
        numbers = value if isinstance(value, list) else []
        if len(numbers) != 2 or not all(type(n) in (int, float) or n in SAVED for n in numbers):
            raise BadInput(
                f"{name} = {written(value)} does not fit: a list of the least and the largest step "
                "is meant, such as [0.0, Infinity]."
            )
        return {}


LENGTH = {"T": "2048"}
"""No key says how long a sequence is, and none is too long: as long as those of the training."""
LAYER = "backbone.layers.*."
TENSORS = {
    "backbone.embeddings.weight": ("token_embedding.E",),
    f"{LAYER}norm.weight": ("block.norm.g",),
    f"{LAYER}mixer.A_log": ("block.mixer.scan.A_log",),
    f"{LAYER}mixer.D": ("block.mixer.scan.D",),
    f"{LAYER}mixer.conv1d.weight": ("block.mixer.convolution.F",),
    f"{LAYER}mixer.conv1d.bias": ("block.mixer.convolution.b",),
    "backbone.norm_f.weight": ("final_norm.g",),
    "lm_head.weight": ("head.W",),
}
MAPS = {"in_proj": "in", "out_proj": "out", "x_proj": "select", "dt_proj": "step"}


def maps(*names: str) -> dict[str, tuple[str, ...]]:
    """Return our weights behind those of the maps of these names."""
    return {f"{LAYER}mixer.{name}.{theirs}": (f"block.mixer.{MAPS[name]}.{ours}",)
            for name in names for theirs, ours in (("weight", "W"), ("bias", "b"))}  # fmt: skip
