"""What configurations of diffusers say of the U-Nets of Stable Diffusion 1, 2 and XL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from types import NoneType

from symledger.arguments.specs import Free, Only, SizeOf, Use, size
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.family import Ruled, Unless
from symledger.config_keys.image_keys import STAGES, Pair

DOWN = ["CrossAttnDownBlock2D"] * 3 + ["DownBlock2D"]
UP = ["UpBlock2D"] + ["CrossAttnUpBlock2D"] * 3
TEXT = "77"
"""Tokens of the text: as many as the CLIP encoder that it was made with gives, padded."""


def each_level(name: str, value: object, levels: int) -> list[int]:
    """Return a whole number for each level: as many as are said, or one for all."""
    each = value if isinstance(value, list) and len(value) == levels else [value] * levels
    return [size(name, n) for n in each]


def common_width(channels: Sequence[int], heads: Sequence[int]) -> int | None:
    """Return how wide all heads are; None where they are not the same, or no whole number."""
    found = {Fraction(C, h) for C, h in zip(channels, heads, strict=True)}
    width = found.pop()
    return None if found or width.denominator > 1 else int(width)


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
BLOCK = "transformer_blocks.*"
ATTENTION = {
    **{f"norm.{kind}": (f"norm.{g}",) for kind, g, _, _ in LETTERS},
    **{f"proj_in.{kind}": (f"enter.{F}",) for kind, _, _, F in LETTERS},
    **{f"proj_out.{kind}": (f"leave.{F}",) for kind, _, _, F in LETTERS},
    **{f"{BLOCK}.{theirs}": ours for theirs, ours in INNER.items()},
}
LEVELS = {"down_blocks.*": "down", "mid_block": "middle", "up_blocks.*": "up"}


def tensors(levels: int, inner: str = "") -> dict[str, tuple[str, ...]]:
    """Say which of our weights each parameter is; ``inner`` is where transformer blocks are."""
    attention = {theirs: tuple(f"{inner}{name}" for name in ours) if BLOCK in theirs else ours
                 for theirs, ours in ATTENTION.items()}  # fmt: skip
    parts = (("resnets", "", RESIDUAL), ("attentions", "_attention", attention))
    found = {
        f"{level}.{part}.*.{theirs}": tuple(
            f"{block}{suffix}.{name}" for name in ours for block in BLOCKS if block.startswith(way)
        )
        for level, way in LEVELS.items() for part, suffix, each in parts
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
                tuple(f"halving_{i}.{F}" for i in range(1, levels)),
            f"up_blocks.*.upsamplers.*.conv.{kind}":
                tuple(f"doubling_{i}.{F}" for i in range(2, levels + 1)),
        }  # fmt: skip
    return found

SHARED: dict[str, Use] = {
    "sample_size": Unless(Pair(("H", "W"))),
    "in_channels": SizeOf("C_in"),
    "out_channels": SizeOf("C_out"),
    "cross_attention_dim": SizeOf("d_ctx"),
    "norm_num_groups": SizeOf("G"),
    "block_out_channels": Ruled(),
    "attention_head_dim": Ruled(),
    "use_linear_projection": Free((bool,)),
    "upcast_attention": Free((bool, NoneType)),
    "mid_block_type": Only(("UNetMidBlock2DCrossAttn",)),
    "act_fn": Acting(learned=False),
    **dict.fromkeys(("mid_block_scale_factor", "resnet_out_scale_factor", "downsample_padding"),
                    Only((1,))),
    **dict.fromkeys(("conv_in_kernel", "conv_out_kernel"), Only((3,))),
    **dict.fromkeys((
        "only_cross_attention", "dual_cross_attention", "resnet_skip_time_act",
        "center_input_sample", "class_embeddings_concat",
    ), Only((False,))),
    "mid_block_only_cross_attention": Only((None, False)),
    "resnet_time_scale_shift": Only(("default",)),
    "attention_type": Only(("default",)),
    "time_embedding_type": Only(("positional",)),
    **dict.fromkeys((
        "reverse_transformer_layers_per_block", "encoder_hid_dim", "encoder_hid_dim_type",
        "num_attention_heads", "class_embed_type", "num_class_embeds", "time_embedding_dim",
        "time_embedding_act_fn", "timestep_post_act", "time_cond_proj_dim",
        "cross_attention_norm",
    ), Only((None,))),
    **dict.fromkeys(("flip_sin_to_cos", "freq_shift", "addition_embed_type_num_heads"), FREE),
}  # fmt: skip
NAME = "UNet2DConditionModel"
TOLD = ("projection_class_embeddings_input_dim", "addition_time_embed_dim")
