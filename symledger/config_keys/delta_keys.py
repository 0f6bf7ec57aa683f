"""What configurations of gated delta rules say in the same words."""

from __future__ import annotations

from collections.abc import Mapping

from symledger.arguments.specs import BOOLS, Choice, Settings, SizeOf, Use, size
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import ATTENTION, TIED, WIDTHS, layers
from symledger.config_keys.family import AtLeast, Rule, Ruled, Values
from symledger.config_keys.hybrid_keys import BLOCKS, attending, everywhere
from symledger.config_keys.mamba_hybrid_keys import SILU
from symledger.errors import BadInput

CHUNK = {"Q": "64"}
"""How long chunks are, whatever the file says (transformers 5.23, ``chunk_size``)."""
KEYS: Mapping[str, Use] = {
    **WIDTHS,
    "hidden_act": SILU,
    "tie_word_embeddings": TIED,
    "attention_bias": Choice("attention_bias", BOOLS),
    "attention_dropout": FREE,
    "layer_types": Ruled(),
    "full_attention_interval": Ruled(),
    "linear_conv_kernel_dim": AtLeast("K", least=2),
    "linear_key_head_dim": SizeOf("d_k"),
    "linear_value_head_dim": SizeOf("d_v"),
    "linear_num_key_heads": SizeOf("h_q"),
    "linear_num_value_heads": SizeOf("h_v"),
}


def kinds(values: Values) -> list[bool]:
    """Return which layers attend: those that are listed, or the last of every so many, four."""
    listed = attending(values)
    if listed is not None:
        return listed
    period = values.get("full_attention_interval")
    period = 4 if period is None else size("full_attention_interval", period)
    return [(i + 1) % period == 0 for i in range(layers(values))]


def _heads(values: Values) -> Settings:
    """Refuse heads of values that heads of keys cannot serve alike."""
    keys, served = (size(name, values[name]) for name in HEADS)
    if served % keys:
        raise BadInput(
            f"linear_num_key_heads = {keys} does not divide linear_num_value_heads = {served}: "
            "each head of keys serves as many heads of values."
        )
    return {}


HEADS = ("linear_num_key_heads", "linear_num_value_heads")
SERVED = Rule(HEADS, _heads)
"""The rule of heads of keys, each of which serves as many heads of values."""
LAYER = "model.layers.*."


def mixer(names: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weights of a mixer, whose maps go by these names."""
    found = {
        "A_log": ("A_log",), "dt_bias": ("dt_bias",), "conv1d.weight": ("convolution.F",),
        **{f"{name}.weight": ours for name, ours in names.items()},
    }  # fmt: skip
    named = {f"{LAYER}linear_attn.{name}": tuple(f"block.mixer.{x}" for x in ours)
             for name, ours in found.items()}  # fmt: skip
    return everywhere(named, (*BLOCKS, "dense_block"))


EVERY = (*BLOCKS, "dense_block", "dense_attention_block")
DECODER = everywhere(ATTENTION, EVERY)
"""What stands behind the weights of attention, norms, the table and the head."""
