"""Mamba and Mamba-2."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symledger.catalogue.argument_specs import (
    BOOLS,
    Choice,
    Free,
    Only,
    Settings,
    SizeOf,
    Use,
    size,
    written,
)
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import TIED
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
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
    "hidden_act": Only(("silu", "swish")),
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


def widths(values: Values) -> Settings:
    """The channels of a mixer, and the rank of its step sizes, which is d/16 unless it is said."""
    d, rank = size("hidden_size", values["hidden_size"]), values["time_step_rank"]
    rank = -(-d // 16) if rank == "auto" else size("time_step_rank", rank)
    named = "intermediate_size" in values
    d_i = size("intermediate_size", values["intermediate_size"]) if named else inner(values)
    return {"d_i": str(d_i), "d_r": str(rank)}


def inner(values: Values) -> int:
    """Return how many channels there are: as often the width as ``expand`` says."""
    expand = values["expand"]
    if type(expand) not in (int, float) or not 0 < expand < 10**6:
        raise BadInput(f"expand = {written(expand)} is not supported: a positive number is meant.")
    found = int(expand * size("hidden_size", values["hidden_size"]))
    return size("expand * hidden_size", found)


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


MAMBA = Family(
    "mamba",
    {"MambaForCausalLM": Built("mamba", {"head": "lm"}),
     "MambaModel": Built("mamba", {"head": "bare"})},
    {
        **USES,
        "time_step_rank": Ruled(),
        "intermediate_size": Ruled(),
        "time_step_init_scheme": Only(("random", "constant")),
        "use_mambapy": Only((False,)),
        "use_associative_scan": Free((bool,)),
    },
    (Rule(("hidden_size", "expand", "time_step_rank"), widths),),
    {**TENSORS, **maps("in_proj", "out_proj", "x_proj", "dt_proj")},
    LENGTH,
)  # fmt: skip
FALCON_MAMBA = replace(
    MAMBA,
    model_type="falcon_mamba",
    builds={"FalconMambaForCausalLM": Built("mamba", {"head": "lm", "normed": "true"}),
            "FalconMambaModel": Built("mamba", {"head": "bare", "normed": "true"})},
    uses={**MAMBA.uses, "use_falcon_mambapy": Only((False,))},
)  # fmt: skip


def heads(values: Values) -> Settings:
    """Refuse what cannot be built: heads that are not as wide together as the channels."""
    h, d_h = (size(name, values[name]) for name in ("num_heads", "head_dim"))
    if inner(values) != h * d_h:
        raise BadInput(
            f"num_heads = {h} times head_dim = {d_h} is not expand times hidden_size = "
            f"{inner(values)}: no such model can be built."
        )
    return {}


MAMBA2 = Family(
    "mamba2",
    {"Mamba2ForCausalLM": Built("mamba2", {"head": "lm"}),
     "Mamba2Model": Built("mamba2", {"head": "bare"})},
    {
        **USES,
        "num_heads": SizeOf("h"),
        "head_dim": SizeOf("d_h"),
        "n_groups": SizeOf("G"),
        "chunk_size": SizeOf("Q"),
        "time_step_rank": FREE,
        "norm_before_gate": Only((False,)),
        "rmsnorm": Only((True,)),
    },
    (Rule(("hidden_size", "expand", "num_heads", "head_dim"), heads),),
    {
        **TENSORS, **maps("in_proj", "out_proj"),
        f"{LAYER}mixer.dt_bias": ("block.mixer.scan.dt_bias",),
        f"{LAYER}mixer.norm.weight": ("block.mixer.g",),
    },
    LENGTH,
)  # fmt: skip
