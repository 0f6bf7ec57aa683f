"""LASR: Parakeet's keys, where its class reads them."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import Only, SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import FLOORED
from symledger.config_keys.encoder_keys import Tensors, maps, norms, under
from symledger.config_keys.family import Built, Family
from symledger.config_keys.image_keys import UNTIED
from symledger.models.conformer.config import CONFORMED, PARAKEET_ENCODER

SHARES = ("feed_forward_residual_weights", "conv_residual_weights", "batch_norm_momentum")
TENSORS: Tensors = {
    **maps(subsampler__dense_0="in", subsampler__dense_1="out"),
    **{f"subsampler.conv_{i}.{theirs}": (f"shorten_{i + 1}.{ours}",)
       for i in (0, 1) for theirs, ours in (("weight", "F"), ("bias", "b"))},
    **under("layers.*.", "block.", CONFORMED), **norms(out_norm="norm"),
}  # fmt: skip
FRAMES = {"T_f": "1000"}
"""No key says how long a spectrum is: a thousand frames."""
KEYS = {key: use for key, use in PARAKEET_ENCODER.uses.items()
        if key not in ("subsampling_factor", "scale_input")}  # fmt: skip
LASR_ENCODER = Family(
    "lasr_encoder",
    {"LasrEncoder": Built("lasr", {"head": "bare"})},
    {
        **KEYS,
        "num_mel_bins": SizeOf("C"),
        "conv_kernel_size": SizeOf("K"),
        "subsampling_conv_kernel_size": Only((5,)),
        **dict.fromkeys(SHARES, FREE),
    },
    (FLOORED,), TENSORS, FRAMES,
)  # fmt: skip
LASR_CTC = Family(
    "lasr_ctc",
    {"LasrForCTC": Built("lasr", {"head": "letters"})},
    {"vocab_size": SizeOf("V"), "ctc_loss_reduction": FREE, "ctc_zero_infinity": FREE, **UNTIED},
    (), {**under("encoder.", "", TENSORS), **maps(ctc_head="head")}, FRAMES,
    parts={"encoder_config": replace(LASR_ENCODER, implied={})},
)  # fmt: skip
