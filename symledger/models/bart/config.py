"""BART, mBART, and PLBART and MVP in BART's words."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import Only, SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.encoder_decoder_keys import HEADS, TABLES, TENSORS, WIDTHS, alone
from symledger.config_keys.encoder_keys import under
from symledger.config_keys.family import Built, Family


def _bart(model_type: str, entry: str, name: str, post: bool) -> Family:
    return Family(
        model_type,
        {
            f"{name}ForConditionalGeneration": Built(entry, {"head": "lm"}),
            f"{name}Model": Built(entry, {"head": "bare"}),
            f"{name}ForSequenceClassification": Built(entry, {"head": "sequences"}, labels=True),
            f"{name}ForQuestionAnswering": Built(entry, {"head": "tokens", "Y": "2"}),
            f"{name}ForCausalLM": alone(entry),
        },
        {
            **WIDTHS,
            "max_position_embeddings": SizeOf("T_max", ("T", "S")),
            "tie_word_embeddings": TABLES,
            "normalize_before": Only((not post,)),
            "add_final_layer_norm": Only((not post,)),
            "normalize_embedding": Only((True,)),
            "static_position_embeddings": Only((False,)),
            "add_bias_logits": Only((False,)),
            "extra_pos_embeddings": Only((2,)),
            "save_step": FREE,
            "force_bos_token_to_be_generated": FREE,
        },
        tensors={**TENSORS, **under("model.", "", TENSORS), **HEADS},
        classes=3 if post else 2,
    )


BART = _bart("bart", "bart", "Bart", post=True)
MBART = _bart("mbart", "mbart", "MBart", post=False)
PLBART = _bart("plbart", "bart", "PLBart", post=True)
PLBART = replace(PLBART, classes=2, builds={
    name: built for name, built in PLBART.builds.items() if "Question" not in name
})  # fmt: skip
MVP = _bart("mvp", "bart", "Mvp", post=True)
MVP = replace(MVP, classes=2, uses={
    **MVP.uses,
    "use_prompt": Only((False,), "attention would have prompts, and networks that make them"),
    "prompt_length": FREE, "prompt_mid_dim": FREE,
})  # fmt: skip
