"""T5 and mT5, whose files do not always say whether the head has weights of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod

from symledger.arguments.specs import BOOLS, Only, Remark, Settings, SizeOf, Use, among, size
from symledger.config_keys.activations import chosen
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import TIED
from symledger.config_keys.encoder_decoder_keys import HEADS
from symledger.config_keys.encoder_keys import Tensors, under
from symledger.config_keys.family import (
    AtLeast,
    Built,
    Family,
    Rule,
    Ruled,
    Several,
    Unless,
    Values,
)
from symledger.errors import BadInput, shown


def _activation(values: Values) -> Settings:
    """The nonlinearity of the feed-forward networks, and whether they are gated.

    What a file says of either by itself is believed over what feed_forward_proj says.
    """
    name = values["feed_forward_proj"]
    kind = name.removeprefix("gated-") if isinstance(name, str) else name
    if isinstance(kind, str) and ("-" in kind or kind == "gated"):
        raise BadInput(
            f"feed_forward_proj = {shown(name)} does not fit: an activation or gated- and an "
            "activation is meant, such as relu or gated-gelu."
        )
    gated = BOOLS[among("is_gated_act", values.get("is_gated_act", name != kind), tuple(BOOLS))]
    if "dense_act_fn" in values:
        return {"activation": chosen("dense_act_fn", values["dense_act_fn"]), "gated": gated}
    gelu = name == "gated-gelu"  # as the class reads it
    return {"activation": "gelu_new" if gelu else chosen("feed_forward_proj", kind), "gated": gated}


def _two_heads(values: Values) -> Remark:
    """Say what a file of which the head is tied may mean, too.

    transformers 5 builds every head of a T5 tied, and writes so. Beside what was published with a
    head of its own (T5 1.1, FLAN, mT5) lie the weights of both, and both are loaded.
    """
    return Remark("head_was_untied", {"more": _table(values)})


def _table(values: Values) -> int:
    """Return how many weights a head of its own has."""
    return prod(size(name, values[name]) for name in ("vocab_size", "d_model"))


def _saved(values: Values) -> Remark | None:
    """Remark on a T5 that does not scale what the head is given: version 1.1, and FLAN."""
    scaled = values.get("scale_decoder_outputs") is not False
    return None if scaled or values.get("tie_word_embeddings") is False else _two_heads(values)


def _untied(values: Values) -> Remark | None:
    """Remark on a T5 with a head of its own: from its file alone transformers 5 builds no such."""
    own = values["tie_word_embeddings"] is False
    return Remark("head_is_built_tied", {"fewer": _table(values)}) if own else None


def _multilingual(values: Values) -> Remark | None:
    """Remark on an mT5: none was published tied."""
    return _two_heads(values) if values["tie_word_embeddings"] is True else _untied(values)


def _t5_layer(stack: str) -> Tensors:
    attention = {x: x.upper() for x in "qkvo"}
    at = f"{stack}.block.*.layer.*."
    return {
        **{f"{at}{theirs}.{x}.weight": (f"{stack}.{ours}.{y}.W",)
           for theirs, ours in {"SelfAttention": "attention",
                                "EncDecAttention": "cross_attention"}.items()
           for x, y in attention.items()},
        f"{at}SelfAttention.relative_attention_bias.weight": (f"R_{stack[:3]}",),
        f"{at}layer_norm.weight": tuple(f"{stack}.norm_{i}.g" for i in (1, 2, 3)),
        f"{at}DenseReluDense.wi.weight": (f"{stack}.feed_forward.1.W",),
        f"{at}DenseReluDense.wi_0.weight": (f"{stack}.feed_forward.gate.W",),
        f"{at}DenseReluDense.wi_1.weight": (f"{stack}.feed_forward.up.W",),
        f"{at}DenseReluDense.wo.weight": tuple(
            f"{stack}.feed_forward.{x}.W" for x in ("2", "down")
        ),
        f"{stack}.final_layer_norm.weight": (f"{stack}_norm.g",),
    }  # fmt: skip


T5_TENSORS: Tensors = {
    "shared.weight": ("source_embedding.E", "token_embedding.E"),
    **_t5_layer("encoder"), **_t5_layer("decoder"),
}  # fmt: skip

BOTH: Mapping[str, Use] = {"is_encoder_decoder": Only(
    (True,), "keys and values of the source and of what was written would be kept as one"
)}  # fmt: skip
"""What a T5 with a decoder has to say. One that is its encoder says false."""

ALONE: Mapping[str, Use] = {"is_decoder": Only(
    (False,), "its blocks would hold an attention to a source that is never given; leave it out, "
    "or ask for all of T5, whose decoder has one (T5ForConditionalGeneration)"
)}  # fmt: skip
"""What an encoder alone has to say; a decoder beside an encoder is one whatever is said."""

WRITES = Built("t5", {"head": "lm"}, uses=BOTH, remarks={
    "scale_decoder_outputs": _saved, "tie_word_embeddings": _untied,
})  # fmt: skip

T5 = Family(
    "t5",
    {
        "T5ForConditionalGeneration": WRITES,
        "T5Model": Built("t5", {"head": "bare"}, uses=BOTH),
        "T5ForSequenceClassification": Built("t5", {"head": "sequences"}, labels=True, uses=BOTH),
        "T5ForQuestionAnswering": Built("t5", {"head": "tokens"}, labels=True, uses=BOTH),
        "T5EncoderModel": Built("t5_encoder", {"head": "bare"}, uses=ALONE),
        "T5ForTokenClassification": Built(
            "t5_encoder", {"head": "tokens"}, labels=True, uses=ALONE
        ),
        "T5WithLMHeadModel": WRITES,
    },
    {
        "vocab_size": SizeOf("V"),
        "d_model": SizeOf("d"),
        "d_kv": SizeOf("d_h"),
        "d_ff": SizeOf("d_ff"),
        "num_layers": Several((SizeOf("L"), SizeOf("L_enc"))),
        "num_decoder_layers": Unless(SizeOf("L_dec")),
        "num_heads": SizeOf("h"),
        "relative_attention_num_buckets": AtLeast("n_b", least=4),
        "relative_attention_max_distance": FREE,
        "feed_forward_proj": Ruled(),
        "is_gated_act": Ruled(),
        "dense_act_fn": Ruled(),
        "scale_decoder_outputs": FREE,
        "tie_word_embeddings": TIED,
        "is_decoder": FREE,
        "n_positions": FREE,
        "output_past": FREE,
    },
    rules=(Rule((), _activation),),
    tensors={**T5_TENSORS, **under("transformer.", "", T5_TENSORS), **HEADS},
    implied={"T": "512", "S": "512"},
    follows={"num_decoder_layers": "num_layers"},
)
"""Version 1.1 and FLAN have a head of their own: their configurations say tie_word_embeddings =
false. From such a configuration alone transformers 5 builds a tied head, but with the weights that
lie beside it one of its own, and that is counted here. It was trained on 512 tokens, which is what
is meant where no length is set."""

MT5 = replace(
    T5, model_type="mt5",
    builds={
        **{name.replace("T5", "MT5"): built for name, built in T5.builds.items()
           if name != "T5WithLMHeadModel"},
        "MT5ForConditionalGeneration": replace(
            WRITES, remarks={"tie_word_embeddings": _multilingual}
        ),
    },
)  # fmt: skip
