"""Configurations read key by key: used, defaulted, irrelevant, or refused by name."""

import json
import subprocess
import sys

import pytest
from sympy import sympify

from symledger import derive
from symledger.accounts.published_total import WHY
from symledger.catalogue.checkpoints import Total, checkpoints
from symledger.config_keys import common
from symledger.configs.document import DEEPEST, LARGEST, parse
from symledger.configs.families import READERS, every_family, loaded
from symledger.configs.read import read
from symledger.errors import BadInput, SymledgerError
from symledger.languages.message import say
from tests import invoke

NO_MODEL = {"ministral": "head_dim is missing", "hunyuan_vl": "head_dim is missing",
            "hunyuan_v1_dense": "head_dim is missing",
            "hunyuan_vl_text": "head_dim is missing",
            "Transformer2DModel": "norm_type is missing",
            "lfm2_moe": "layer_types is missing",
            "diffusion_gemma_text": "num_experts is missing",
            "qwen4_exp_text": "indexer_n_heads = None is not a size",
            "nemotron": "num_key_value_heads is missing",
            **dict.fromkeys(
                ("esm", "wav2vec2-conformer", "wav2vec2-bert"), "vocab_size is missing"),
            "dots1": "n_shared_experts = None is not a size",
            "cohere_compass_text": "rope_parameters = None does not say",
            **dict.fromkeys(("idefics3", "smolvlm", "aya_vision"), "does not divide"),
            **dict.fromkeys(("qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe", "qwen3_5",
                             "qwen3_5_moe", "cosmos3_omni", "glm_ocr", "qwen3_asr",
                             "qwen3_omni_moe_thinker", "cohere_compass", "ovis2",
                             "exaone4_5", "qwen4_exp"),
                            "does not fit text_config.hidden_size"),
            **dict.fromkeys(("granite_speech", "granite_speech_plus"),
                            "does not fit encoder_config.hidden_dim"),
            "llama4": "does not fit vision_output_dim",
            "llama4_vision_model": "Say intermediate_size = 3072"}
"""Families whose defaults are no model, or a class that is another one by its norms, or of which
the class is built and fails at every image."""
LLAMA = {"model_type": "llama", "architectures": ["LlamaForCausalLM"]}
CLASSES = {"architectures": ["LlamaForSequenceClassification"], "id2label": {"0": "a", "1": "b"}}


def test_every_family_goes_by_the_name_that_it_is_found_by():
    for key, names in READERS.items():
        for name in names:
            assert (loaded(key, name).key, loaded(key, name).model_type) == (key, name)


@pytest.mark.parametrize("family", every_family(), ids=lambda f: f.model_type)
def test_every_key_of_the_class_has_a_use(family):
    uses = {name: family.uses.get(name) or common.known(name) for name in family.facts["keys"]}
    assert [n for n, use in uses.items() if use is None and n not in family.parts] == []


@pytest.mark.parametrize("family", every_family(), ids=lambda f: f.model_type)
def test_a_configuration_that_says_nothing_is_the_default_one(family):
    if family.model_type in NO_MODEL:
        with pytest.raises(BadInput, match=NO_MODEL[family.model_type]):
            read({family.key: family.model_type})
        return
    try:
        found = read({family.key: family.model_type})
    except BadInput as error:
        pytest.fail(f"{error} If its defaults are no model, say so in NO_MODEL of this file.")
    assert found.architecture == next(iter(family.builds))
    assert {key.status for key in found.keys if key.name != family.key} == {"defaulted"}


def test_parts_that_can_be_derived_are_named():
    """Of models of images and texts that are not supported: what may be derived by itself."""
    whole = {
        "model_type": "fast_vlm", "text_config": {"model_type": "llama", "vocab_size": 32064},
        "vision_config": {"model_type": "clip_vision_model"}, "other_config": {"model_type": "x"},
        "odd_config": {"model_type": 3},
    }  # fmt: skip
    with pytest.raises(BadInput, match="model_type fast_vlm is not supported") as refused:
        read(whole)
    assert str(refused.value).endswith(
        "But text_config is of model_type llama and vision_config is of model_type "
        "clip_vision_model, which can be derived as a file of its own."
    )
    assert read(whole["text_config"]).settings["V"] == "32064"


def test_every_key_is_used_defaulted_or_irrelevant():
    found = read({**LLAMA, "hidden_size": 1024, "rope_theta": 5e5, "torch_dtype": "bfloat16"})
    status = {key.name: key.status for key in found.keys}
    assert status["hidden_size"] == "used"
    assert status["vocab_size"] == "defaulted"
    assert status["rope_theta"] == status["torch_dtype"] == "irrelevant"


ROPE = {"rope_theta": 10000.0, "partial_rotary_factor": 0.5}


@pytest.mark.parametrize("model_type", ["llama", "qwen3", "olmo2", "ernie4_5", "falcon", "gemma2"])
def test_a_share_of_heads_that_no_class_reads_is_told(model_type):
    document = {"model_type": model_type, "rope_parameters": {**ROPE, "rope_type": "default"}}
    (key,) = (key for key in read(document).keys if key.name == "rope_parameters")
    assert key.sets == "partial_rotary_factor is not read: all of a head is turned in this family"
    for turning in ({**ROPE, "rope_type": "yarn"}, {"full_attention": {**ROPE, "type": "linear"}},
                    {**ROPE, "partial_rotary_factor": "x"}, {"partial_rotary_factor": 0}):
        with pytest.raises(BadInput, match="rope_parameters with partial_rotary_factor = "):
            read({"model_type": model_type, "rope_parameters": turning})


@pytest.mark.parametrize("model_type", ["llama", "glm4", "phi3", "gemma4_text", "qwen2"])
@pytest.mark.parametrize("key", ["rope_parameters", "rope_scaling"])
def test_frequencies_that_nobody_knows_are_refused(model_type, key):
    """As the reference does, where its table of them (``ROPE_INIT_FUNCTIONS``) has no such name."""
    for said in ({"rope_type": "ntk"}, {"type": "yern", "factor": 2.0}, {"rope_type": 3},
                 {"full_attention": {"rope_type": "linaer"}}):  # fmt: skip
        with pytest.raises(BadInput, match=f"{key} with (rope_)?type = .* is not supported"):
            read({"model_type": model_type, key: said})


def test_keys_go_by_their_other_names():
    assert read({"model_type": "gpt2", "hidden_size": 64}).settings["d"] == "64"
    assert read({"model_type": "gpt2", "n_embd": 64, "hidden_size": 64}).settings["d"] == "64"
    with pytest.raises(BadInput, match="are the same key"):
        read({"model_type": "gpt2", "n_embd": 64, "hidden_size": 32})


def test_the_class_decides_the_head(tmp_path):
    sizes = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "vocab_size": 100}
    heads = {
        "LlamaForCausalLM": 100 * 64, "LlamaModel": 0, "LlamaForSequenceClassification": 3 * 64,
        "LlamaForTokenClassification": 3 * 64 + 3, "LlamaForQuestionAnswering": 2 * 64 + 2,
    }  # fmt: skip
    labels = {"id2label": {"0": "a", "1": "b", "2": "c"}}
    counts = {
        name: parameters({**sizes, **labels, "architectures": [name]}, tmp_path) for name in heads
    }
    assert {name: n - counts["LlamaModel"] for name, n in counts.items()} == heads


@pytest.mark.parametrize("name", ["GPTJ", "Bert", "DistilBert", "T5", "MPNet"])
def test_an_answer_has_two_ends(name):
    """Where a row for each label is built, ``logits.split(1, dim=-1)`` has to give two."""
    asked = {"model_type": name.lower(), "architectures": [f"{name}ForQuestionAnswering"]}
    assert read(asked).settings["Y"] == "2"
    with pytest.raises(BadInput, match="it has 2 classes, and fails where id2label or num_labels"):
        read({**asked, "num_labels": 5})


def test_long_lists_of_layers_are_read_at_once():
    number = 10**5 - 1
    dense = {"model_type": "qwen3_moe", "num_hidden_layers": number + 1}
    found = read({**dense, "mlp_only_layers": list(range(number))})
    assert found.settings["L_d"] == str(number)


def parameters(config, folder):
    """Count the parameters of a configuration through the command line, as a user would."""
    path = folder / "config.json"
    path.write_text(json.dumps(config), "utf-8")
    result = invoke.run("derive", str(path), "--json")
    assert result.code == 0, result.err
    return int(json.loads(result.out)["formulas"]["params"]["value"])


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"model_type": "lama"}, "Did you mean llama"),
        ({"model_type": None}, "does not say its model_type"),
        ({"model_type": 3}, "model_type 3 is not supported"),
        ({"architectures": ["LlamaForVision"]}, "LlamaForVision is not supported"),
        ({"architectures": ["A", "B"]}, "does not name one class"),
        ({"architectures": "LlamaModel"}, "does not name one class"),
        ({"hidden_size": -1}, "hidden_size = -1 is not a size"),
        ({"hidden_size": 0}, "out of range"),
        ({"hidden_size": 10**19}, "out of range"),
        ({"hidden_size": 64.0}, "is not a size"),
        ({"hidden_size": "64"}, "is not a size"),
        ({"hidden_size": True}, "is not a size"),
        ({"hidden_size": None}, "is not a size"),
        ({"hidden_size": [64]}, "is not a size"),
        ({"hidden_size": {"a": 64}}, "is not a size"),
        ({"num_attention_heads": 3}, "divisible"),
        ({"num_key_value_heads": 5}, "divisible"),
        ({"hidden_act": "softmax"}, "hidden_act = 'softmax' is not supported"),
        ({"tie_word_embeddings": "yes"}, "tie_word_embeddings = 'yes' is not supported"),
        ({"attention_kind": "linear"}, "the key attention_kind = 'linear' is not understood"),
        ({"num_experts": 8}, "the key num_experts = 8 is not understood"),
        ({"pruned_heads": {"1": [0]}}, "pruned_heads"),
        ({**CLASSES, "num_labels": 5}, "num_labels = 5, but id2label names 2 classes"),
        ({**CLASSES, "num_labels": None}, "num_labels = None is not a number of classes"),
        ({"num_labels": None}, "num_labels = None does not fit: int is meant"),
        ({"num_labels": -1}, "num_labels = -1 does not fit: a number from 0 on"),
        ({"rms_norm_eps": "small"}, "rms_norm_eps = .small. does not fit: a number from 0 on"),
        ({"rms_norm_eps": -1e-5}, "rms_norm_eps = -1e-05 does not fit"),
        ({"rope_theta": float("inf")}, "rope_theta = Infinity does not fit"),
        ({"initializer_range": True}, "initializer_range = true does not fit"),
        ({"attention_dropout": 1.5}, "attention_dropout = 1.5 is no chance"),
        ({"attention_dropout": "no"}, "attention_dropout = .no. is no chance"),
        ({"rope_scaling": 5}, "rope_scaling = 5 does not fit: .* takes an object or null"),
        ({"quantization_config": [4]}, "quantization_config = .4. does not fit: .* an object"),
        ({"torch_dtype": 16}, "torch_dtype = 16 does not fit: .* a text"),
        ({"use_cache": "always"}, "use_cache = .always. does not fit: .* true or false"),
        ({"bos_token_id": 1.5}, "bos_token_id = 1.5 does not fit: .* a whole number or null"),
        ({"bos_token_id": "<s>"}, "bos_token_id = .<s>. does not fit"),
        ({"id2label": "cats"}, "id2label = .cats. does not fit"),
        ({"model_type": "t5", "architectures": None, "is_encoder_decoder": False},
         "is_encoder_decoder = False is not supported"),
        ({**CLASSES, "id2label": {}}, "id2label = {} names no classes"),
        ({**CLASSES, "id2label": ["a"]}, "names no classes"),
        *(({"model_type": "mamba2", "architectures": None, "time_step_limit": limits},
           "time_step_limit = .* does not fit: a list of the least and")
          for limits in ([0.0], [], [0.0, "x"], 3)),
        ({"model_type": "t5", "architectures": None, "feed_forward_proj": ["relu"]},
         "feed_forward_proj = .* does not fit"),
        ({"model_type": "phimoe", "architectures": None, "num_experts_per_tok": "two"},
         "num_experts_per_tok = 'two' does not fit"),
        ({"model_type": "gemma2", "architectures": None, "query_pre_attn_scalar": 0},
         "query_pre_attn_scalar = 0 does not fit: it has to be above 0"),
        ({"model_type": "deepseek_v2", "architectures": None, "kv_lora_rank": 511},
         "kv_lora_rank = 511 does not fit"),
        ({"model_type": "gemma2", "architectures": None, "attn_logit_softcapping": 0},
         "attn_logit_softcapping = 0 does not fit: what is capped is divided by it"),
        ({"model_type": "cohere", "architectures": None, "logit_scale": None},
         "logit_scale = None does not fit"),
        ({"model_type": "granitemoe", "architectures": None, "residual_multiplier": None},
         "residual_multiplier = None does not fit"),
        ({"model_type": "qwen2", "architectures": None, "num_attention_heads": 8192},
         "no head would have an element"),
        ({"model_type": "gemma3_text", "architectures": None, "query_pre_attn_scalar": -256},
         "query_pre_attn_scalar = -256 does not fit: it has to be above 0"),
        ({"model_type": "olmoe", "architectures": None, "head_dim": 4},
         "head_dim = 4 does not fit"),
        *(({"model_type": mamba, "architectures": None, "conv_kernel": 1},
           "conv_kernel = 1 is not supported: such a convolution sees no token but its own")
          for mamba in ("mamba", "mamba2")),
        *(({"model_type": "smollm3", "architectures": None, "num_hidden_layers": 2, **more}, said)
          for more, said in (
              ({"layer_types": ["sliding_attention"] * 2}, "use_sliding_window = true"),
              ({"use_sliding_window": True, "sliding_window": 8, "no_rope_layers": [0, 1],
                "layer_types": ["full_attention", "sliding_attention"]},
               "four kinds of layers are not told apart"),
          )),
        ({"model_type": "gpt_bigcode", "architectures": None, "num_key_value_heads": 2},
         "num_key_value_heads = 2 contradicts multi_query"),
    ],
    ids=str,
)
def test_what_is_not_understood_is_refused_by_name(changed, said, tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**LLAMA, **changed}), "utf-8")
    with pytest.raises(BadInput, match=said) as refused:
        derive(str(path))
    assert refused.value.exit_code == 2


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"model_type": "gpt2", "hidden_size": 24, "n_head": 5},
         "d_h = hidden_size/n_head = 24/5 .* Choose hidden_size divisible by n_head = 5: 20 or 25"),
        ({"model_type": "mistral", "num_key_value_heads": 5},
         "num_attention_heads/num_key_value_heads = 32/5"),
        ({"model_type": "mixtral", "num_experts_per_tok": 9},
         "num_experts_per_tok = 9, but it may not exceed num_local_experts = 8"),
        ({"model_type": "clip", "vision_config": {"num_attention_heads": 7}},
         "Choose vision_config.hidden_size divisible by vision_config.num_attention_heads = 7"),
        ({"model_type": "vit", "image_size": 8}, "H_p = floor.image_size/patch_size. = 0 .* "
         "with image_size = 8, patch_size = 16"),
        ({"model_type": "resnet", "hidden_sizes": [6, 7, 8, 9]},
         "Choose hidden_sizes.0. divisible by 4"),
        ({"model_type": "qwen3_vl_moe", "vision_config": {"out_hidden_size": 2048},
          "text_config": {"decoder_sparse_step": 2}}, "derived with dense_layers = false alone"),
        ({"model_type": "bitnet", "num_attention_heads": 6}, "as wide as the model"),
        ({"model_type": "zamba2", "hybrid_layer_ids": [1]}, "follows from layers_block_type"),
        ({"model_type": "zamba2", "mamba_headdim": 9}, "Leave it out"),
    ],
    ids=lambda said: said if isinstance(said, str) else said["model_type"],
)  # fmt: skip
def test_what_is_refused_of_sizes_names_the_keys(config, said, tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config), "utf-8")
    with pytest.raises(BadInput, match=said):
        derive(str(path))


def test_what_was_set_by_a_symbol_keeps_its_name(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "mistral"}), "utf-8")
    with pytest.raises(BadInput, match=r"hidden_size/h = 4096/5 .* divisible by h = 5"):
        derive(str(path), {"h": 5})


def test_two_names_of_a_key_are_called_as_they_stand():
    with pytest.raises(BadInput, match="n_embd and hidden_size are the same key"):
        read({"model_type": "gpt2", "hidden_size": 32, "n_embd": 64})


@pytest.mark.parametrize(
    ("config", "where"),
    [
        ({"model_type": "t5", "tie_word_embeddings": True, "scale_decoder_outputs": False},
         "scale_decoder_outputs"),
        ({"model_type": "t5", "scale_decoder_outputs": False}, "scale_decoder_outputs"),
        ({"model_type": "mt5", "tie_word_embeddings": True}, "tie_word_embeddings"),
        ({"model_type": "mt5"}, "tie_word_embeddings"),
    ],
)  # fmt: skip
def test_a_head_that_is_saved_as_tied_is_said_to_have_been_published_otherwise(config, where):
    """transformers 5 writes the same of any T5 1.1 and mT5, whose published weights have a head."""
    config = {**config, "vocab_size": 100, "d_model": 8}
    found = read(config)
    assert found.settings.get("tied", "true") == "true"
    assert remarked(found) == [where]
    assert "weights of its own, 800 parameters more" in said_of(found, where)
    encoder = config["model_type"].upper() + "EncoderModel"
    assert remarked(read({**config, "architectures": [encoder]})) == []
    own = read({**config, "tie_word_embeddings": False})
    assert own.settings["tied"] == "false"
    assert remarked(own) == ["tie_word_embeddings"]
    assert "uses the table, 800 parameters fewer" in said_of(own, "tie_word_embeddings")
    assert "con 800 parámetros menos" in say("es", said_of(own, "tie_word_embeddings"))


def test_a_head_that_was_published_tied_is_not_remarked_on():
    assert remarked(read({"model_type": "t5"})) == []
    assert remarked(read({"model_type": "t5", "tie_word_embeddings": True})) == []


def remarked(found):
    """Return the keys of which more is said than what they set."""
    return [key.name for key in found.keys if "as published" in key.sets]


def said_of(found, name):
    return next(key.sets for key in found.keys if key.name == name)


def test_a_mixture_whose_layers_are_all_dense_is_the_dense_model(tmp_path):
    sizes = {"vocab_size": 100, "hidden_size": 16, "num_hidden_layers": 3, "head_dim": 8,
             "num_attention_heads": 2, "num_key_value_heads": 2, "intermediate_size": 24,
             "max_position_embeddings": 32}  # fmt: skip
    all_dense = {"mlp_only_layers": [0, 1, 2], "num_experts": 4, "num_experts_per_tok": 2}
    found = []
    for config in ({"model_type": "qwen3"}, {"model_type": "qwen3_moe", **all_dense}):
        path = tmp_path / f"{config['model_type']}.json"
        path.write_text(json.dumps({**sizes, **config}), "utf-8")
        found.append(derive(str(path)))
    dense, mixture = found
    quantities = set(dense.quantities)
    assert {q: dense[q].value for q in quantities} == {q: mixture[q].value for q in quantities}


@pytest.mark.parametrize(
    "harmless",
    [{"rope_scaling": {"rope_type": "yarn", "factor": 8.0}}, {"quantization_config": {"bits": 4}},
     {"unsloth_fixed": True}, {"attention_kind": None}, {"_flash_attn_2_enabled": True},
     {"eos_token_id": [1, 2]}, {"attention_dropout": 0.1}, {"use_cache": False},
     {"attention_dropout": 0}, {"rms_norm_eps": None}, {"bos_token_id": 10**400},
     {"rope_theta": 10**400}, {"pretraining_tp": 1.0}],
    ids=str,
)  # fmt: skip
def test_what_changes_no_count_does_not_stand_in_the_way(harmless):
    assert read({**LLAMA, **harmless}).settings == read(LLAMA).settings


@pytest.mark.parametrize(
    ("name", "unread", "built"),
    [
        ("glm-5.2", {"moe_router_dtype": "float32", "index_share_for_mtp_iteration": True}, {}),
        ("deepseek-v3.2", {"moe_layer_freq": 1}, {"moe_layer_freq": 2}),
        ("nemotron-3-nano-30b-a3b", {"partial_rotary_factor": 0.5}, {}),
        ("qwen3.5-9b", {"output_gate_type": "swish"}, {"mlp_only_layers": [3]}),
        ("qwen3.5-35b-a3b", {"mlp_only_layers": []}, {"output_gate_type": "sigmoid"}),
        ("laguna-xs.2", {"partial_rotary_factor": 0.5, "norm_topk_prob": True,
                         "gating_types": ["per_head"] * 40}, {"mlp_only_layers": [3]}),
    ],
)  # fmt: skip
def test_keys_that_no_class_reads_are_read_at_what_it_builds(name, unread, built):
    config = checkpoints()[name].config
    assert read({**config, **unread}).settings == read(config).settings
    for key, value in built.items():
        with pytest.raises(BadInput, match=key):
            read({**config, key: value})


def test_how_weights_are_stored_is_named(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**LLAMA, "quantization_config": {"bits": 4}, "use_cache": False}))
    said = invoke.run("derive", str(path)).out
    assert "irrelevant to every count: use_cache = false" in said
    assert "bytes are those of --dtype, whatever is said of storing: quantization_config" in said


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "not JSON"), (b"", "not JSON"), (b"[]", "no JSON object"),
        (b"\xff\xfe\x00", "not text in UTF-8"), (b" " * (LARGEST + 1), "larger than"),
        (b'{"a": 1, "a": 2}', "the key a stands in it twice"),
        (b'{"a":' * (DEEPEST + 1) + b"1" + b"}" * (DEEPEST + 1), "nested more than"),
        (b'{"a":' * 100_000, "absurd"), (b'{"a": 1' + b"0" * 5000 + b"}", "absurd"),
        (b'{"a": NaN}', "its key a holds NaN, which is no value"),
        (b'{"b": {"a": [1, [NaN]]}}', "its key a holds NaN"),
    ],
    ids=range(11),
)  # fmt: skip
def test_nonsense_gets_one_clear_message(content, said):
    with pytest.raises(BadInput, match=said):
        parse(content, "config.json")


def test_a_configuration_is_read_once(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**LLAMA, "num_hidden_layers": 4}))
    account = derive(str(path))
    path.unlink()
    assert account.subs(T=7).assumed.bindings[account.symbols["T"]] == 7
    assert account.under(frozen=["block.*"]).conventions.frozen
    wide = account.subs({"T": 7, "tied": "true"})
    assert account.params.value - wide.params.value == 32000 * 4096


def test_files_folders_and_standard_input_are_read(tmp_path):
    config = {"model_type": "gpt2", "n_layer": 2}
    expected = parameters(config, tmp_path)
    assert derive(str(tmp_path)).params.value == expected
    assert derive(str(tmp_path / "config.json")).params.value == expected
    piped = subprocess.run(
        [sys.executable, "-m", "symledger", "derive", "-", "--json"],
        input=json.dumps(config), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(piped.stdout)["formulas"]["params"]["value"] == str(expected)
    with pytest.raises(BadInput, match=r"cannot be read: No such file"):
        derive(str(tmp_path / "other.json"))


@pytest.mark.parametrize("name", checkpoints())
def test_every_published_configuration_can_be_derived_and_has_a_source(name):
    known = checkpoints()[name]
    assert known.source
    account = derive(name)
    assert not known.config or not {*known.sizes} & {*read(known.config).settings}
    assert account.params.value > 1000
    assert account.flops_forward.value is not None
    if known.total:
        assert known.total.is_told_by(int(account.params.value) + beside(account, known.total))


def beside(account, total):
    """What was published beside what is derived, by the reasons that are given.

    A tower for images, and what is predicted beside the next token, are no sizes of a decoder:
    they are a small part of the whole.
    """
    assert set(total.why) <= set(WHY)
    ours = int(account.params.value)
    if not total.more:
        rest = total.said - ours if isinstance(total.said, int) else 0
        small = set(total.why) & {"vision", "prediction", "scales"} and 0 < rest < ours / 4
        assert rest == 0 or small
        return rest
    at = {str(symbol): n for symbol, n in account.assumed.bindings.items()}
    if "layer" in total.more:
        at["layer"] = int(account.subs(L=at["L"] + 1).params.value) - ours
    return int(sympify(total.more, locals=at))


@pytest.mark.parametrize(
    ("said", "n", "why", "told"),
    [
        (671, 671, (), True), (671, 672, (), False),
        ("6.7B", 6_749_999_999, (), True), ("6.7B", 6_760_000_000, (), False),
        ("6,716M", 6_716_035_072, (), True), ("6,716M", 6_717_000_000, (), False),
        ("21M", 21_596_544, (), False), ("21M", 21_596_544, ("rounded",), True),
        ("21M", 20_999_999, ("rounded",), False),
    ],
)  # fmt: skip
def test_a_number_is_the_published_one_at_the_precision_at_which_it_stands(said, n, why, told):
    assert Total(said, "a paper", why).is_told_by(n) == told


def test_a_name_that_is_not_published_is_refused_with_the_nearest():
    with pytest.raises(SymledgerError, match="Did you mean llama-3-8b"):
        derive("llama-3-8")


def test_a_configuration_that_names_no_family_is_answered_in_one_line():
    with pytest.raises(BadInput, match="does not say its model_type") as error:
        read({"hidden_size": 8})
    assert len(str(error.value)) < 400
