"""Keys that configurations of all families may hold, and what they do: nearly all nothing.

A key that no family knows is refused: it may stand for a variant that counts otherwise. Those
here were written by some version of the implementation, or by a tool, and change no count.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from symledger.arguments.specs import Free, Only, Remark, Settings, Use, written
from symledger.errors import BadInput

FREE = Use()
SHARE = "partial_rotary_factor"


@dataclass(frozen=True)
class Rotary(Use):
    """How positions turn heads, which changes no count where they turn all of a head.

    Classes of families that turn no parts of heads do not read the share where frequencies are the
    default ones, and have too few of them where they are others (transformers 5.23.0,
    ``compute_default_rope_parameters`` of each class, and ``modeling_rope_utils``).
    """

    def settings(self, name: str, value: object) -> Settings:
        """Refuse that a part of a head is turned, where its class would try to."""
        for said in _parts(value):
            share, kind = said[SHARE], said.get("rope_type", said.get("type", "default"))
            if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share < 1:
                raise BadInput(
                    f"{name} with {SHARE} = {written(share)} does not fit: a share of a head is "
                    "meant, above 0 and at most 1."
                )
            if kind != "default":
                raise BadInput(
                    f"{name} with {SHARE} = {written(share)} is not supported: all of a head is "
                    f"turned in this family, and frequencies of rope_type = {written(kind)} would "
                    f"be too few for that. Leave {SHARE} out."
                )
        return {}

    def note(self, value: object) -> Remark | None:
        """Say of a share that the class does not read it."""
        return Remark("turned", {"key": SHARE}) if _parts(value) else None


def _parts(value: object) -> list[dict[str, object]]:
    """Return what turns a part of a head, of all layers alike or of each kind of them."""
    if not isinstance(value, dict):
        return []
    every = (value, *(inner for inner in value.values() if isinstance(inner, dict)))
    return [said for said in every if said.get(SHARE) not in (None, 1)]


@dataclass(frozen=True)
class Stored(Use):
    """How weights are stored: bytes are those of ``--dtype``, and counts those before packing."""


KEYS: Mapping[str, Use] = {
    "add_cross_attention": Only(
        (False,), "blocks would attend to a source as well, which is not derived of this family"
    ),
    "tie_encoder_decoder": Only((False,)),
    "cross_attention_hidden_size": Only((None,)),
    "is_decoder": FREE,
    "is_encoder_decoder": FREE,
    "pruned_heads": Only(({}, None)),
    "num_labels": Free((int,)),
    "rope_parameters": Rotary(),
    "rope_scaling": Rotary(),
    **dict.fromkeys((
        "_name_or_path", "name_or_path", "transformers_version",
        "auto_map", "custom_pipelines", "architectures", "model_type", "use_cache",
        "id2label", "label2id", "problem_type", "return_dict",
        "return_dict_in_generate",
        "output_hidden_states", "output_attentions", "output_scores", "torchscript",
        "tf_legacy_loss", "finetuning_task", "task_specific_params", "prefix",
        "tokenizer_class", "processor_class", "language", "license", "model_name",
        "model_max_length", "transformers.js_config",
        "chunk_size_feed_forward", "gradient_checkpointing",
        "max_length", "min_length", "do_sample", "early_stopping", "num_beams", "num_beam_groups",
        "diversity_penalty", "temperature", "top_k", "top_p", "typical_p", "repetition_penalty",
        "length_penalty", "no_repeat_ngram_size", "encoder_no_repeat_ngram_size", "bad_words_ids",
        "num_return_sequences", "remove_invalid_values", "exponential_decay_length_penalty",
        "suppress_tokens", "begin_suppress_tokens", "forced_decoder_ids",
        "forced_bos_token_id", "forced_eos_token_id", "attn_implementation", "use_flash_attn",
        "use_return_dict", "n_ctx", "predict_special_tokens", "summary_type", "summary_use_proj",
        "summary_activation", "summary_proj_to_labels", "summary_first_dropout",
    ), FREE),
    **dict.fromkeys(("dtype", "torch_dtype", "use_bfloat16", "quantization_config"), Stored()),
}  # fmt: skip
"""The summary of GPT-2 belongs to a class that is refused."""

HARMLESS = re.compile(
    r"^_|(_token_id|_token_ids|_token_index|dropout|droppath|drop_path|dropout_prob|dropout_rate|_pdrop|_eps|_epsilon"
    r"|_init|init_std|initializer_range|initializer_factor|_loss_coef|_loss_weight|_version"
    r"|rope_theta|layerdrop|rope_type|rope_interleave)$|^(unsloth|rope|rotary_emb)_",
)
"""Names of keys that change no count in any family: special tokens, chances, small numbers that
are added before a division, how weights begin, and how positions turn (not how many)."""


def known(name: str) -> Use | None:
    """Return the use of a key that all families share; None where there is none."""
    if name in KEYS:
        return KEYS[name]
    return FREE if HARMLESS.search(name) else None
