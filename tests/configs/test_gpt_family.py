"""GPT-2, GPT-3 and what was built after them: published totals, and what is refused by name."""

import json

import pytest

from symledger import derive
from symledger.catalogue.checkpoints import checkpoints
from symledger.errors import BadInput

# Model cards: EleutherAI's Pythia and GPT-J, BigScience's BLOOM; microsoft/phi-1_5 and phi-2,
# bigcode/starcoder2-3b, stabilityai/stablelm-3b-4e1t: elements of their safetensors
TOTALS = {
    "pythia-70m": 70_426_624, "pythia-160m": 162_322_944, "pythia-410m": 405_334_016,
    "pythia-1b": 1_011_781_632, "pythia-1.4b": 1_414_647_808, "pythia-2.8b": 2_775_208_960,
    "pythia-6.9b": 6_857_302_016, "pythia-12b": 11_846_072_320, "gpt-neox-20b": 20_554_567_680,
    "bloom-560m": 559_214_592, "bloom-1b1": 1_065_314_304, "bloom-1b7": 1_722_408_960,
    "bloom-3b": 3_002_557_440, "bloom-7b1": 7_069_016_064, "bloom-176b": 176_247_271_424,
    "phi-1.5": 1_418_270_720, "phi-2": 2_779_683_840, "starcoder2-3b": 3_030_371_328,
    "stablelm-3b-4e1t": 2_795_443_200,
}  # fmt: skip

# Brown et al. (2020), table D.1: millions of parameters, as it rounds them
GPT3 = {
    "gpt3-small": (125, 1), "gpt3-medium": (356, 1), "gpt3-large": (760, 1), "gpt3-xl": (1320, 10),
    "gpt3-2.7b": (2650, 10), "gpt3-6.7b": (6660, 10), "gpt3-13b": (12850, 10),
    "gpt3-175b": (174600, 100),
}  # fmt: skip

SIZES = {
    "gpt2": {"n_embd": 8, "n_head": 2, "n_layer": 2},
    "gptj": {"n_embd": 16, "n_head": 2, "n_layer": 2, "rotary_dim": 4},
    "codegen": {"n_embd": 32, "n_head": 4, "n_layer": 2, "rotary_dim": 4},
    "gpt_neox": {"hidden_size": 16, "num_attention_heads": 2},
    "opt": {"hidden_size": 8, "num_attention_heads": 2},
    "bloom": {"hidden_size": 8, "n_head": 2},
    "falcon": {"hidden_size": 8, "num_attention_heads": 4},
    "phi": {"hidden_size": 16, "num_attention_heads": 2},
    "gpt_neo": {"hidden_size": 8, "num_heads": 2, "num_layers": 2,
                "attention_types": [[["global", "local"], 1]]},
    "gpt_bigcode": {"n_embd": 8, "n_head": 2, "n_layer": 2},
    "mpt": {"d_model": 8, "n_heads": 2},
    "stablelm": {"hidden_size": 32, "num_attention_heads": 2, "num_key_value_heads": 2},
}  # fmt: skip
"""Small and sound, as far as the table below does not change them."""


def account(folder, family, changes, **options):
    path = folder / "config.json"
    path.write_text(json.dumps({"model_type": family, **SIZES[family], **changes}), "utf-8")
    return derive(str(path), **options)


@pytest.mark.parametrize("name", TOTALS)
def test_published_models_have_the_parameters_that_their_cards_say(name):
    assert derive(name).params.value == TOTALS[name]


@pytest.mark.parametrize("name", GPT3)
def test_all_sizes_of_gpt_3_round_to_what_its_paper_says(name):
    millions, to = GPT3[name]
    assert abs(derive(name).params.value / 10**6 - millions) <= to / 2
    assert checkpoints()[name].source.startswith("Brown et al., GPT-3 (2020), table 2.1")


# By hand: V d_e, two maps of d_e d, and the model's blocks and positions
def test_narrow_rows_are_mapped_to_the_model_and_back(tmp_path):
    wide = account(tmp_path, "opt", {"word_embed_proj_dim": None}).params.value
    narrow = account(tmp_path, "opt", {"word_embed_proj_dim": 6}).params.value
    assert wide - narrow == 50272 * (8 - 6) - 2 * 6 * 8


@pytest.mark.parametrize(
    ("family", "changes", "more"),
    [  # by hand: what a change adds to the parameters of the two layers, or of all
        ("gpt_neox", {"num_hidden_layers": 2, "attention_bias": False}, -2 * 4 * 16),
        ("gpt_neox", {"num_hidden_layers": 2, "use_parallel_residual": False}, 0),
        ("gpt_neox", {"num_hidden_layers": 2, "rotary_pct": 1.0}, 0),
        ("opt", {"num_hidden_layers": 2, "layer_norm_elementwise_affine": False}, -5 * 2 * 8),
        ("opt", {"num_hidden_layers": 2, "_remove_final_layer_norm": True}, -2 * 8),
        ("opt", {"num_hidden_layers": 2, "do_layer_norm_before": False}, -2 * 8),
        ("falcon", {"num_hidden_layers": 2, "bias": True, "ffn_hidden_size": 32},
         2 * (8 + 2 * 2 + 8 + 32 + 8)),
        ("falcon", {"num_hidden_layers": 2, "parallel_attn": False}, 2 * 2 * 8),
        ("falcon", {"num_hidden_layers": 2, "new_decoder_architecture": True, "num_kv_heads": 2},
         2 * (2 * 8 * 2 + 2 * 8)),
        ("falcon", {"num_hidden_layers": 2, "new_decoder_architecture": True, "num_kv_heads": 1,
                    "num_ln_in_parallel_attn": 1}, 0),
        ("phi", {"num_hidden_layers": 2, "qk_layernorm": True}, 2 * 2 * 2 * 8),
        ("phi", {"num_hidden_layers": 2, "tie_word_embeddings": True}, -51200 * 16),
        ("gpt_bigcode", {"multi_query": False}, 2 * 2 * (8 + 1) * 4),
        ("gpt_neo", {"attention_types": [[["global"], 2]]}, 0),
        ("stablelm", {"num_hidden_layers": 2, "use_parallel_residual": True}, -2 * 2 * 32),
        ("stablelm", {"num_hidden_layers": 2, "qk_layernorm": True}, 2 * (2 + 2) * 16),
    ],
)  # fmt: skip
def test_what_a_key_changes_is_counted(family, changes, more, tmp_path):
    layers = {"num_hidden_layers": 2} if "num_hidden_layers" in changes else {}
    plain = account(tmp_path, family, layers).params.value
    assert account(tmp_path, family, changes).params.value - plain == more


@pytest.mark.parametrize(
    ("family", "changes", "said"),
    [
        ("gpt2", {"architectures": ["GPT2DoubleHeadsModel"]}, "GPT2DoubleHeadsModel"),
        ("gpt2", {"activation_function": "glu"}, "activation_function"),
        ("gptj", {"rotary_dim": 12}, "heads of width 8"),
        ("gptj", {"rotary_dim": 3}, "an even number"),
        ("codegen", {"n_head": 2}, "a multiple of 4"),
        ("gpt_neox", {"rotary_pct": 0}, "not a share"),
        ("gpt_neox", {"rotary_pct": 0.01}, "in pairs"),
        ("gpt_neox", {"hidden_size": 17}, "does not divide"),
        ("gpt_neox", {"rope_parameters": {"partial_rotary_factor": "x"}}, "not a share"),
        ("opt", {"scale_embeddings": True}, "scale_embeddings"),
        ("bloom", {"slow_but_exact": True, "pretraining_tp": 2}, "slow_but_exact"),
        ("falcon", {"new_decoder_architecture": True, "parallel_attn": False}, "parallel_attn"),
        ("falcon", {"num_ln_in_parallel_attn": 2}, "num_ln_in_parallel_attn"),
        ("falcon", {"multi_query": False, "num_kv_heads": 2}, "num_kv_heads"),
        ("falcon", {"multi_query": "yes"}, "multi_query"),
        ("phi", {"qk_layernorm": True, "head_dim": 24}, "head_dim"),
        ("gpt_neo", {"num_layers": 3}, "does not name 3 layers"),
        ("gpt_neo", {"attention_types": [["global", 2]]}, "pairs of kinds"),
        ("gpt_neo", {"attention_layers": ["global", "global"]}, "not name the same"),
        ("mpt", {"attn_config": {"alibi": False}}, "attn_config.alibi"),
        ("mpt", {"attn_config": {"attn_type": "grouped_query_attention"}}, "attn_type"),
        ("mpt", {"attn_config": {"kv_n_heads": 8}}, "kv_n_heads"),
        ("stablelm", {"qk_layernorm": 2}, "qk_layernorm"),
    ],
)
def test_what_is_not_derived_is_refused_by_name(family, changes, said, tmp_path):
    with pytest.raises(BadInput, match=said):
        account(tmp_path, family, changes)
