"""BART, mBART, and PLBART and MVP in BART's words."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import Only, SizeOf
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import TIED
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


def _blenderbot(model_type: str, name: str, post: bool) -> Family:
    plain = _bart(model_type, model_type.replace("-", "_"), name, post)
    heads = ("ForConditionalGeneration", "Model", "ForCausalLM")
    return replace(plain, builds={f"{name}{head}": plain.builds[f"{name}{head}"] for head in heads})


BLENDERBOT = _blenderbot("blenderbot", "Blenderbot", post=False)
BLENDERBOT_SMALL = _blenderbot("blenderbot-small", "BlenderbotSmall", post=True)

LEARNED = Only((True,), "positions would be sinusoids")
TROCR = replace(
    BART,
    model_type="trocr",
    builds={"TrOCRForCausalLM": Built("bart", {"head": "lm", "alone": "true"})},
    uses={
        "vocab_size": SizeOf("V"),
        "d_model": SizeOf("d"),
        "decoder_layers": SizeOf("L_dec"),
        "decoder_attention_heads": SizeOf("h_dec"),
        "decoder_ffn_dim": SizeOf("d_dec"),
        "activation_function": WIDTHS["activation_function"],
        "max_position_embeddings": SizeOf("T_max", ("T",)),
        "use_learned_position_embeddings": LEARNED,
        "layernorm_embedding": Only((True,), "no norm would stand at the entrance"),
        "tie_word_embeddings": TIED,
        **dict.fromkeys(("scale_embedding", "decoder_layerdrop", "dropout", "init_std"), FREE),
    },
    tensors={**BART.tensors, "output_projection.weight": ("head.W",)},
)
"""The decoder of TrOCR alone, which is given what another model made of a picture."""
