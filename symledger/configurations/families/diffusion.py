"""The U-Nets of Stable Diffusion 1 and 2, as the library diffusers writes its configuration."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from types import NoneType

from symledger.arguments import Choice, Free, Only, Settings, Size, size, written
from symledger.configurations.common import FREE
from symledger.configurations.families.images import STAGES, Pair, staged
from symledger.configurations.family import Built, Family, Rule, Ruled, Unless, Values
from symledger.errors import BadInput

DOWN = ["CrossAttnDownBlock2D"] * 3 + ["DownBlock2D"]
UP = ["UpBlock2D"] + ["CrossAttnUpBlock2D"] * 3
TEXT = "77"
"""Tokens of the text: as many as the CLIP encoder that it was made with gives, padded."""


def widths(values: Values) -> Settings:
    """Say the channels of the levels: three widths, for the last two levels have the same.

    Where those of neighbours were equal, a block would have no convolution beside it.
    """
    name = "block_out_channels"
    found = staged(name, values[name])
    first, second, third, last = found
    if third != last or second in (first, third):
        raise BadInput(
            f"{name} = {written(found)} is not supported: levels that are as wide as the one "
            "before are not, but for the last one, which has to be."
        )
    return {"C_1": str(first), "C_2": str(second), "C_3": str(third)}


def heads(values: Values) -> Settings:
    """Say how many heads there are: ``attention_head_dim``, which is their number, not a width.

    The library keeps the name for the sake of configurations that were published with it. All
    levels have as many, or as many as make them all as wide.
    """
    name = "attention_head_dim"
    value = values[name]
    each = value if isinstance(value, list) and len(value) == STAGES else [value] * STAGES
    numbers = [size(name, n) for n in each]
    if len(set(numbers)) == 1:
        return {"h": str(numbers[0])}
    found = {Fraction(C, h) for C, h in zip(values["block_out_channels"], numbers, strict=True)}
    if len(found) > 1 or found != {int(width) for width in found}:
        raise BadInput(f"{name} = {written(value)} is not supported: the same number of heads at "
                       "all levels is, or heads of the same width.")  # fmt: skip
    return {"fixed": "width", "d_h": str(found.pop())}


def blocks() -> Iterator[str]:
    """Yield the names of all blocks, as many as there may be."""
    yield from ("middle_1", "middle_2")
    for i in range(1, STAGES + 1):
        yield from (f"down_{i}_{j}" for j in range(1, 4))
        yield from (f"up_{i}_{j}" for j in range(1, 5))


BLOCKS = tuple(blocks())
LETTERS = (("weight", "g", "W", "F"), ("bias", "b", "b", "b"))
"""What the two weights of a norm, of an affine map and of a convolution are called here."""
RESIDUAL = {
    **{f"norm{i}.{kind}": (f"norm_{i}.{g}",) for i in (1, 2) for kind, g, _, _ in LETTERS},
    **{f"conv{i}.{kind}": (f"conv_{i}.{F}",) for i in (1, 2) for kind, _, _, F in LETTERS},
    **{f"time_emb_proj.{kind}": (f"step.{W}",) for kind, _, W, _ in LETTERS},
    **{f"conv_shortcut.{kind}": (f"shortcut.{F}",) for kind, _, _, F in LETTERS},
}
READ = ((1, "attention"), (2, "cross_attention"))
INNER = {
    **{f"norm{i}.{kind}": (f"norm_{i}.{g}",) for i in (1, 2, 3) for kind, g, _, _ in LETTERS},
    **{f"attn{i}.to_{q}.weight": (f"{ours}.{q.upper()}.W",) for i, ours in READ for q in "qkv"},
    **{f"attn{i}.to_out.*.{kind}": (f"{ours}.O.{W}",)
       for i, ours in READ for kind, _, W, _ in LETTERS},
    **{f"ff.net.*.proj.{kind}": (f"feed_forward.gate.{W}", f"feed_forward.up.{W}")
       for kind, _, W, _ in LETTERS},
    **{f"ff.net.*.{kind}": (f"feed_forward.down.{W}",) for kind, _, W, _ in LETTERS},
}  # fmt: skip
ATTENTION = {
    **{f"norm.{kind}": (f"norm.{g}",) for kind, g, _, _ in LETTERS},
    **{f"proj_in.{kind}": (f"enter.{F}",) for kind, _, _, F in LETTERS},
    **{f"proj_out.{kind}": (f"leave.{F}",) for kind, _, _, F in LETTERS},
    **{f"transformer_blocks.*.{theirs}": ours for theirs, ours in INNER.items()},
}
LEVELS = {"down_blocks.*": "down", "mid_block": "middle", "up_blocks.*": "up"}
PARTS = (("resnets", "", RESIDUAL), ("attentions", "_attention", ATTENTION))


def tensors() -> dict[str, tuple[str, ...]]:
    """Say which of our weights each parameter is."""
    found = {
        f"{level}.{part}.*.{theirs}": tuple(
            f"{block}{suffix}.{name}" for name in ours for block in BLOCKS if block.startswith(way)
        )
        for level, way in LEVELS.items() for part, suffix, each in PARTS
        for theirs, ours in each.items()
    }  # fmt: skip
    for kind, g, W, F in LETTERS:
        found |= {
            f"conv_in.{kind}": (f"enter.{F}",),
            f"conv_out.{kind}": (f"leave.{F}",),
            f"conv_norm_out.{kind}": (f"last_norm.{g}",),
            f"time_embedding.linear_1.{kind}": (f"step.1.{W}",),
            f"time_embedding.linear_2.{kind}": (f"step.2.{W}",),
            f"down_blocks.*.downsamplers.*.conv.{kind}":
                tuple(f"halving_{i}.{F}" for i in (1, 2, 3)),
            f"up_blocks.*.upsamplers.*.conv.{kind}":
                tuple(f"doubling_{i}.{F}" for i in (2, 3, 4)),
        }  # fmt: skip
    return found


DIFFUSION_UNET = Family(
    "UNet2DConditionModel",
    {"UNet2DConditionModel": Built("diffusion_unet")},
    {
        "sample_size": Unless(Pair(("H", "W"))),
        "in_channels": Size("C_in"),
        "out_channels": Size("C_out"),
        "cross_attention_dim": Size("d_ctx"),
        "norm_num_groups": Size("G"),
        "layers_per_block": Choice("blocks", {1: "1", 2: "2", 3: "3"}),
        "block_out_channels": Ruled(),
        "attention_head_dim": Ruled(),
        "down_block_types": Only((DOWN,)),
        "mid_block_type": Only(("UNetMidBlock2DCrossAttn",)),
        "up_block_types": Only((UP,)),
        "act_fn": Only(("silu", "swish")),
        **dict.fromkeys(("transformer_layers_per_block", "mid_block_scale_factor",
                         "resnet_out_scale_factor", "downsample_padding"), Only((1,))),
        **dict.fromkeys(("conv_in_kernel", "conv_out_kernel"), Only((3,))),
        **dict.fromkeys((
            "only_cross_attention", "dual_cross_attention", "resnet_skip_time_act",
            "center_input_sample", "class_embeddings_concat",
        ), Only((False,))),
        "use_linear_projection": Free((bool,)),
        "upcast_attention": Free((bool, NoneType)),
        "mid_block_only_cross_attention": Only((None, False)),
        "resnet_time_scale_shift": Only(("default",)),
        "attention_type": Only(("default",)),
        "time_embedding_type": Only(("positional",)),
        **dict.fromkeys((
            "reverse_transformer_layers_per_block", "encoder_hid_dim", "encoder_hid_dim_type",
            "num_attention_heads", "class_embed_type", "addition_embed_type", "num_class_embeds",
            "time_embedding_dim", "time_embedding_act_fn", "timestep_post_act",
            "time_cond_proj_dim", "cross_attention_norm",
        ), Only((None,))),
        **dict.fromkeys(("flip_sin_to_cos", "freq_shift", "projection_class_embeddings_input_dim",
                         "addition_embed_type_num_heads", "addition_time_embed_dim"), FREE),
    },
    (Rule((), widths), Rule((), heads)),
    tensors=tensors(),
    implied={"S": TEXT},
    library="diffusers",
)  # fmt: skip
