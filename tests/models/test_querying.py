"""Decoders with images, at small sizes: FLOPs that PyTorch counts with an image in each sequence.

Measured with transformers 5.23.0 and torch 2.13.0 on a CPU: ``FlopCounterMode``, eager attention,
every expert by itself, pixels that ask for a gradient. Configurations are the small ones of
``tests/configs/types.json`` with what is said here.
"""

import json
from pathlib import Path

import pytest

from symledger import derive

TYPES = Path(__file__).parents[1] / "configs" / "types.json"
SMALL = {
    record["id"].removesuffix("/small0"): record["config"]
    for record in json.loads(TYPES.read_text("utf-8"))["records"]
}  # fmt: skip
OPT = {"qformer_config": {"num_hidden_layers": 4, "cross_attention_frequency": 3},
       "text_config": {"word_embed_proj_dim": 96}, "num_query_tokens": 9}  # fmt: skip
INSIDE = {"insert_layer_id": 1, "vision_config": {"num_hidden_layers": 3, "image_size": 40}}
MIXED = {"vision_config": {"patch_size": 8}}
CHOSEN = {"text_config": {"index_head_dim": 24, "layer_types": [
    "full_attention", "minimax_m3_sparse", "full_attention"]}}  # fmt: skip
MEASURED = [
    ("blip-2", {}, {"T": 50}, 63000736, 126001472),
    ("blip-2", OPT, {"T": 50}, 57946816, 115893632),
    ("instructblip", OPT, {"T": 50, "T_ins": 11}, 63142336, 126284672),
    ("instructblipvideo", OPT, {"T": 50, "T_ins": 11}, 63142336, 126284672),
    ("kosmos-2", {}, {"T": 80}, 100956160, 201912320),
    ("minicpmv4_6", INSIDE, {"T": 30, "H_g": 1, "W_g": 2}, 50720768, 103342080),
    ("minicpmv4_6", {}, {"T": 30, "H_g": 2, "W_g": 2}, 56369152, 114638848),
    ("minicpm_ocr", {}, {"T": 30, "H_g": 3, "W_g": 2}, 42057728, 86016000),
    ("lfm3_vl", MIXED, {"T": 30, "H_g": 2, "W_g": 3}, 55588608, 111177216),
    ("minimax_m3_vl", {}, {"T": 40, "H_g": 2, "W_g": 3}, 80618496, 161236992),
    ("minimax_m3_vl", CHOSEN, {"T": 40, "H_g": 2, "W_g": 2}, 78687232, 153503744),
]


@pytest.mark.parametrize(("name", "said", "at", "forward", "backward"), MEASURED)
def test_flops_with_an_image_are_those_that_pytorch_counts(
    name, said, at, forward, backward, tmp_path
):
    plain = SMALL[name]
    inside = {k: {**plain[k], **v} if isinstance(v, dict) else v for k, v in said.items()}
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**plain, **inside}), "utf-8")
    found = derive(str(path)).subs({"B": 2, **at})
    assert (found.flops_forward.value, found.flops_backward.value) == (forward, backward)


def test_instructblip_is_read_with_llama_where_it_says_so(tmp_path):
    plain = SMALL["instructblip"]
    text = {"model_type": "llama", "vocab_size": 211, "hidden_size": 96, "intermediate_size": 131,
            "num_hidden_layers": 3, "num_attention_heads": 6, "num_key_value_heads": 3,
            "max_position_embeddings": 160, "tie_word_embeddings": True}  # fmt: skip
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**plain, "text_config": text, "num_query_tokens": 6}), "utf-8")
    found = derive(str(path)).subs({"B": 2, "T": 50, "T_ins": 11})
    assert found.params.value == 412206
    assert (found.flops_forward.value, found.flops_backward.value) == (58841536, 117683072)
