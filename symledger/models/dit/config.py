"""DiT, as the library diffusers writes its configuration, under its class's older name too."""

from __future__ import annotations

from fractions import Fraction
from types import NoneType

from symledger.arguments.specs import Choice, Free, Only, Settings, SizeOf, Use, size, written
from symledger.config_keys.common import FREE
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import Pair
from symledger.errors import BadInput

STEPS = "256"
"""Sines and cosines that a step is written in: it is no key, but a number in the library."""


def widths(values: Values) -> Settings:
    """Say the width, which is that of all heads, and that of the networks, four times as much."""
    h = size("num_attention_heads", values["num_attention_heads"])
    d = h * size("attention_head_dim", values["attention_head_dim"])
    if d % 4:
        raise BadInput(
            f"num_attention_heads · attention_head_dim = {d} does not divide into the sines and "
            "the cosines of rows and of columns: choose a width divisible by 4."
        )
    return {"d": str(d), "h": str(h), "d_ff": str(4 * d)}


def channels(values: Values) -> Settings:
    """Say whether each channel comes out once, or twice: noise and variance."""
    entering, leaving = values["in_channels"], values["out_channels"]
    if leaving is None:
        return {"variance": "false"}
    times = Fraction(size("out_channels", leaving), size("in_channels", entering))
    if times in (1, 2):
        return {"variance": str(times == 2).lower()}
    raise BadInput(
        f"out_channels = {written(leaving)} is not supported: as many as in_channels = "
        f"{written(entering)} are, or twice as many."
    )


def patches(values: Values) -> Settings:
    """Refuse an image that does not divide into patches, whose last rows are thrown away."""
    side, patch = (size(name, values[name]) for name in ("sample_size", "patch_size"))
    if side % patch:
        raise BadInput(
            f"sample_size = {side} does not divide into patches of patch_size = {patch}: such an "
            "image comes out smaller than it was."
        )
    return {}


MADE = {"linear_1": "1", "linear_2": "2"}
INNER = {
    "attn1.to_q": "attention.Q", "attn1.to_k": "attention.K", "attn1.to_v": "attention.V",
    "attn1.to_out.*": "attention.O", "norm1.linear": "modulation.map",
    "ff.net.*.proj": "feed_forward.1", "ff.net.*": "feed_forward.2",
}  # fmt: skip
OUTER = {"proj_out_1": "modulation.map", "proj_out_2": "head"}


def tensors() -> dict[str, tuple[str, ...]]:
    """Say which of our weights each parameter is: the first block stands apart here."""
    block, told = "transformer_blocks.*", "transformer_blocks.*.norm1.emb"
    found: dict[str, tuple[str, ...]] = {}
    found[f"{told}.class_embedder.embedding_table.weight"] = ("condition.E", "block.class.E")
    for kind, W in (("weight", "W"), ("bias", "b")):
        found[f"pos_embed.proj.{kind}"] = (f"patches.convolution.{'F' if W == 'W' else W}",)
        found |= {f"{name}.{kind}": (f"{ours}.{W}",) for name, ours in OUTER.items()}
        for name, ours in INNER.items():
            weight = f"{ours}.{W}"
            found[f"{block}.{name}.{kind}"] = (f"first_block.{weight}", f"block.block.{weight}")
        for name, ours in MADE.items():
            found[f"{told}.timestep_embedder.{name}.{kind}"] = (
                f"condition.{W}_{ours}", f"block.step.{ours}.{W}",
            )  # fmt: skip
    return found


ACTIVATIONS: dict[object, str] = {
    "gelu-approximate": "gelu_tanh", "gelu": "gelu", "linear-silu": "silu",
}  # fmt: skip
"""Those of diffusers that add no gate (diffusers 0.42, ``FeedForward``)."""
USES: dict[str, Use] = {
    "num_attention_heads": Ruled(),
    "attention_head_dim": Ruled(),
    "in_channels": SizeOf("C_in"),
    "out_channels": Ruled(),
    "num_layers": SizeOf("L"),
    "sample_size": Pair(("H", "W")),
    "patch_size": SizeOf("P"),
    "num_embeds_ada_norm": SizeOf("Y"),
    "attention_bias": Only((True,)),
    "activation_fn": Choice("activation", ACTIVATIONS),
    "norm_type": Only(("ada_norm_zero",)),
    "norm_elementwise_affine": Only((False,)),
    "norm_num_groups": FREE,
    "upcast_attention": Free((bool, NoneType)),
}
RULES = (Rule((), widths), Rule(("in_channels",), channels), Rule(("patch_size",), patches))
CLASS = "DiTTransformer2DModel"
BUILT = Built("dit", {"free": "true", "apart": "true"})
DIT = Family(
    CLASS, {CLASS: BUILT}, USES, RULES, tensors=tensors(), implied={"d_f": STEPS},
    library="diffusers",
)  # fmt: skip
OLDER = Family(
    "Transformer2DModel",
    {"Transformer2DModel": BUILT},
    {
        **USES,
        **dict.fromkeys(("cross_attention_dim", "num_vector_embeds", "caption_channels",
                         "use_additional_conditions"), Only((None,))),
        **dict.fromkeys(("use_linear_projection", "only_cross_attention",
                         "double_self_attention"), Only((False,))),
        "attention_type": Only(("default",)),
        "interpolation_scale": FREE,
    },
    RULES, tensors=tensors(), implied={"d_f": STEPS}, like=CLASS, library="diffusers",
    needs=("norm_type",),
)  # fmt: skip
"""The library builds the newer class where its norms are these, with that one's defaults."""
