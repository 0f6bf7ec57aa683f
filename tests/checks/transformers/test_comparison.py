"""Published configurations built by transformers: the same weights, tensor by tensor, and FLOPs."""

import json

import pytest

pytest.importorskip("torch", reason="needs PyTorch")
pytest.importorskip("transformers", reason="needs PyTorch")
pytest.importorskip("diffusers", reason="needs PyTorch")

from huggingface_hub.errors import StrictDataclassError

from symledger import derive
from symledger.catalogue.checkpoints import checkpoints
from symledger.checks.traced.vectors import LAYERS
from symledger.checks.transformers import building, passes
from symledger.checks.transformers import comparison as built
from symledger.config_keys.family import facts
from symledger.configs import reference
from symledger.configs.families import every_family, loaded
from symledger.configs.reader import named
from symledger.errors import BadInput, SymledgerError
from symledger.evidence import records as evidence

FIRST = {
    known.config[named(known.config)]: name
    for name, known in reversed(checkpoints().items()) if known.config
}  # fmt: skip
"""One published configuration of each family."""
DECODED = {"gpt2", "llama", "gemma2", "falcon", "t5", "mamba2"}
"""Families of which a token after others is asked about, at least."""


@pytest.mark.parametrize("model_type", FIRST)
def test_the_implementation_has_our_weights_and_flops(model_type, tmp_path):
    found = list(built.witnessed(derive(fewer(FIRST[model_type], tmp_path / "config.json"))))
    assert found
    assert [e.detail for e in found if not e.passed] == []
    asked = {e.quantity for e in found}
    assert "flops.decode" in asked or model_type not in DECODED


def fewer(name, path):
    """Return a published configuration with four layers, if that is one: the whole is recorded."""
    known = checkpoints()[name].config
    family = loaded(named(known), known[named(known)])
    deep = [key for key, use in family.uses.items() if {*use.called(key)} & {*LAYERS}]
    path.write_text(json.dumps({**known, **{key: 4 for key in deep if key in known}}), "utf-8")
    try:
        derive(str(path))
    except SymledgerError:
        return name
    return str(path)


MAMBA2 = {"model_type": "mamba2", "hidden_size": 24, "num_hidden_layers": 2, "num_heads": 6,
          "head_dim": 8, "n_groups": 2, "vocab_size": 97}  # fmt: skip


@pytest.mark.parametrize("state", [1, 5])
@pytest.mark.parametrize("chunk", [1, 3])
def test_sums_over_one_element_are_all_that_the_counter_leaves_out(state, chunk, tmp_path):
    """Of d_s, scores and what is read; of Q, what is mixed in a chunk and what it ends with."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**MAMBA2, "state_size": state, "chunk_size": chunk}), "utf-8")
    found = derive(str(path), {"B": 2, "T": 16})
    model, chunks = building.build(found.target.configured), -(-16 // chunk)
    rows = 2 * 2 * 2 * chunks * 6  # 2 FLOP, L, B, n_c, h
    states = rows * (chunk * chunk + chunk * 8) if state == 1 else 0
    single = rows * (chunk * 8 + 8 * state) if chunk == 1 else 0
    assert found.flops_forward.value - states - single == passes.flops(model, {"B": 2, "T": 16})[0]
    told = {key.name for key in found.target.configured.keys if "over one element" in key.sets}
    assert told == {n for n, size in (("state_size", state), ("chunk_size", chunk)) if size == 1}



MIXED = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 8}
SMALL = {"vocab_size": 100, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
MASKING = {
    **SMALL, "intermediate_size": 24, "max_position_embeddings": 32, "num_hidden_layers": 2,
    "pad_token_id": 0,
}  # fmt: skip
NARROW = {key: {"embedding_size": 8} for key in ("albert", "electra")}
ALONE = {
    "vocab_size": 100, "d_model": 16, "encoder_layers": 1, "decoder_layers": 2,
    "encoder_attention_heads": 3, "decoder_attention_heads": 4, "encoder_ffn_dim": 9,
    "decoder_ffn_dim": 24, "pad_token_id": 0, "is_decoder": True,
}  # fmt: skip
TWO = {**ALONE, "encoder_attention_heads": 2, "is_decoder": False, "max_position_embeddings": 32}
T5 = {
    "vocab_size": 100, "d_model": 16, "d_kv": 4, "d_ff": 24, "num_heads": 2, "num_layers": 1,
    "num_decoder_layers": 2,
}  # fmt: skip
UNET = {
    "_class_name": "UNet2DConditionModel", "norm_num_groups": 2, "layers_per_block": 1,
    "cross_attention_dim": 5, "sample_size": [8, 24],
}  # fmt: skip
DOWN, UP = "CrossAttnDownBlock2D", "CrossAttnUpBlock2D"
SDXL = {
    **UNET, "layers_per_block": 2, "down_block_types": ["DownBlock2D", DOWN, DOWN],
    "up_block_types": [UP, UP, "UpBlock2D"], "addition_embed_type": "text_time",
    "addition_time_embed_dim": 4, "projection_class_embeddings_input_dim": 31,
}  # fmt: skip
DIT = {
    "_class_name": "DiTTransformer2DModel", "norm_type": "ada_norm_zero", "in_channels": 3,
    "num_attention_heads": 3, "attention_head_dim": 4, "sample_size": 6,
}  # fmt: skip
UNUSUAL = {
    "a mixer as wide as is said": {
        "model_type": "mamba", "vocab_size": 100, "hidden_size": 16, "num_hidden_layers": 1,
        "state_size": 4, "intermediate_size": 24,
    },
    "labels without names": {
        **SMALL, "model_type": "bert", "architectures": ["BertForSequenceClassification"],
        "intermediate_size": 24, "max_position_embeddings": 32, "num_labels": 5,
    },
    "key heads of a saved file": {
        "model_type": "gpt_bigcode", "vocab_size": 100, "n_embd": 16, "n_layer": 1, "n_head": 2,
        "n_positions": 32, "num_key_value_heads": 1,
    },
    "two experts": {
        **SMALL, "model_type": "phimoe", "num_key_value_heads": 2, "intermediate_size": 24,
        "max_position_embeddings": 32, "num_local_experts": 4, "sliding_window": 32,
    },
    "nothing to be tied": {
        **SMALL, "model_type": "bert", "architectures": ["BertForSequenceClassification"],
        "intermediate_size": 24, "max_position_embeddings": 32, "tie_word_embeddings": False,
    },
    "a window in some layers of a mixture": {
        **SMALL, "model_type": "qwen2_moe", "num_key_value_heads": 2, "num_hidden_layers": 3,
        "use_sliding_window": True, "max_window_layers": 1, **MIXED,
        "shared_expert_intermediate_size": 12,
    },
    "a mixture whose layers are all dense": {
        **SMALL, "model_type": "qwen2_moe", "num_key_value_heads": 2, "intermediate_size": 24,
        "decoder_sparse_step": 2, **MIXED, "shared_expert_intermediate_size": 12,
    },
    "first layers dense, and no others": {
        **SMALL, "model_type": "glm4_moe", "num_key_value_heads": 2, "intermediate_size": 24,
        "head_dim": 8, "first_k_dense_replace": 3, "n_routed_experts": 4, "n_group": 1,
        "moe_intermediate_size": 8, "num_experts_per_tok": 2,
    },
    "an odd share of a head": {
        **SMALL, "model_type": "gpt_neox", "hidden_size": 20, "intermediate_size": 24,
        "rotary_pct": 0.5,
    },
    "layers of an encoder by another name, which the decoder does not hear": {
        "model_type": "t5", "vocab_size": 100, "d_model": 16, "d_kv": 4, "d_ff": 24, "num_heads": 2,
        "num_hidden_layers": 2,
    },
    "positions behind another row of padding": {
        **SMALL, "model_type": "roberta", "intermediate_size": 24, "max_position_embeddings": 32,
        "pad_token_id": 5,
    },
    "layers that see what is near, biases, a head of its own": {
        **SMALL, "model_type": "modernbert", "architectures": ["ModernBertForMaskedLM"],
        "num_hidden_layers": 5, "intermediate_size": 24, "max_position_embeddings": 32,
        "pad_token_id": 0, "local_attention": 5, "global_attn_every_n_layers": 2,
        "attention_bias": True, "mlp_bias": True, "norm_bias": True, "classifier_bias": True,
        "decoder_bias": False, "tie_word_embeddings": False,
    },
    "an encoder whose first layer alone sees everything": {
        **SMALL, "model_type": "modernbert", "architectures": ["ModernBertForTokenClassification"],
        "num_hidden_layers": 3, "intermediate_size": 24, "max_position_embeddings": 32,
        "pad_token_id": 0, "layer_types": ["full_attention", *["sliding_attention"] * 2],
    },
    "half a head, as a saved file says it": {
        **SMALL, "model_type": "glm4_moe", "num_key_value_heads": 2, "intermediate_size": 24,
        "head_dim": 8, "first_k_dense_replace": 0, "n_routed_experts": 4, "n_group": 1,
        "moe_intermediate_size": 8, "num_experts_per_tok": 2,
        "rope_parameters": {
            "rope_type": "default", "rope_theta": 1.0, "partial_rotary_factor": 0.5,
        },
    },
    "tokens that see both ways, in some layers what is near": {
        **SMALL, "model_type": "gemma3_text", "architectures": ["Gemma3TextModel"],
        "num_hidden_layers": 3, "num_key_value_heads": 1, "head_dim": 8, "intermediate_size": 24,
        "max_position_embeddings": 32, "sliding_window": 5, "sliding_window_pattern": 2,
        "use_bidirectional_attention": True,
    },
    "a width that nothing reads": {
        "model_type": "mpt", "vocab_size": 100, "d_model": 16, "n_layers": 1, "n_heads": 2,
        "expansion_ratio": 2,
    },
    **{
        f"the gate of a {model_type} through another nonlinearity": {
            **SMALL, "model_type": model_type, "num_key_value_heads": 1, "intermediate_size": 24,
            "pad_token_id": 0, key: act,
        } for model_type, key, act in (
            ("mistral", "hidden_act", "gelu"), ("qwen2", "hidden_act", "relu"),
            ("phi3", "hidden_act", "gelu_new"), ("olmo2", "hidden_act", "quick_gelu"),
            ("gemma2", "hidden_activation", "silu"), ("glm4", "hidden_act", "gelu"),
            ("seed_oss", "hidden_act", "gelu_pytorch_tanh"), ("mixtral", "hidden_act", "gelu"),
        )
    },
    "a gate through another nonlinearity": {
        **SMALL, "model_type": "llama", "num_key_value_heads": 1, "intermediate_size": 24,
        "hidden_act": "gelu", "mlp_bias": True,
    },
    "the same, of what is like it": {
        **SMALL, "model_type": "granite", "num_key_value_heads": 1, "intermediate_size": 24,
        "hidden_act": "gelu_pytorch_tanh",
    },
    "the next token, scored by what unmasks": {
        **SMALL, "model_type": "bert", "architectures": ["BertLMHeadModel"],
        "intermediate_size": 24, "max_position_embeddings": 32,
    },
    "the same, of a RoBERTa": {
        **SMALL, "model_type": "xlm-roberta", "architectures": ["XLMRobertaForCausalLM"],
        "intermediate_size": 24, "max_position_embeddings": 32,
    },
    "the same, of an ELECTRA with narrow tables": {
        **SMALL, "model_type": "electra", "architectures": ["ElectraForCausalLM"],
        "intermediate_size": 24, "max_position_embeddings": 32, "embedding_size": 8,
    },
    "several texts to choose from, by an ELECTRA": {
        **SMALL, "model_type": "electra", "architectures": ["ElectraForMultipleChoice"],
        "intermediate_size": 24, "max_position_embeddings": 32, "embedding_size": 8,
    },
    **{
        f"{name}'s decoder alone, with more layers than the encoder": {
            **ALONE, "model_type": model_type, "architectures": [f"{name}ForCausalLM"],
        } for model_type, name in (
            ("bart", "Bart"), ("mbart", "MBart"), ("pegasus", "Pegasus"), ("marian", "Marian"),
        )
    },
    "a decoder of sounds alone, with a head of its own": {
        **ALONE, "model_type": "whisper", "architectures": ["WhisperForCausalLM"],
        "max_source_positions": 20, "max_target_positions": 24, "tie_word_embeddings": False,
    },
    "blocks that are told the step and the class one by one": {
        **DIT, "num_layers": 3, "num_embeds_ada_norm": 7, "out_channels": 6, "patch_size": 2,
    },
    "the same by the older name of the class, a single block": {
        **DIT, "_class_name": "Transformer2DModel", "num_layers": 1, "out_channels": None,
        "cross_attention_dim": None, "use_linear_projection": False, "patch_size": 3,
    },
    "defaults of the newer class under the older name": {
        "_class_name": "Transformer2DModel", "norm_type": "ada_norm_zero", "sample_size": 4,
    },
    "deep transformers at two of three levels, and sizes that are told": {
        **SDXL, "block_out_channels": [6, 24, 16], "attention_head_dim": [5, 6, 4],
        "transformer_layers_per_block": [7, 3, 2], "in_channels": 9,
    },
    "transformers as deep at both levels": {
        **SDXL, "block_out_channels": [12, 8, 12], "attention_head_dim": [1, 2, 3],
        "transformer_layers_per_block": 2, "use_linear_projection": True,
    },
    "heads of one width, and so more of them where levels are wider": {
        **UNET, "block_out_channels": [8, 24, 16, 16], "attention_head_dim": [2, 6, 4, 4],
        "use_linear_projection": True, "upcast_attention": None, "in_channels": 9,
    },
    "heads of one width in narrower and narrower levels": {
        **UNET, "block_out_channels": [24, 12, 6, 6], "attention_head_dim": [8, 4, 2, 2],
        "norm_num_groups": 3, "layers_per_block": 2, "upcast_attention": True,
    },
    "the third level as wide as the first": {
        **UNET, "block_out_channels": [8, 16, 8, 8], "attention_head_dim": [2, 2, 2, 2],
    },
    "a T5 1.1 as the implementation saves it": {
        **T5, "model_type": "t5", "feed_forward_proj": "gated-gelu", "tie_word_embeddings": True,
        "scale_decoder_outputs": False,
    },
    "an mT5 as the implementation saves it": {
        **T5, "model_type": "mt5", "feed_forward_proj": "gated-gelu", "tie_word_embeddings": True,
    },
    **{
        f"{name} that says it is a decoder, as one stack of both always is": {
            **(T5 if name.endswith("T5") else {**ALONE, "encoder_attention_heads": 2}),
            "model_type": model_type, "is_decoder": True,
        } for model_type, name in (
            ("t5", "a T5"), ("mt5", "an mT5"), ("bart", "a BART"), ("pegasus", "a Pegasus"),
            ("mbart", "an mBART"), ("marian", "a Marian"),
        )
    },
    **{
        f"{L} layers of an ALBERT by {groups} groups of {inner}": {
            **SMALL, "model_type": "albert", "architectures": ["AlbertForMaskedLM"],
            "intermediate_size": 24, "max_position_embeddings": 32, "embedding_size": 8,
            "num_hidden_layers": L, "num_hidden_groups": groups, "inner_group_num": inner,
        } for L, groups, inner in ((3, 2, 1), (7, 5, 3), (4, 4, 2))
    },
    **{
        f"a pooler of {width} values that {name} does not have": {
            **SMALL, "model_type": "deberta-v2", "architectures": [f"DebertaV2{name}"],
            "intermediate_size": 24, "max_position_embeddings": 32, "pooler_hidden_size": width,
            "pad_token_id": 0,
        } for name, width in (("ForMaskedLM", 20), ("ForTokenClassification", None))
    },
    **{
        f"{architecture} that is a decoder": {
            **MASKING, **NARROW.get(model_type, {}), "model_type": model_type,
            "architectures": [architecture],
            "is_decoder": True, "tie_word_embeddings": tied,
        } for model_type, architecture, tied in (
            ("bert", "BertModel", True), ("bert", "BertLMHeadModel", False),
            ("bert", "BertForPreTraining", True), ("roberta", "RobertaForCausalLM", True),
            ("xlm-roberta", "XLMRobertaForTokenClassification", True),
            ("electra", "ElectraForCausalLM", False), ("camembert", "CamembertForCausalLM", False),
        )
    },
    **{
        f"{architecture} with a table of its own for the scores": {
            **MASKING, **NARROW.get(model_type, {}), "model_type": model_type,
            "architectures": [architecture],
            "tie_word_embeddings": False,
        } for model_type, architecture in (
            ("bert", "BertForPreTraining"), ("roberta", "RobertaForMaskedLM"),
            ("xlm-roberta", "XLMRobertaForMaskedLM"), ("mpnet", "MPNetForMaskedLM"),
            ("albert", "AlbertForPreTraining"), ("albert", "AlbertForMaskedLM"),
            ("deberta-v2", "DebertaV2ForMaskedLM"),
        )
    },
    **{
        f"{architecture} in which nothing is tied": {
            **TWO, "model_type": model_type, "architectures": [architecture],
            "tie_word_embeddings": False,
        } for model_type, architecture in (
            ("bart", "BartForConditionalGeneration"), ("bart", "BartModel"),
            ("mbart", "MBartForQuestionAnswering"), ("marian", "MarianMTModel"),
            ("pegasus", "PegasusForConditionalGeneration"), ("pegasus", "PegasusForCausalLM"),
        )
    },
    "words that no Pegasus reads": {
        **TWO, "model_type": "pegasus", "decoder_vocab_size": 70,
        "share_encoder_decoder_embeddings": False,
    },
    **{
        f"{architecture} with words of its own, {said}": {
            **TWO, "model_type": "marian", "architectures": [architecture],
            "decoder_vocab_size": 70, **said,
        } for architecture, said in (
            ("MarianMTModel", {}), ("MarianForCausalLM", {}),
            ("MarianMTModel", {"share_encoder_decoder_embeddings": False}),
            ("MarianModel", {"share_encoder_decoder_embeddings": False}),
            ("MarianMTModel", {"share_encoder_decoder_embeddings": False,
                               "tie_word_embeddings": False}),
        )
    },
    **{
        f"layers without positions, {said}": {
            **SMALL, "model_type": "smollm3", "num_key_value_heads": 2, "num_hidden_layers": 4,
            "pad_token_id": 0, "use_sliding_window": True, "sliding_window": 4, **said,
        } for said in (
            {}, {"layer_types": ["sliding_attention"] * 4}, {"no_rope_layers": [0, 0, 0, 0]},
            {"no_rope_layers": [0, 1, 0, 1],
             "layer_types": ["sliding_attention", "full_attention"] * 2},
        )
    },
    "slices of which there is one": {
        "model_type": "bloom", "vocab_size": 100, "hidden_size": 16, "n_layer": 1, "n_head": 2,
        "slow_but_exact": True,
    },
}  # fmt: skip


@pytest.mark.parametrize("unusual", UNUSUAL)
def test_what_few_files_say_is_built_as_it_is_counted(unusual, tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(UNUSUAL[unusual]), "utf-8")
    found = list(built.witnessed(derive(str(path))))
    assert found
    assert [e.detail for e in found if not e.passed] == []


FAILS = (TypeError, ValueError, AttributeError, RuntimeError, ArithmeticError, AssertionError,
         StrictDataclassError)  # fmt: skip
BASES = {
    "mamba": {"vocab_size": 100, "hidden_size": 16, "num_hidden_layers": 1, "state_size": 4},
    "deepseek_v3": {
        **SMALL, "n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 8,
        "first_k_dense_replace": 0, "qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "v_head_dim": 8,
        "kv_lora_rank": 8, "q_lora_rank": None, "num_key_value_heads": 2, "n_group": 2,
        "topk_group": 1,
    },
    "t5": {"vocab_size": 100, "d_model": 16, "d_kv": 8, "d_ff": 24, "num_heads": 2,
           "num_layers": 1, "architectures": ["T5EncoderModel"]},
    "glm": {**SMALL, "pad_token_id": 0, "num_key_value_heads": 2, "head_dim": 8},
    "deberta-v2": {**SMALL, "pad_token_id": 0},
    "phi": {**SMALL, "pad_token_id": 0},
    "smollm3": {**SMALL, "pad_token_id": 0, "num_key_value_heads": 2},
    "ministral": {**SMALL, "pad_token_id": 0, "num_key_value_heads": 2, "head_dim": 8},
}  # fmt: skip
NO_MODEL = [
    ("mistral", {"num_key_value_heads": None}, "MistralConfig of transformers .* a whole number"),
    ("qwen3", {"head_dim": None}, "takes a whole number there"),
    ("qwen2", {"head_dim": None}, "takes a whole number there"),
    ("qwen2_moe", {"num_key_value_heads": None}, "is not a size"),
    ("qwen2", {"max_window_layers": None}, "takes a whole number there"),
    ("qwen2", {"sliding_window": True}, "takes a whole number or null there"),
    ("smollm3", {"use_sliding_window": 0}, "takes true or false there"),
    ("gemma2", {"attn_logit_softcapping": 30}, "takes a number with a point or null there"),
    ("phi", {"rope_parameters": [2]}, "takes an object or null there"),
    ("mamba", {"expand": 2.0}, "takes a whole number there"),
    ("mamba", {"intermediate_size": None}, "intermediate_size = None is not a size"),
    ("ministral", {"head_dim": None}, "head_dim = None is not a size"),
    ("glm", {"head_dim": None}, "head_dim = None is not a size"),
    ("deepseek_v3", {"head_dim": 8}, "head_dim = 8 does not fit qk_rope_head_dim = 4"),
    ("gemma", {"rope_parameters": {"rope_type": "linear", "factor": 2.0, "rope_theta": 1e4,
                                   "partial_rotary_factor": 0.5}}, "all of a head is turned"),
    ("llama", {"pad_token_id": 100}, "pad_token_id = 100 lies outside"),
    ("smollm3", {"layer_types": []}, "does not name the kinds of 1 layers"),
    ("t5", {"relative_attention_num_buckets": 3}, "relative_attention_num_buckets = 3"),
    ("llama", {"hidden_size": 17, "head_dim": 8}, "hidden_size = 17 does not divide into"),
    ("minicpm3", {"hidden_size": 17}, "hidden_size = 17 does not divide into"),
    ("gemma2", {"sliding_window": None}, "sliding_window = null does not fit"),
    ("ministral", {"sliding_window": None}, "sliding_window = null does not fit"),
    ("deberta-v2", {"conv_kernel_size": None}, "conv_kernel_size = None"),
    ("deberta-v2", {"norm_rel_ebd": None}, "norm_rel_ebd = None does not fit: a text"),
    ("deberta-v2", {"attention_head_size": None}, "attention_head_size = None is not a size"),
    ("deepseek_v3", {"n_group": 3, "topk_group": 1}, "n_group = 3 and topk_group = 1"),
    ("deepseek_v3", {"n_group": 8, "topk_group": 1}, "groups of at least 2 experts"),
    ("deepseek_v3", {"n_group": 2, "topk_group": 3}, "do not fit n_routed_experts = 8"),
    ("deepseek_v3", {"n_group": None, "topk_group": 1}, "n_group = None is not a size"),
]


@pytest.mark.parametrize(("model_type", "changed", "said"), NO_MODEL, ids=str)
def test_what_is_refused_is_no_model_of_the_implementation_either(
    model_type, changed, said, tmp_path
):
    base = {"num_key_value_heads": 2, **SMALL, "pad_token_id": 0}
    base = {**BASES.get(model_type, base), "model_type": model_type}
    run(base)
    config = {**base, **changed}
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config), "utf-8")
    with pytest.raises(BadInput, match=said):
        derive(str(path))
    with pytest.raises(FAILS):
        run(config)


def run(config):
    """Build and run the small model that a configuration describes."""
    import torch
    from transformers import AutoModel
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    given = {key: value for key, value in config.items() if key != "model_type"}
    read = CONFIG_MAPPING[config["model_type"]].from_dict(given)
    read._experts_implementation = "eager"
    tokens = torch.zeros(1, 4, dtype=torch.long)
    given = {"decoder_input_ids": tokens} if read.is_encoder_decoder else {}
    AutoModel.from_config(read, attn_implementation="eager")(input_ids=tokens, **given)


def test_a_configuration_that_the_implementation_fails_at_is_refused(monkeypatch):
    def fails(found):
        raise ZeroDivisionError("integer modulo by zero")

    monkeypatch.setattr(building, "_transformer", fails)
    said = "transformers .* builds no GPT2LMHeadModel .*: ZeroDivisionError, integer modulo by zero"
    with pytest.raises(BadInput, match=said):
        list(built.witnessed(derive("gpt2-small")))


def test_flops_are_not_asked_where_a_file_leaves_the_size_of_images_open(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**UNET, "sample_size": None}), "utf-8")
    assert [e.quantity for e in built.witnessed(derive(str(path)))] == ["params"]


def test_another_way_to_embed_the_step_is_told_apart():
    account = derive("dit-xl-2-256-diffusers", {"apart": "false", "L": 2})
    found = {e.quantity for e in built.witnessed(account) if not e.passed}
    assert found == {"params", "flops.forward", "flops.backward"}


def test_another_configuration_is_told_apart():
    account = derive(FIRST["llama"], {"h_kv": 1})
    found = {e.quantity for e in built.witnessed(account) if not e.passed}
    assert found == {"params", "flops.forward", "flops.backward", "flops.decode"}


def test_every_published_configuration_of_an_implementation_is_recorded():
    known = {name for name, one in checkpoints().items() if one.config}
    assert evidence.every_reference().keys() == known


def test_what_was_recorded_of_published_configurations_holds():
    for name, about in evidence.every_reference().items():
        account = derive(name)
        assert all(e.passed for e in about.evidence), name
        assert about.hashes == {q: account.fingerprint(q) for q in about.hashes}, name


KNOWN = [family for family in every_family() if not family.like]


@pytest.mark.parametrize("family", KNOWN, ids=lambda f: f.model_type)
def test_defaults_are_those_of_the_implementation(family):
    assert facts()["families"][family.model_type] == reference.defaults(family)
