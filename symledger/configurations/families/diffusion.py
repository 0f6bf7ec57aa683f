"""The U-Net of Stable Diffusion 1, as the library diffusers writes its configuration."""

from __future__ import annotations

from collections.abc import Iterator

from symledger.arguments import Choice, Only, Settings, Size, Use, size, written
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

    Where two of them were equal, blocks would have no convolution beside them.
    """
    name = "block_out_channels"
    found = staged(name, values[name])
    first, second, third, last = found
    if third != last or len({first, second, third}) < 3:
        raise BadInput(
            f"{name} = {written(found)} is not supported: three different widths are, of which the "
            "last two levels have the same."
        )
    return {"C_1": str(first), "C_2": str(second), "C_3": str(third)}


def heads(values: Values) -> Settings:
    """Say how many heads there are: ``attention_head_dim``, which is their number, not a width.

    The library keeps the name for the sake of configurations that were published with it.
    """
    name = "attention_head_dim"
    value = values[name]
    each = value if isinstance(value, list) and len(value) == STAGES else [value]
    numbers = {size(name, n) for n in each}
    if len(numbers) > 1:
        raise BadInput(f"{name} = {written(value)} is not supported: the same number of heads at "
                       "all levels is.")  # fmt: skip
    return {"h": str(numbers.pop())}


def everywhere(ours: str) -> tuple[str, ...]:
    """Return a weight of the transformers after all blocks."""
    return tuple(f"{block}_attention.{ours}" for block in BLOCKS)


def blocks() -> Iterator[str]:
    """Yield the names of all blocks, as many as there may be."""
    yield from ("middle_1", "middle_2")
    for i in range(1, STAGES + 1):
        yield from (f"down_{i}_{j}" for j in range(1, 4))
        yield from (f"up_{i}_{j}" for j in range(1, 5))


BLOCKS = tuple(blocks())
RESIDUAL = {
    "norm1.weight": "norm_1.g", "norm1.bias": "norm_1.b",
    "conv1.weight": "conv_1.F", "conv1.bias": "conv_1.b",
    "time_emb_proj.weight": "step.W", "time_emb_proj.bias": "step.b",
    "norm2.weight": "norm_2.g", "norm2.bias": "norm_2.b",
    "conv2.weight": "conv_2.F", "conv2.bias": "conv_2.b",
    "conv_shortcut.weight": "shortcut.F", "conv_shortcut.bias": "shortcut.b",
}  # fmt: skip
INNER = {
    **{f"norm{i}.{kind}": (f"norm_{i}.{letter}",)
       for i in (1, 2, 3) for kind, letter in (("weight", "g"), ("bias", "b"))},
    **{f"attn{i}.to_{q}.weight": (f"{ours}.{q.upper()}.W",)
       for i, ours in ((1, "attention"), (2, "cross_attention")) for q in "qkv"},
    **{f"attn{i}.to_out.*.{kind}": (f"{ours}.O.{letter}",)
       for i, ours in ((1, "attention"), (2, "cross_attention"))
       for kind, letter in (("weight", "W"), ("bias", "b"))},
    **{f"ff.net.*.proj.{kind}": (f"feed_forward.gate.{letter}", f"feed_forward.up.{letter}")
       for kind, letter in (("weight", "W"), ("bias", "b"))},
    "ff.net.*.weight": ("feed_forward.down.W",),
    "ff.net.*.bias": ("feed_forward.down.b",),
}  # fmt: skip
ATTENTION = {
    "norm.weight": ("norm.g",), "norm.bias": ("norm.b",),
    "proj_in.weight": ("enter.F",), "proj_in.bias": ("enter.b",),
    "proj_out.weight": ("leave.F",), "proj_out.bias": ("leave.b",),
    **{f"transformer_blocks.*.{theirs}": ours for theirs, ours in INNER.items()},
}  # fmt: skip
LEVELS = ("down_blocks.*", "mid_block", "up_blocks.*")


def tensors() -> dict[str, tuple[str, ...]]:
    """Say which of our weights each parameter is."""
    found = {
        f"{level}.resnets.*.{theirs}": tuple(f"{block}.{ours}" for block in BLOCKS
                                             if block.startswith(level[:2]))
        for level in LEVELS for theirs, ours in RESIDUAL.items()
    }  # fmt: skip
    for level in LEVELS:
        for theirs, partners in ATTENTION.items():
            ours = (name for partner in partners for name in everywhere(partner))
            found[f"{level}.attentions.*.{theirs}"] = tuple(
                name for name in ours if name.startswith(level[:2])
            )
    for kind, F, W, g in (("weight", "F", "W", "g"), ("bias", "b", "b", "b")):
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


NONE: Use = Only((None,))
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
            "only_cross_attention", "dual_cross_attention", "use_linear_projection",
            "upcast_attention", "resnet_skip_time_act", "center_input_sample",
            "class_embeddings_concat",
        ), Only((False,))),
        "mid_block_only_cross_attention": Only((None, False)),
        "resnet_time_scale_shift": Only(("default",)),
        "attention_type": Only(("default",)),
        "time_embedding_type": Only(("positional",)),
        **dict.fromkeys((
            "reverse_transformer_layers_per_block", "encoder_hid_dim", "encoder_hid_dim_type",
            "num_attention_heads", "class_embed_type", "addition_embed_type", "num_class_embeds",
            "time_embedding_dim", "time_embedding_act_fn", "timestep_post_act",
            "time_cond_proj_dim", "cross_attention_norm",
        ), NONE),
        **dict.fromkeys(("flip_sin_to_cos", "freq_shift", "projection_class_embeddings_input_dim",
                         "addition_embed_type_num_heads", "addition_time_embed_dim"), FREE),
    },
    (Rule((), widths), Rule((), heads)),
    tensors=tensors(),
    implied={"S": TEXT},
    library="diffusers",
)  # fmt: skip
