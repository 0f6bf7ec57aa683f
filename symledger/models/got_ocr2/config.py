"""GOT-OCR 2 and PP-Chart2Table: an encoder and a decoder, each with a configuration of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symledger.arguments.specs import Settings, SizeOf, Use
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import DENSE
from symledger.config_keys.encoder_keys import maps
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.seeing_keys import (
    ONE_IMAGE,
    TIED,
    decoding,
    generating,
    grid,
    within,
)
from symledger.models.qwen2.config import QWEN2
from symledger.models.sam_vision.config import GOT_OCR2 as SAM
from symledger.models.sam_vision.config import tensors, wide

SEEN: Mapping[str, Use] = {
    "hidden_size": SizeOf("d_img"),
    "mlp_dim": SizeOf("f_img"),
    "num_hidden_layers": SizeOf("L_img"),
    "num_attention_heads": SizeOf("h_img"),
    "hidden_act": Acting("image_activation"),
    "image_size": Ruled(),
}


def _wide(values: Values) -> Settings:
    """Return how many blocks of the encoder see all of a page, or that all do."""
    found = wide(values)
    return {"image_windowed": found.pop("windowed"), **found}


SHRUNK = 4
"""The places down and across that two convolutions make one."""
VISION = replace(SAM, uses={**SAM.uses, **SEEN}, rules=(Rule((), _wide), *SAM.rules[1:]))
TEXT = decoding(QWEN2, absent={
    "vocab_size": 151860, "hidden_size": 1024, "intermediate_size": 2816, "num_hidden_layers": 24,
    "num_attention_heads": 16, "num_key_value_heads": 16, "max_position_embeddings": 32768,
    "use_sliding_window": False, "sliding_window": 4096, "max_window_layers": 21,
})  # fmt: skip
"""What its class makes of a configuration without the part (transformers 5.23, GotOcr2Config)."""


def _pages(values: Values) -> Settings:
    """Return how many groups of patches a page has down and across, each of which is a word."""
    return grid(values, TEXT, VISION, "g", SHRUNK)


GOT_OCR2 = Family(
    "got_ocr2",
    generating("got_ocr2", "GotOcr2"),
    {**TIED, **dict.fromkeys(("image_seq_length", "vocab_size"), FREE)},
    (Rule((), _pages),),
    {
        **within("model.language_model.", DENSE), **tensors("model.vision_tower.", "tower."),
        **{f"model.multi_modal_projector.conv_upsampler{i}.weight": (f"shrinking_{i}.F",)
           for i in (1, 2)},
        **maps(model__multi_modal_projector__multimodal_projector="projection"),
    },
    implied=ONE_IMAGE,
    parts={"text_config": TEXT, "vision_config": VISION},
)  # fmt: skip
CHART = replace(
    GOT_OCR2, model_type="pp_chart2table",
    builds={"GotOcr2ForConditionalGeneration": Built("got_ocr2", {"head": "lm"})},
    parts={"text_config": TEXT, "vision_config": replace(
        VISION, model_type="pp_chart2table_vision", like=VISION.model_type
    )},
)  # fmt: skip
