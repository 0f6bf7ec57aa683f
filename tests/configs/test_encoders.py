"""Encoders and encoder-decoders: their classes, what they refuse, and what decoding remembers.

Counts are those of transformers 5.23.0, of the models that are named.
"""

import json

import pytest

from symledger import derive
from symledger.configs.read import read
from symledger.errors import BadInput

BERT = {"model_type": "bert"}
ROBERTA = {"type_vocab_size": 1, "max_position_embeddings": 514}
XLM_R = {"model_type": "xlm-roberta", "vocab_size": 250002, **ROBERTA}
ALBERT = {"model_type": "albert", "hidden_size": 768, "num_attention_heads": 12,
          "intermediate_size": 3072}  # fmt: skip
MPNET = {"model_type": "mpnet", "max_position_embeddings": 514}
MODERN = {"model_type": "modernbert", "num_hidden_layers": 3}
DEBERTA = {"model_type": "deberta-v2", "relative_attention": True, "pos_att_type": "p2c|c2p"}
CHOICE = {"model_type": "electra", "architectures": ["ElectraForMultipleChoice"]}
SOUNDS = {"model_type": "whisper", "architectures": ["WhisperForAudioClassification"]}
FLAN = {"d_ff": 1024, "num_layers": 8, "num_heads": 6, "feed_forward_proj": "gated-gelu",
        "tie_word_embeddings": False}  # fmt: skip


def account(document, folder, settings=None):
    path = folder / "config.json"
    path.write_text(json.dumps(document), "utf-8")
    return derive(str(path), settings or {})


@pytest.mark.parametrize(
    ("config", "architecture", "params"),
    [
        (BERT, "BertModel", 109_482_240),
        (BERT, "BertForMaskedLM", 109_514_298),
        (BERT, "BertForPreTraining", 110_106_428),
        (BERT, "BertForNextSentencePrediction", 109_483_778),
        (BERT, "BertForMultipleChoice", 109_483_009),
        (BERT, "BertForQuestionAnswering", 108_893_186),
        (XLM_R, "XLMRobertaForMaskedLM", 278_295_186),
        ({"model_type": "distilbert"}, "DistilBertForSequenceClassification", 66_955_010),
        (ALBERT, "AlbertForMaskedLM", 11_221_680),
        (MPNET, "MPNetModel", 109_486_464),
        ({"model_type": "modernbert"}, "ModernBertForMaskedLM", 149_655_232),
        ({"model_type": "eurobert"}, "EuroBertForMaskedLM", 310_266_624),
        ({"model_type": "eurobert"}, "EuroBertForSequenceClassification", 212_358_146),
        ({"model_type": "electra"}, "ElectraForPreTraining", 13_549_057),
        ({"model_type": "electra"}, "ElectraForMultipleChoice", 13_549_057),
        ({"model_type": "t5"}, "T5ForConditionalGeneration", 60_506_624),
        ({"model_type": "t5", **FLAN}, "T5ForConditionalGeneration", 76_961_152),
        ({"model_type": "t5"}, "T5EncoderModel", 35_330_816),
        ({"model_type": "bart"}, "BartForSequenceClassification", 407_344_131),
        ({"model_type": "whisper"}, "WhisperModel", 37_760_640),
        ({"model_type": "whisper"}, "WhisperForAudioClassification", 8_307_458),
    ],
)
def test_a_class_has_the_parameters_that_it_has(config, architecture, params, tmp_path):
    found = account({**config, "architectures": [architecture]}, tmp_path)
    assert found.params.value == params


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({**BERT, "is_decoder": True, "architectures": ["BertForSequenceClassification"]},
         "is_decoder = True is not supported, only False is: what is classified is the first"),
        ({**BERT, "is_decoder": True, "add_cross_attention": True},
         "add_cross_attention = True is not supported"),
        ({**BERT, "position_embedding_type": "relative_key"}, "only 'absolute' is"),
        ({**BERT, "hidden_act": "geglu"}, "hidden_act = 'geglu' is not supported"),
        ({**XLM_R, "pad_token_id": None}, "pad_token_id = None is not a size"),
        ({**CHOICE, "summary_type": "mean"}, "summary_type = 'mean' is not supported"),
        ({**CHOICE, "summary_proj_to_labels": True}, "summary_proj_to_labels = True is not"),
        ({**DEBERTA, "pos_att_type": "c2p", "share_att_key": True},
         "pos_att_type = 'c2p' with share_att_key = true"),
        ({**DEBERTA, "pos_att_type": "p2p"}, "pos_att_type = 'p2p' with relative_attention = true"),
        ({**MPNET, "relative_attention_num_buckets": 16}, "16 is out of range: sizes are 32 to"),
        ({**MODERN, "layer_types": ["sliding_attention"] * 3}, "the first layer, .* sees"),
        ({**MODERN, "layer_types": ["full_attention"]}, "does not name the kinds of 3 layers"),
        ({**MODERN, "local_attention": -1}, "local_attention = -1"),
        ({**MODERN, "rope_parameters": {"full_attention": {"partial_rotary_factor": 0.5,
                                                           "rope_type": "linear"}}},
         "all of a head is turned in this family, and frequencies of rope_type = 'linear'"),
        ({**MODERN, "head_dim": 64}, "the key head_dim = 64 is not understood"),
        ({**DEBERTA, "conv_kernel_size": 4}, "an odd one is meant"),
        ({**DEBERTA, "pooler_hidden_size": 8,
          "architectures": ["DebertaV2ForSequenceClassification"]},
         "pooler_hidden_size = 8 does not fit hidden_size"),
        ({**DEBERTA, "attention_head_size": 8}, "attention_head_size = 8 does not fit"),
        ({**DEBERTA, "relative_attention": "yes"}, "relative_attention = 'yes' is not supported"),
        ({"model_type": "albert", "num_hidden_layers": 3, "num_hidden_groups": 5},
         "nothing would use the weights of 2. Choose at most 3 groups"),
        ({"model_type": "bart", "is_encoder_decoder": False}, "are kept apart"),
        ({"model_type": "marian", "decoder_vocab_size": 70, "tie_word_embeddings": False},
         "the head would score 58101 words, those of vocab_size, and the decoder read 70"),
        ({"model_type": "marian", "decoder_vocab_size": 70,
          "share_encoder_decoder_embeddings": False},
         "pad_token_id = 58100 lies outside of the decoder's table of 70 rows"),
        ({"model_type": "t5", "is_decoder": True, "architectures": ["T5EncoderModel"]},
         "is_decoder = True is not supported, only False is: its blocks would hold an attention to "
         "a source that is never given; leave it out, or ask for all of T5"),
        ({"model_type": "mt5", "is_decoder": True, "architectures": ["MT5EncoderModel"]},
         "leave it out, or ask for all of T5, whose decoder has one"),
        ({"model_type": "t5", "is_encoder_decoder": False}, "would be kept as one"),
        ({"model_type": "roberta", "add_cross_attention": True}, "attend to a source as well"),
        ({"model_type": "distilbert", "pruned_heads": {"1": [2]}},
         "what another value changes is not derived here"),
        ({"model_type": "t5", "feed_forward_proj": "gelu-gated"}, "gelu-gated does not fit"),
        ({"model_type": "t5", "feed_forward_proj": "gated"}, "feed_forward_proj = gated does not"),
        ({"model_type": "t5", "is_gated_act": 1}, "is_gated_act = 1 is not supported"),
        ({"model_type": "t5", "is_gated_act": None}, "is_gated_act = None is not supported"),
        ({"model_type": "t5", "dense_act_fn": 3}, "dense_act_fn = 3 does not fit"),
        ({"model_type": "t5", "dense_act_fn": None}, "dense_act_fn = None does not fit"),
        ({"model_type": "mt5", "dense_act_fn": "swiglu"}, "no function of each element"),
        ({"model_type": "bart", "normalize_before": True}, "normalize_before = True"),
        ({"model_type": "t5", "architectures": ["T5ForCausalLM"]}, "is not supported"),
        ({**SOUNDS, "use_weighted_layer_sum": True}, "use_weighted_layer_sum = True is not"),
    ],
)
def test_what_is_not_derived_is_refused_by_name(config, said):
    with pytest.raises(BadInput, match=said):
        read(config)


def test_positions_of_roberta_begin_behind_two_rows(tmp_path):
    found = account({"model_type": "roberta", **ROBERTA}, tmp_path)
    assert found.assumed.bindings[found.symbols["T"]] == 512
    with pytest.raises(BadInput, match="may not exceed max_position_embeddings = 514"):
        account({"model_type": "roberta", **ROBERTA}, tmp_path, {"T": 513})


PAIR = {"encoder_layers": 2, "decoder_layers": 3, "encoder_attention_heads": 2,
        "decoder_attention_heads": 4, "encoder_ffn_dim": 9, "decoder_ffn_dim": 7, "d_model": 8,
        "vocab_size": 31, "max_position_embeddings": 16}  # fmt: skip
T5 = {"vocab_size": 31, "d_model": 6, "d_kv": 4, "d_ff": 9, "num_layers": 2,
      "num_decoder_layers": 3, "num_heads": 5}  # fmt: skip


@pytest.mark.parametrize(
    ("config", "flops", "cache"),
    [
        ({"model_type": "t5", **T5}, 16_440, 11_520),
        ({"model_type": "bart", **PAIR}, 9_248, 4_608),
        ({"model_type": "mbart", **PAIR}, 9_248, 4_608),
    ],
)
def test_a_token_is_decoded_with_what_is_remembered_of_both(config, flops, cache, tmp_path):
    """Measured with the cache of transformers: two sources of five tokens, the seventh written."""
    found = account(config, tmp_path, {"B": 2, "S": 5, "T": 7})
    assert found["flops.decode"].value == flops
    assert found["memory.kv_cache"].value == cache


def test_sounds_are_told_apart_without_a_decoder(tmp_path):
    """Measured by PyTorch's counter on the meta device: two sounds of eighteen frames."""
    config = {**SOUNDS, "d_model": 12, "encoder_attention_heads": 3, "encoder_layers": 2,
              "encoder_ffn_dim": 7, "max_source_positions": 9, "num_mel_bins": 5,
              "classifier_proj_size": 4, "num_labels": 3}  # fmt: skip
    found = account(config, tmp_path, {"B": 2})
    assert (found.params.value, found.flops_forward.value) == (2529, 99408)


@pytest.mark.parametrize(
    ("model_type", "name"),
    [("bart", "Bart"), ("mbart", "MBart"), ("pegasus", "Pegasus"), ("marian", "Marian"),
     ("whisper", "Whisper")],
)  # fmt: skip
def test_a_decoder_alone_says_no_flops_before_its_memory_has_a_length(tmp_path, model_type, name):
    file = tmp_path / "config.json"
    file.write_text(json.dumps({"model_type": model_type, "architectures": [f"{name}ForCausalLM"]}))
    account = derive(str(file))
    assert account.params.value
    assert account.flops_forward.value is None
    assert derive(str(file), {"S": 8}).flops_forward.value
