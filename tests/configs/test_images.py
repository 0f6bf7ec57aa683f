"""Networks of images that no configuration of a hub describes: by name, exact to the unit.

The totals of torchvision's models are those that its documentation states as num_params
(torchvision 0.20, docs, models); those of others stand with their source.
"""

import json
from collections import Counter
from math import prod
from pathlib import Path

import pytest

from symledger import derive
from symledger.checks.transformers.weights import weights
from symledger.configs.read import read
from symledger.configs.reader import named
from symledger.errors import BadInput

HERE = Path(__file__).parent
NAMES = {
    "torchvision:mobilenet_v2": "mobilenet_v2-1.0", "torchvision:vit_b_16": "vit-base-patch16-224",
    "torchvision:vit_l_16": "vit-large-patch16-224",
    "torchvision:vit_h_14": "vit-huge-patch14-224", "hand:unet": "unet-2015",
    "hand:dit": "dit-xl-2", "diffusers:UNet2DConditionModel": "sd-v1-unet",
}  # fmt: skip
CHANGES = {"hand:dit": lambda r: {"L": r["config"]["depth"]}}
JOINED = {
    "hand:dit", "torchvision:vit_b_16", "torchvision:vit_l_16", "torchvision:vit_h_14",
    "diffusers:UNet2DConditionModel",
}  # fmt: skip
"""Where queries, keys and values, or a gate and what it multiplies, stand in one tensor."""


MEASURED = {
    *NAMES, *(f"torchvision:{name}" for name in
              ("vgg16", "resnet18", "resnet50", "resnext50_32x4d", "efficientnet_b0")),
}  # fmt: skip


def records(name):
    found = json.loads((HERE / f"{name}.json").read_text("utf-8"))["records"]
    return [r for r in found if "model_type" not in r["config"] and r["class"] in MEASURED]


def account(record, settings, **how):
    name = NAMES.get(record["class"], record["class"].removeprefix("torchvision:"))
    changed = CHANGES.get(record["class"], lambda r: {})(record)
    return derive(name, {**changed, **settings}, **how)


def shapes(tensors):
    """How many of each shape, however their axes are ordered."""
    found = Counter()
    for rows in tensors:
        for shape, number in rows:
            found[tuple(sorted(n for n in shape if n != 1))] += number
    return found


@pytest.mark.parametrize("record", records("models"), ids=lambda r: r["id"])
def test_every_shape_is_there_as_often_as_in_the_implementation(record):
    found = account(record, {})
    assert found.params.value == record["params"]
    assert found["memory.gradients"].value == 4 * record["trainable"]
    ours = shapes(rows.items() for rows in weights(found).values())
    theirs = shapes(record["tensors"].values())
    joined = (ours - theirs, theirs - ours)
    assert len({sum(prod(s) * n for s, n in part.items()) for part in joined}) == 1
    assert bool(joined[0]) == (record["class"] in JOINED)




@pytest.mark.parametrize("record", records("flops"), ids=lambda r: f"{r['id']}-{r['B']}")
def test_flops_are_those_that_pytorch_counts(record):
    found = account(record, {"B": record["B"]}, input_gradient=False)
    assert found.flops_forward.value == record["forward"]
    assert found.flops_training.value == record["training"]


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("vgg11", 132863336), ("vgg13", 133047848), ("vgg19", 143667240), ("vgg11_bn", 132868840),
        ("vgg13_bn", 133053736), ("vgg16_bn", 138365992), ("vgg19_bn", 143678248),
        ("resnet34", 21797672), ("resnet101", 44549160), ("resnet152", 60192808),
        ("resnext101_32x8d", 88791336), ("resnext101_64x4d", 83455272),
        ("wide_resnet50_2", 68883240), ("wide_resnet101_2", 126886696),
        ("efficientnet_b1", 7794184), ("efficientnet_b2", 9109994), ("efficientnet_b3", 12233232),
        ("efficientnet_b4", 19341616), ("efficientnet_b5", 30389784),
        ("efficientnet_b6", 43040704), ("efficientnet_b7", 66347960),
        ("convnext-tiny", 28589128), ("convnext-small", 50223688), ("convnext-base", 88591464),
        ("convnext-large", 197767336),
        ("vit-base-patch32-224", 88224232), ("vit-large-patch32-224", 306535400),
        # timm's deit_tiny_patch16_224 and deit_small_patch16_224
        ("deit-tiny-patch16-224", 5717416), ("deit-small-patch16-224", 22050664),
        # facebook/dinov2-*: the parameters of the published weights
        ("dinov2-small", 22056576), ("dinov2-base", 86580480), ("dinov2-large", 304368640),
        ("dinov2-giant", 1136480768),
        # google/siglip-base-patch16-224: the parameters of the published weights
        ("siglip-base-patch16-224", 203155970),
        # openai/CLIP: the sum over model.parameters()
        ("clip-vit-base-patch16", 149620737), ("clip-vit-large-patch14", 427616513),
        ("clip-vit-large-patch14-336", 427944193),
    ],
)  # fmt: skip
def test_parameters_are_those_that_are_published(name, params):
    assert derive(name).params.value == params


@pytest.mark.parametrize(
    ("name", "millions"),
    [
        # Peebles, Xie (2023), table 4: params (M)
        ("dit-s-8", 33), ("dit-s-4", 33), ("dit-s-2", 33), ("dit-b-8", 131), ("dit-b-4", 130),
        ("dit-b-2", 130), ("dit-l-8", 459), ("dit-l-4", 458), ("dit-l-2", 458), ("dit-xl-8", 676),
        ("dit-xl-4", 675), ("dit-xl-2", 675),
        # what the code of CompVis and of Stability AI says when it is made: 859.52 M, 865.91 M,
        # 2567.46 M
        ("sd-v1-unet", 860), ("sd-v2-unet", 866), ("sdxl-base-unet", 2567),
        # open_clip, docs/model_profile.csv: params (M)
        ("clip-vit-h-14-laion2b", 986), ("clip-vit-bigg-14-laion2b", 2540),
    ],
)  # fmt: skip
def test_parameters_round_to_what_is_published(name, millions):
    """A table of positions that is not trained is not among them."""
    trained = derive(name)["memory.gradients"].value / 4
    assert round(trained / 10**6) == millions


@pytest.mark.parametrize(
    ("name", "settings", "height"),
    [("resnet50", {"H": 225, "W": 225}, 8), ("efficientnet_b3", {}, 10),
     ("mobilenet_v2-1.0", {"H": 97, "W": 97}, 4)],
)  # fmt: skip
def test_images_that_do_not_divide_are_rounded_up_at_every_halving(name, settings, height):
    found = derive(name, settings)
    assert {str(s): n for s, n in found.assumed.bindings.items()}["H_5"] == height


def test_parts_of_clip_may_be_said_twice(tmp_path):
    """Files of 2022 do, with every key of a model that scores tokens in either part."""
    parts = {"text_config": {"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2},
             "vision_config": {"hidden_size": 32, "num_attention_heads": 2, "patch_size": 16}}
    once = {"model_type": "clip", **parts}
    twice = {**once, "tie_word_embeddings": True}
    for name, part in parts.items():
        twice[name] = {**part, "tie_word_embeddings": True, "bos_token_id": 0}
        twice[f"{name}_dict"] = part
    assert read(twice).settings == read(once).settings


HIDDEN = {"model_type": "vit", "architectures": ["ViTForMaskedImageModeling"]}
SEEN = {"model_type": "clip", "architectures": ["CLIPForImageClassification"]}
UNET = {"_class_name": "UNet2DConditionModel"}
DOWN = ["DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"]
UP = ["CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"]
SDXL = {
    **UNET, "block_out_channels": [320, 640, 1280], "attention_head_dim": [5, 10, 20],
    "transformer_layers_per_block": [1, 2, 10], "down_block_types": DOWN, "up_block_types": UP,
    "addition_embed_type": "text_time", "addition_time_embed_dim": 256,
    "projection_class_embeddings_input_dim": 2816,
}  # fmt: skip
DIT = {"_class_name": "DiTTransformer2DModel"}
OLDER = {"_class_name": "Transformer2DModel"}
ODD = json.loads((HERE / "images.json").read_text("utf-8"))["records"]


@pytest.mark.parametrize("record", ODD, ids=lambda r: r[0][named(r[0])])
def test_small_models_of_odd_sizes_are_counted_to_the_unit(record, tmp_path):
    config, image, params, flops = record
    (tmp_path / "config.json").write_text(json.dumps(config), "utf-8")
    found = derive(str(tmp_path), {"B": 2, **dict(zip("HWS", image, strict=False))})
    assert found.params.value == params
    assert found.flops_forward.value == flops


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"model_type": "clip", "text_config": 3}, "a configuration is meant"),
        ({"model_type": "clip", "text_config": {"foo": 1}}, "the key foo = 1 is not understood"),
        ({"model_type": "clip", "text_config": {"model_type": "bert"}}, "not clip_text_model"),
        ({"model_type": "clip", "text_config_dict": {"hidden_size": 8}},
         "before text_config, says hidden_size = 8, and text_config 512"),
        ({"model_type": "clip", "vision_config": {"patch_size": 16}, "vision_config_dict": {}},
         "says patch_size = 32, and vision_config 16"),
        ({"model_type": "clip", "text_config": 3, "text_config_dict": {"foo": 1}}, "says foo = 1"),
        ({"model_type": "clip", "text_config_dict": 3}, "an object is meant"),
        ({"model_type": "vit", "patch_size": [16, 8]}, "only squares are"),
        ({"model_type": "vit", "patch_size": 300}, "H_p = floor"),
        ({**HIDDEN, "patch_size": 8}, "encoder_stride = 16 does not fit patch_size = 8"),
        ({**HIDDEN, "image_size": 230}, "image_size = 230 does not divide into patches"),
        ({**HIDDEN, "image_size": [224, 224]}, r"image_size = \[224, 224\] is not a size"),
        ({**SEEN, "text_config": {"hidden_size": 100}}, "hidden_size = 100 does not divide into"),
        ({**SEEN, "text_config": {"foo": 1}}, "the key foo = 1 is not understood"),
        ({"model_type": "dinov2", "image_size": [28, 42]}, "only squares are"),
        ({"model_type": "dinov2", "mlp_ratio": 2.5}, "mlp_ratio = 2.5 is not a size"),
        ({"model_type": "dinov2", "architectures": ["Dinov2Backbone"]}, "not supported"),
        ({"model_type": "siglip", "text_config": {"hidden_size": 96}}, "Say projection_size"),
        ({"model_type": "siglip", "text_config": 3}, "a configuration is meant"),
        ({"model_type": "siglip", "vision_config": {"vision_use_head": False}},
         "only True is: what is compared with a text is what the head makes"),
        ({"model_type": "siglip_vision_model", "image_size": [224, 224]}, "is not a size"),
        ({"model_type": "resnet", "depths": [1, 1, 1]}, "models of 4 stages are"),
        ({"model_type": "resnet", "hidden_sizes": [6, 7, 8, 9]}, "divisible by 4"),
        ({"model_type": "convnext", "layer_scale_init_value": None}, "a number is meant"),
        ({"model_type": "mobilenet_v2", "output_stride": "16"}, "'16' is not a size"),
        ({"model_type": "mobilenet_v2", "depth_multiplier": -1}, "a number above 0 is"),
        ({**UNET, "use_linear_projection": 1}, "bool is meant"),
        ({**UNET, "block_out_channels": [8, 8, 16, 16]}, "as wide as the one before are not"),
        ({**UNET, "block_out_channels": [8, 16, 16, 16]}, "as wide as the one before are not"),
        ({**UNET, "block_out_channels": [8, 16, 24, 32]}, "but for the last one"),
        ({**UNET, "attention_head_dim": [5, 10, 20, 10]}, "or heads of the same width"),
        ({**UNET, "attention_head_dim": [3, 6, 12, 12]}, "or heads of the same width"),
        ({**UNET, "attention_head_dim": [5, 10, 20]}, "is not a size"),
        ({**UNET, "attention_head_dim": 7}, "C_1/h = 320/7"),
        ({**UNET, "layers_per_block": [2, 2, 2, 2]}, "only"),
        ({**UNET, "nonsense": 1}, "not understood"),
        ({**SDXL, "block_out_channels": [8, 8, 16]}, "as wide as the one before are not"),
        ({**SDXL, "block_out_channels": [8, 16, 24, 24]}, "models of 3 stages are"),
        ({**SDXL, "attention_head_dim": 8}, "as wide at the second level as at the third"),
        ({**SDXL, "attention_head_dim": [5, 10]}, "is not a size"),
        ({**SDXL, "transformer_layers_per_block": [1, 2]}, "is not a size"),
        ({**SDXL, "transformer_layers_per_block": [1, 2, [1, 2]]}, "is not a size"),
        ({**SDXL, "projection_class_embeddings_input_dim": 1536}, "six numbers of an image"),
        ({**SDXL, "addition_time_embed_dim": None}, "is not a size"),
        ({**SDXL, "addition_embed_type": "text"}, "only \\['Cross"),
        ({**SDXL, "layers_per_block": 1}, "only 2 is"),
        ({**SDXL, "time_cond_proj_dim": 256}, "only None is"),
        ({**UNET, "down_block_types": DOWN}, "only"),
        ({**DIT, "norm_type": "ada_norm"}, "only 'ada_norm_zero' is"),
        ({**DIT, "norm_elementwise_affine": True}, "only False is"),
        ({**DIT, "attention_bias": False}, "only True is"),
        ({**DIT, "activation_fn": "geglu"}, "only 'gelu-approximate' or 'gelu' or"),
        ({**DIT, "out_channels": 12}, "or twice as many"),
        ({**DIT, "out_channels": 4.0}, "is not a size"),
        ({**DIT, "sample_size": 33}, "does not divide into patches of patch_size = 2"),
        ({**DIT, "sample_size": [32, 32]}, "is not a size"),
        ({**DIT, "attention_head_dim": 5, "num_attention_heads": 2}, "divisible by 4"),
        ({**OLDER, "num_layers": 2}, "norm_type is missing"),
        ({**OLDER, "norm_type": "ada_norm_single"}, "only 'ada_norm_zero' is"),
        ({**OLDER, "norm_type": "ada_norm_zero", "cross_attention_dim": 8}, "only None is"),
        ({"_class_name": "UNet2DModel"}, "Did you mean UNet2DConditionModel"),
        ({"_class_name": 5}, "_class_name 5 is not supported"),
        ({"model_type": "swin", "image_size": 128}, "window_size = 7 does not fit image_size"),
        ({"model_type": "swin", "num_heads": [3, 5, 12, 24]}, "num_heads.1. = 5 does not fit"),
        ({"model_type": "swin", "mlp_ratio": 2.5}, "whole numbers are"),
        ({"model_type": "swin", "depths": [2, 2, 6]}, "models of 4 stages are"),
        ({"model_type": "beit", "use_relative_position_bias": True,
          "use_shared_relative_position_bias": True}, "would add biases of its own"),
        ({"model_type": "beit", "architectures": ["BeitForSemanticSegmentation"]}, "not supported"),
        ({"model_type": "data2vec-vision", "hidden_size": 100}, "does not divide into"),
        ({"model_type": "yolos", "image_size": [500, 860]}, "would be another number of positions"),
        ({"model_type": "vit_mae", "mask_ratio": 1.0}, "a number between 0 and 1 is"),
        ({"model_type": "vit_mae", "image_size": 230}, "does not divide into patches"),
        ({"model_type": "vit_mae", "decoder_hidden_size": 510}, "a quarter of it each"),
        ({"model_type": "segformer", "patch_sizes": [5, 3, 3, 3]}, "would be others"),
        ({"model_type": "segformer", "sr_ratios": [8, 1, 2, 1]}, "behind one that has a key"),
        ({"model_type": "segformer", "num_attention_heads": [1, 3, 5, 8]}, "do not divide it"),
        ({"model_type": "pvt", "sequence_reduction_ratios": [8, 4, 2, 2]}, "belongs to no place"),
        ({"model_type": "pvt_v2", "linear_attention": True}, "made of means of places"),
        ({"model_type": "poolformer", "pool_size": 4}, "an odd number is"),
        ({"model_type": "regnet", "hidden_sizes": [64, 131, 512, 1088], "groups_width": 44},
         "groups do not divide it"),
        ({"model_type": "detr", "backbone": "hrnet_w18"}, "Say backbone_config for another"),
        ({"model_type": "detr", "dilation": True}, "would keep the size of the image"),
        ({"model_type": "detr", "backbone_config": {"model_type": "swin"}}, "not resnet"),
        ({"model_type": "efficientnet", "depth_coefficient": "2"}, "a number above 0 is"),
        ({"model_type": "efficientnet", "hidden_dim": 1280},
         "the last convolution makes 2560 channels .* fails when it is run. Say hidden_dim = 2560"),
        ({"model_type": "efficientnet", "num_block_repeats": [1, 2]}, "7 stages are"),
        ({"model_type": "efficientnet", "image_size": 15}, "H_5 = floor"),
        ({"model_type": "efficientnet", "depthwise_padding": 5}, "numbers of blocks do"),
        ({"model_type": "efficientnet", "kernel_sizes": [3, 3, 3, 3, 3, 3, 3]}, "only"),
    ],
)
def test_what_is_not_supported_is_refused_by_name(config, said, tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(config), "utf-8")
    with pytest.raises(BadInput, match=said):
        derive(str(tmp_path))
