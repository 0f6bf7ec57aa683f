"""What configurations say of Mamba-2's mixers that stand beside attention."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from symledger.arguments.specs import BOOLS, Choice, Only, Settings, SizeOf, Use, size
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import TIED, WIDTHS
from symledger.config_keys.family import AtLeast, Rule, Ruled, Unless, Values
from symledger.config_keys.hybrid_keys import BLOCKS, everywhere
from symledger.config_keys.state_space_keys import Limits
from symledger.errors import BadInput

SILU = Only(
    ("silu", "swish"), "convolutions, gates and networks go through the same, and only SiLU is "
    "derived for all of them",
)  # fmt: skip
KEYS: Mapping[str, Use] = {
    **WIDTHS,
    "hidden_act": SILU,
    "tie_word_embeddings": TIED,
    "attention_dropout": FREE,
    "num_logits_to_keep": FREE,
    "mamba_n_heads": Ruled(),
    "mamba_d_head": Ruled(),
    "mamba_expand": Ruled(),
    "mamba_n_groups": SizeOf("G"),
    "mamba_d_state": SizeOf("d_s"),
    "mamba_d_conv": AtLeast("K", least=2),
    "mamba_chunk_size": SizeOf("Q"),
    "mamba_conv_bias": Choice("convolution_bias", BOOLS),
    "mamba_proj_bias": Choice("projection_bias", BOOLS),
    "time_step_limit": Unless(Limits()),
    "use_mamba_kernels": FREE,
}


def _expanded(values: Values) -> tuple[str, int]:
    found = size("mamba_expand", values["mamba_expand"]) * size("d", values["hidden_size"])
    return "mamba_expand times hidden_size", found


def heads(inner: Callable[[Values], tuple[str, int]] = _expanded) -> Rule:
    """Return the rule of a mixer's heads, which make up all of its channels.

    ``inner`` says what those are called, and how many there are.
    """

    def read(values: Values) -> Settings:
        name, channels = inner(values)
        number, width = size("mamba_n_heads", values["mamba_n_heads"]), values["mamba_d_head"]
        width = channels // number if width == "auto" else size("mamba_d_head", width)
        if number * width != channels:
            raise BadInput(
                f"mamba_n_heads = {number} times mamba_d_head = {width} is not {name} = "
                f"{channels}: no such model can be built."
            )
        groups = size("mamba_n_groups", values["mamba_n_groups"])
        if number % groups:
            raise BadInput(
                f"mamba_n_groups = {groups} does not divide mamba_n_heads = {number}: each group "
                "is read by as many heads."
            )
        return {"h_s": str(number), "d_hs": str(width)}

    return Rule(("hidden_size", "mamba_n_groups"), read)


LAYER = "model.layers.*."


def mixer(
    name: str = "mamba", kinds: tuple[str, ...] = BLOCKS, ours: str = "block.mixer"
) -> dict[str, tuple[str, ...]]:  # fmt: skip
    """Return what stands behind the weights of a mixer of that name."""
    found = {
        "A_log": "scan.A_log", "D": "scan.D", "dt_bias": "scan.dt_bias", "norm.weight": "g",
        "conv1d.weight": "convolution.F", "conv1d.bias": "convolution.b",
        **{f"{which}_proj.{theirs}": f"{which}.{weight}"
           for which in ("in", "out") for theirs, weight in (("weight", "W"), ("bias", "b"))},
    }  # fmt: skip
    named = {f"{LAYER}{name}.{theirs}": (f"{ours}.{w}",) for theirs, w in found.items()}
    return everywhere(named, kinds)


def blocks(tensors: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weights of layers, whichever kind they are of."""
    return everywhere({f"{LAYER}{name}": ours for name, ours in tensors.items()}, BLOCKS)


ATTENTION = {
    f"self_attn.{x.lower()}_proj.{theirs}": (f"block.attention.{x}.{ours}",)
    for x in "QKVO" for theirs, ours in (("weight", "W"), ("bias", "b"))
}  # fmt: skip
NETWORK = {
    f"feed_forward.{x}_proj.{theirs}": (f"block.feed_forward.{x}.{ours}",)
    for x in ("gate", "up", "down") for theirs, ours in (("weight", "W"), ("bias", "b"))
}  # fmt: skip
ENDS = {
    "model.embed_tokens.weight": ("token_embedding.E",),
    "model.norm.weight": ("final_norm.g",),
    "model.final_layernorm.weight": ("final_norm.g",),
    "lm_head.weight": ("head.W",),
}
TENSORS = {
    **ENDS, **mixer(),
    **blocks({**ATTENTION, **NETWORK, "input_layernorm.weight": ("block.norm_1.g",),
              "pre_ff_layernorm.weight": ("block.norm_2.g",)}),
}  # fmt: skip
