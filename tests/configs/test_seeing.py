"""Models that see: what their configurations say together, and what is refused of them."""

import json
from pathlib import Path

import pytest

from symledger import derive
from symledger.configs.read import read
from symledger.errors import BadInput

LLAVA = {"model_type": "llava"}
CLIP = {"model_type": "clip_vision_model", "image_size": 336, "patch_size": 14}


@pytest.mark.parametrize(
    ("name", "count"),
    [
        # the parameters of the classes of transformers 5.23, built without memory, of each file
        ("llava-1.5-7b", 7063427072),
        ("paligemma-3b-224", 2923466480),
        ("qwen2-vl-2b", 2208985600),
        ("qwen2.5-vl-3b", 3754622976),
        ("qwen3-vl-4b", 4437815808),
        ("smolvlm2-500m", 507482304),
    ],
)
def test_published_models_that_see(name, count):
    assert derive(name).params.value == count


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({**LLAVA, "vision_config": {"model_type": "pixtral"}}, "not clip_vision_model"),
        ({**LLAVA, "text_config": {"model_type": "phi"}}, "phi"),
        ({**LLAVA, "vision_feature_layer": [-2, -5]}, "one block of the encoder is read here"),
        ({**LLAVA, "vision_feature_layer": 0}, "counted from 1, or from the last"),
        ({**LLAVA, "vision_feature_layer": -25}, "has 24 blocks"),
        ({"model_type": "smolvlm", "vision_config": {"image_size": 500, "patch_size": 14}},
         "which scale_factor = 2 does not divide"),
        ({"model_type": "paligemma", "projection_dim": 100}, "Say projection_dim = 2048"),
        ({"model_type": "internvl", "downsample_ratio": 0.3}, "one divided by a whole number"),
        ({"model_type": "internvl", "vision_config": {"image_size": [448, 224]}}, "is no square"),
        ({"model_type": "cohere2_vision", "alignment_intermediate_size": 7}, "so it is even"),
        ({"model_type": "qwen2_5_vl_vision", "hidden_size": 64, "fullatt_block_indexes": []},
         "one of 32 blocks has to see all of an image here"),
        ({"model_type": "qwen2_vl_vision", "temporal_patch_size": 4}, "two frames alike"),
        ({"model_type": "qwen3_vl_vision", "deepstack_visual_indexes": [40]}, "from 0 to 26"),
        ({"model_type": "gemma3", "text_config": {"use_bidirectional_attention": True}},
         "derived without images alone"),
        ({"model_type": "siglip2_vision_model", "num_patches": 250}, "of 225 or 256 rows"),
        ({"model_type": "dinov3_vit", "hidden_size": 60, "num_attention_heads": 6},
         "so that 4 divides it"),
        ({"model_type": "deepseek_vl", "vision_config": {"image_size": 8}}, "does not divide"),
        ({"model_type": "lighton_ocr", "spatial_merge_size": 3}, "Choose an image_size"),
        ({"model_type": "hyperclovax_vision_v2", "vision_config": {"fullatt_block_indexes": []}},
         "one of 32 blocks has to see all of an image here"),
        ({"model_type": "qwen3_5", "vision_config": {"out_hidden_size": 64}}, "Say out_hidden"),
        ({"model_type": "glm4v", "vision_config": {"out_hidden_size": 64}}, "Say out_hidden"),
        ({"model_type": "exaone4_5_vision", "num_key_value_heads": 5}, "does not divide num_heads"),
        ({"model_type": "glm4v_vision", "num_heads": 256}, "so that 4 divides it"),
        ({"model_type": "glm4v_vision", "image_size": 8}, "no place is left"),
        ({"model_type": "vipllava", "vision_feature_layer": [-2, 23]}, "each once"),
        ({"model_type": "llava_next", "image_grid_pinpoints": [[336]]}, "no list of pairs"),
        ({"model_type": "llava_next", "image_grid_pinpoints": [[336, 200]]}, "no shape has one"),
        ({"model_type": "kimi_k25", "projection_hidden_size": 8}, "projection_hidden_size = 1152"),
        ({"model_type": "kimi_k25_vision", "pos_emb_width": 32}, "equal sides of each"),
        ({"model_type": "paddleocr_vl_vision", "image_size": 8}, "no place is left"),
        ({"model_type": "llama4_vision_model", "image_size": 42}, "divisible by 28"),
        ({"model_type": "llama4_vision_model", "hidden_size": 1408, "projector_input_dim": 8},
         "Say projector_input_dim = 4096"),
        ({"model_type": "hunyuan_vl_vision", "max_image_size": 8}, "no place is left"),
        ({"model_type": "idefics2_perceiver", "num_key_value_heads": 32}, "is more than"),
        ({"model_type": "ovis2_vision", "hidden_stride": 3}, "divisible by 42"),
        ({"model_type": "ovis2_vision", "vocab_size": 5}, "images are made of"),
        ({"model_type": "ovis2", "hidden_size": 4096, "tie_word_embeddings": False},
         "Say vocab_size = 151936"),
        ({"model_type": "aria", "projector_patch_to_query_dict": {}}, "vectors by patches"),
        ({"model_type": "aria", "max_value_projector_patch_to_query_dict": 255}, "says, 256"),
        ({"model_type": "gemma4_vision", "head_dim": 66}, "Say 64"),
        ({"model_type": "gemma4_vision", "pooling_kernel_size": 1}, "pooling_kernel_size = 1"),
        ({"model_type": "gemma4_vision", "use_clipped_linears": True}, "use_clipped_linears"),
        ({"model_type": "mllama_vision_model", "intermediate_layers_indices": [3, -29]},
         "each once, of num_hidden_layers = 32"),
        ({"model_type": "mllama_vision_model", "max_num_tiles": 3}, "those of 4 tiles"),
        ({"model_type": "mllama_vision_model", "image_size": 13}, "less than patch_size = 14"),
        ({"model_type": "mllama_text_model", "cross_attention_layers": [40]}, "Name some of 0"),
        ({"model_type": "mllama", "vision_config": {"intermediate_layers_indices": [0]}},
         "Say vision_output_dim = 2560"),
        ({"model_type": "deformable_detr", "num_feature_levels": 2}, "num_feature_levels = 2"),
        ({"model_type": "deformable_detr", "backbone_config": {"model_type": "resnet"}},
         "out_indices = [4] of backbone_config does not fit num_feature_levels = 4: [2, 3, 4]"),
        ({"model_type": "deformable_detr", "num_feature_levels": 1,
          "backbone_config": {"model_type": "resnet", "out_features": ["stage3", "stage4"]}},
         "out_indices = [3, 4] of backbone_config does not fit num_feature_levels = 1"),
        ({"model_type": "deformable_detr", "d_model": 48}, "32 groups of channels"),
        ({"model_type": "deformable_detr", "two_stage": True}, "needs with_box_refine = true"),
        ({"model_type": "deformable_detr", "decoder_layers": 1}, "Choose 2 or more"),
        ({"model_type": "deformable_detr", "tie_word_embeddings": False}, "of its own"),
        ({"model_type": "deformable_detr", "dilation": True}, "dilation"),
        ({"model_type": "maskformer", "fpn_feature_size": 48}, "32 groups of channels"),
        ({"model_type": "maskformer", "use_auxiliary_loss": True}, "use_auxiliary_loss"),
        ({"model_type": "maskformer", "backbone_config": {"model_type": "resnet"}}, "resnet"),
        ({"model_type": "maskformer", "decoder_config": {"model_type": "bart"}}, "bart"),
        ({"model_type": "maskformer", "backbone_config": {
            "model_type": "maskformer-swin", "out_features": ["stage3", "stage4"]}},
         "all four stages"),
        ({"model_type": "maskformer", "decoder_config": {"d_model": 20,
          "decoder_attention_heads": 3}}, "decoder_attention_heads"),
        ({"model_type": "hiera", "image_size": [224, 240]}, "32 divides its sides"),
        ({"model_type": "hiera", "patch_size": [8, 8]}, "patch_padding = [3, 3]"),
        ({"model_type": "hiera", "patch_size": [7, 5]}, "only squares"),
        ({"model_type": "hiera", "num_heads": [1, 2, 5, 8]}, "num_heads[2] = 5"),
        ({"model_type": "hiera", "embed_dim_multiplier": 1.0}, "embed_dim_multiplier = 1.0"),
        ({"model_type": "hiera", "masked_unit_attention": [True, False]}, "a list of 4"),
        ({"model_type": "hiera", "masked_unit_attention": [False, True, True, True]},
         "true stands before false"),
        ({"model_type": "hiera", "num_query_pool": 2}, "num_query_pool = 2"),
    ],
)  # fmt: skip
def test_what_does_not_fit_together_is_refused(document, said):
    with pytest.raises(BadInput) as refused:
        read(document)
    assert said in str(refused.value)


def test_the_head_is_tied_as_the_whole_says():
    """But for LLaVA, ShieldGemma, Llama 4 and the older Qwen-VL: files say it of the decoder."""
    tied = {"text_config": {"tie_word_embeddings": True}, "tie_word_embeddings": False}
    assert read({**LLAVA, **tied}).settings["tied"] == "true"
    assert read({"model_type": "internvl", **tied}).settings["tied"] == "false"
    untied = {"text_config": {"tie_word_embeddings": False}, "tie_word_embeddings": False}
    for inside, settled in ((tied, "true"), ({}, "true"), (untied, "false")):
        assert read({"model_type": "shieldgemma2", **inside}).settings["tied"] == settled
    whole = {"model_type": "qwen2_vl", "vision_config": {"hidden_size": 64}, "hidden_size": 64}
    assert read({**whole, "tie_word_embeddings": True}).settings["tied"] == "true"


@pytest.mark.parametrize("whole", [{}, *({"tie_word_embeddings": t} for t in (True, False))])
@pytest.mark.parametrize(("inside", "tied"), [(None, "false"), (True, "true"), (False, "false")])
def test_llama_4_holds_a_decoder_with_its_head_which_ties_it_alone(whole, inside, tied):
    """As its class of transformers 5.23 has the weights, built without memory in all nine ways."""
    text = {} if inside is None else {"tie_word_embeddings": inside}
    seen = {"hidden_size": 1408, "vision_output_dim": 4096}
    document = {"model_type": "llama4", "text_config": text, "vision_config": seen, **whole}
    assert read(document).settings["tied"] == tied


def test_a_decoder_that_is_not_named_is_the_one_of_the_class():
    assert read({"model_type": "internvl"}).settings["text_model"] == "qwen2"
    assert read({"model_type": "qianfan_ocr"}).settings["text_model"] == "qwen3"


def test_keys_of_the_decoder_may_stand_outside_in_older_files():
    old = {"model_type": "qwen2_vl", "vision_config": {"hidden_size": 64}, "hidden_size": 64,
           "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100}  # fmt: skip
    found = read(old).settings
    assert (found["d"], found["h"], found["h_kv"], found["d_img"]) == ("64", "4", "2", "1280")
    assert found["V"] == "100"


def test_an_image_is_as_many_positions_as_the_encoder_gives():
    found = read({**LLAVA, "vision_config": {**CLIP, "image_size": 340}}).settings
    assert (found["H_p"], found["W_p"], found["P"]) == ("24", "24", "14")
    far = {"vision_config": CLIP, "text_config": {"max_position_embeddings": 100}}
    assert read({**LLAVA, **far}).settings["T"] == str(24 * 24 + 2)


SEEN = json.loads((Path(__file__).parent / "seen.json").read_text("utf-8"))["records"]


@pytest.mark.parametrize("record", SEEN, ids=lambda record: record["config"]["model_type"])
def test_flops_with_images_are_those_that_pytorch_counts(record, tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(record["config"]), "utf-8")
    found = derive(str(path), record["sizes"])
    assert found.flops_forward.value == record["forward"]
    assert found.flops_training.value == record["training"]


def test_patches_that_become_one_are_averaged_by_a_product(tmp_path):
    """FLOPs forward and backward that PyTorch counts of Gemma4VisionModel (transformers 5.23.0)."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps({
        "model_type": "gemma4_vision", "hidden_size": 40, "intermediate_size": 83,
        "num_hidden_layers": 2, "num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 12,
        "patch_size": 4, "position_embedding_size": 20,
    }), "utf-8")  # fmt: skip
    found = derive(str(path), {"B": 2, "H_g": 2, "W_g": 3})
    assert (found["flops.forward"].value, found["flops.backward"].value) == (11446272, 22840704)
