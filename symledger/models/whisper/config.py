"""Whisper: BART's keys, and those of sounds."""

from __future__ import annotations

from symledger.arguments.specs import Only, SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import TIED
from symledger.config_keys.encoder_decoder_keys import ALONE, HEADS, WIDTHS, layers
from symledger.config_keys.encoder_keys import Tensors, maps, under
from symledger.config_keys.family import Built, Family

SOUND_TENSORS: Tensors = {
    **layers("encoder", ""), **layers("decoder", ""),
    "decoder.embed_tokens.weight": ("token_embedding.E",),
    "decoder.embed_positions.weight": ("positions.P",),
    "encoder.embed_positions.weight": ("P",),
    **{f"encoder.conv{i}.{x}": (f"conv_{i}.{y}",)
       for i in (1, 2) for x, y in (("weight", "F"), ("bias", "b"))},
    **maps(projector="projector"),
}  # fmt: skip

HEARD = {
    **dict.fromkeys(("vocab_size", "max_target_positions", "tie_word_embeddings"), FREE),
    **dict.fromkeys((f"decoder_{x}" for x in ("layers", "attention_heads", "ffn_dim")), FREE),
    "encoder_layers": SizeOf("L"),
    "classifier_proj_size": SizeOf("d_proj"),
    "use_weighted_layer_sum": Only((False,)),
}
"""What the classifier of sounds reads otherwise: nothing of the decoder. A weighted sum of what all
layers give would keep every one of them."""

WHISPER = Family(
    "whisper",
    {
        "WhisperForConditionalGeneration": Built("whisper", {"head": "lm"}),
        "WhisperModel": Built("whisper", {"head": "bare"}),
        "WhisperForCausalLM": Built(
            "whisper", {"head": "lm", "alone": "true"}, uses={
                **ALONE, "num_mel_bins": FREE, "max_source_positions": FREE,
            },
        ),
        "WhisperForAudioClassification": Built("whisper_classifier", labels=True, uses=HEARD),
    },
    {
        **WIDTHS,
        "is_encoder_decoder": FREE,
        "num_mel_bins": SizeOf("C"),
        "max_source_positions": SizeOf("S"),
        "max_target_positions": SizeOf("T_max", ("T",)),
        "tie_word_embeddings": TIED,
        "median_filter_width": FREE,
        "use_weighted_layer_sum": FREE,
        "classifier_proj_size": FREE,
        "suppress_tokens": FREE,
        "begin_suppress_tokens": FREE,
        "apply_spec_augment": FREE,
        **dict.fromkeys(
            (f"mask_{x}_{y}" for x in ("time", "feature") for y in ("prob", "length", "min_masks")),
            FREE,
        ),
        "max_initial_timestamp_index": FREE, "alignment_heads": FREE, "lang_to_id": FREE,
    },
    tensors={**SOUND_TENSORS, **under("model.", "", SOUND_TENSORS), **HEADS},
)  # fmt: skip
"""Which sounds are masked in training, and how timestamps are found, change nothing; nor does what
is said of the classifier of sounds in the other classes."""
