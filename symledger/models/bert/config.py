"""BERT, RoBERTa, what is published as one of them, and both with norms before their parts."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import Only, Settings, SizeOf, size
from symledger.config_keys.common import FREE
from symledger.config_keys.encoder_keys import (
    MASKED,
    SECOND,
    WIDTHS,
    Tensors,
    classes,
    encoder,
    looking_back,
    maps,
    norms,
    under,
)
from symledger.config_keys.family import Family, Rule, Ruled, Values

BERT = Family(
    "bert",
    looking_back(classes(
        "bert", "Bert", "ForPreTraining", "ForMultipleChoice", "ForNextSentencePrediction",
        "LMHeadModel",
    )),
    {
        **WIDTHS,
        **dict.fromkeys((
            "pooler_fc_size", "pooler_num_attention_heads", "pooler_num_fc_layers",
            "pooler_size_per_head", "pooler_type", "directionality",
        ), FREE),
    },
    tensors=encoder(
        "bert", maps(bert__pooler__dense="pooler.map"), under("cls.predictions.", "", MASKED),
        {"cls.seq_relationship.weight": ("next_head.W", "classifier.W"),
         "cls.seq_relationship.bias": ("next_head.b", "classifier.b")},
    ),
)  # fmt: skip
"""What its first multilingual configurations say of the pooler was never read."""


def _behind_padding(values: Values) -> Settings:
    """Positions begin behind the row of the padding token, and behind row 1 at least."""
    first = max(size("pad_token_id", values["pad_token_id"], 0), 1) + 1
    rows = size("max_position_embeddings", values["max_position_embeddings"], first + 1)
    return {"T": str(rows - first)}


def _tensors(model: str) -> Tensors:
    """Return whose weights those of a RoBERTa are, whatever it is called there."""
    return encoder(
        model,
        {**maps(**{f"{model}__pooler__dense": "pooler.map"}, classifier__dense="pooler.map"),
         **maps(classifier__out_proj="classifier", lm_head__dense="masked_head.map"),
         **norms(lm_head__layer_norm="masked_head.norm"), "lm_head.bias": ("masked_head.b",),
         **under("lm_head.", "", SECOND)},
    )


ROBERTA = Family(
    "roberta",
    looking_back(classes("roberta", "Roberta", "ForMultipleChoice", "ForCausalLM")),
    {
        **WIDTHS,
        "pad_token_id": Ruled(),
        "max_position_embeddings": SizeOf("T_max"),
    },
    rules=(Rule(("max_position_embeddings",), _behind_padding),),
    tensors=_tensors("roberta"),
)  # fmt: skip
"""Its positions begin behind the row of the padding token, which is row 1 in all that is published;
behind a later row there is room for fewer of them."""


def _named(model_type: str, name: str) -> Family:
    builds = classes("roberta", name, "ForMultipleChoice", "ForCausalLM")
    return replace(ROBERTA, model_type=model_type, builds=looking_back(builds))


XLM_ROBERTA = _named("xlm-roberta", "XLMRoberta")
CAMEMBERT = _named("camembert", "Camembert")
DATA2VEC_TEXT = replace(_named("data2vec-text", "Data2VecText"), tensors=_tensors("data2vec_text"))

IBERT = replace(
    ROBERTA,
    model_type="ibert",
    builds=classes("roberta", "IBert", "ForMultipleChoice"),
    uses={
        **ROBERTA.uses,
        "is_decoder": FREE,
        "quant_mode": Only((False,), "maps would be of whole numbers, with scales beside them"),
        "force_dequant": FREE,
        "hidden_act": Only(("gelu",), "its class has no other"),
    },
    tensors=_tensors("ibert"),
)  # fmt: skip
"""I-BERT where it is not quantized, which is RoBERTa."""

ERNIE = replace(
    BERT,
    model_type="ernie",
    builds=looking_back(classes(
        "bert", "Ernie", "ForPreTraining", "ForMultipleChoice", "ForNextSentencePrediction",
        "ForCausalLM",
    )),
    uses={
        **WIDTHS,
        "use_task_id": Only((False,), "there would be a table of tasks"),
        "task_type_vocab_size": FREE,
    },
    tensors={name.replace("bert.", "ernie.", 1): ours for name, ours in BERT.tensors.items()},
)  # fmt: skip


def _before(tensors: Tensors, first: str, second: str, last: str) -> Tensors:
    """Return the tensors where norms come before parts, by what they are called there."""
    old = ("attention.output.LayerNorm.", "output.LayerNorm.")
    kept = {name: ours for name, ours in tensors.items() if not any(x in name for x in old)}
    model = next(iter(tensors)).partition(".")[0]
    layer = f"{model}.encoder.layer.*."
    theirs = {f"{layer}{first}": "block.norm_1", f"{layer}{second}": "block.norm_2",
              f"{model}.{last}": "final_norm"}  # fmt: skip
    return {**kept, **norms(**theirs)}


MEGATRON_BERT = replace(
    BERT,
    model_type="megatron-bert",
    builds=looking_back(classes(
        "megatron_bert", "MegatronBert", "ForPreTraining", "ForMultipleChoice",
        "ForNextSentencePrediction", "ForCausalLM",
    )),
    uses=WIDTHS,
    tensors=_before(dict(BERT.tensors), "attention.ln", "ln", "encoder.ln"),
)  # fmt: skip
XLM_ROBERTA_XL = replace(
    ROBERTA,
    model_type="xlm-roberta-xl",
    builds=looking_back(classes(
        "xlm_roberta_xl", "XLMRobertaXL", "ForMultipleChoice", "ForCausalLM",
    )),
    tensors=_before(
        _tensors("roberta"), "attention.self_attn_layer_norm", "LayerNorm", "encoder.LayerNorm"
    ),
)  # fmt: skip
ROBERTA_PRE_LAYER_NORM = replace(
    XLM_ROBERTA_XL,
    model_type="roberta-prelayernorm",
    builds=looking_back(classes(
        "xlm_roberta_xl", "RobertaPreLayerNorm", "ForMultipleChoice", "ForCausalLM",
    )),
    tensors=_before(
        _tensors("roberta_prelayernorm"), "attention.LayerNorm", "intermediate.LayerNorm",
        "LayerNorm",
    ),
    implied={"embedding_norm": "true"},
)  # fmt: skip
