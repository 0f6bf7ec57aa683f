"""ViViT and VideoMAE: ViT's keys, and how many frames a film and its blocks have."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import BOOLS, Choice, Free, Settings, SizeOf, Use, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import HEADS, head_width
from symledger.config_keys.encoder_keys import Tensors, maps, norms, under
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import UNTIED, Pair, Square
from symledger.errors import BadInput
from symledger.models.vit.config import VIT

PATCHES = "embeddings.patch_embeddings.projection"
BEFORE: Tensors = {
    f"{PATCHES}.weight": ("patches.convolution.F",), f"{PATCHES}.bias": ("patches.convolution.b",),
}  # fmt: skip


def _tubelet(values: Values) -> Settings:
    """Return how many frames and pixels blocks have: as many pixels down as across."""
    value = values["tubelet_size"]
    if not isinstance(value, list) or len(value) != 3 or value[1] != value[2]:
        raise BadInput(
            f"tubelet_size = {written(value)} is not supported: three whole numbers are, frames "
            "and twice the same side."
        )
    frames, side = (size("tubelet_size", n) for n in value[:2])
    return {"P_t": str(frames), "P": str(side)}


VIVIT = replace(
    VIT, model_type="vivit",
    builds={
        "VivitForVideoClassification": Built("vivit", {"head": "classes"}, labels=True),
        "VivitModel": Built("vivit", {"head": "pooled"}),
    },
    uses={key: use for key, use in VIT.uses.items() if key not in ("patch_size", "encoder_stride")}
    | {"num_frames": SizeOf("D"), "tubelet_size": Ruled()},
    rules=(*VIT.rules, Rule((), _tubelet)),
    tensors={name.replace("vit.", "vivit."): ours for name, ours in VIT.tensors.items()},
)  # fmt: skip


def _widths(values: Values) -> Settings:
    """Return how wide heads are, which have to divide the widths."""
    return {
        "d_h": str(head_width(values)),
        "d_hd": str(head_width(values, "decoder_hidden_size", "decoder_num_attention_heads")),
    }


LAYER = {
    **norms(layernorm_before="norm_1", layernorm_after="norm_2"),
    **maps(**{f"attention__attention__{x}": f"attention.{x[0].upper()}"
              for x in ("query", "key", "value")},
           attention__output__dense="attention.O",
           intermediate__dense="feed_forward.1", output__dense="feed_forward.2"),
}  # fmt: skip
ENCODER: dict[str, Use] = {
    "hidden_size": SizeOf("d"),
    "num_hidden_layers": SizeOf("L"),
    "num_attention_heads": SizeOf("h"),
    "intermediate_size": SizeOf("d_ff"),
    "hidden_act": Acting(),
    "image_size": Pair(("H", "W")),
    "patch_size": Square("P"),
    "num_channels": SizeOf("C_in"),
    "num_frames": SizeOf("D"),
    "tubelet_size": SizeOf("P_t"),
    "qv_bias": Choice("qv_bias", BOOLS),
    "use_mean_pooling": Choice("averaged", BOOLS),
    "norm_pix_loss": Free((bool,)),
    "initializer_range": FREE,
    **UNTIED,
}
DECODER: dict[str, Use] = {
    "decoder_hidden_size": SizeOf("d_drw"),
    "decoder_num_hidden_layers": SizeOf("L_dec"),
    "decoder_num_attention_heads": SizeOf("h_dec"),
    "decoder_intermediate_size": SizeOf("d_dec"),
}

VIDEOMAE = Family(
    "videomae",
    {
        "VideoMAEForVideoClassification": Built("videomae", {"head": "classes"}, labels=True),
        "VideoMAEModel": Built("videomae", {"head": "bare"}),
        "VideoMAEForPreTraining": Built("videomae", {"head": "drawn"}),
    },
    {**ENCODER, **DECODER},
    (Rule(("hidden_size", "num_attention_heads", "decoder_hidden_size",
           "decoder_num_attention_heads"), _widths),),
    tensors={
        **under("videomae.", "", BEFORE),
        **under("videomae.encoder.layer.*.", "block.", LAYER),
        **norms(videomae__layernorm="final_norm", fc_norm="pooled_norm"),
        "encoder_to_decoder.weight": ("narrowing.W",), "mask_token": ("m",),
        **under("decoder.decoder_layers.*.", "decoder.", LAYER),
        **norms(decoder__norm="decoder_norm"), **maps(decoder__head="pixels"),
        **HEADS,
    },
)  # fmt: skip
