"""Decoders that read pages: what PyTorch counts with an image in each sequence, and refusals.

Measured with transformers 5.23.0 and torch 2.13.0 on a CPU: ``FlopCounterMode``, eager attention,
pixels that ask for a gradient.
"""

import json

import pytest

from symledger import derive
from symledger.configs.read import read
from symledger.errors import BadInput

ENCODER = {
    "hidden_size": 18, "output_channels": 5, "num_hidden_layers": 3, "num_attention_heads": 3,
    "image_size": 64, "patch_size": 4, "mlp_dim": 21, "window_size": 5,
    "global_attn_indexes": [1, 7],
}  # fmt: skip
PLAIN = {**ENCODER, "global_attn_indexes": [0, 1, 2], "qkv_bias": False, "use_abs_pos": False}
TEXT = {
    "vocab_size": 61, "hidden_size": 32, "intermediate_size": 19, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2,
}  # fmt: skip
PERSIMMON = {
    "vocab_size": 61, "hidden_size": 24, "intermediate_size": 19, "num_hidden_layers": 2,
    "num_attention_heads": 3,
}  # fmt: skip
GOT = {"model_type": "got_ocr2", "text_config": TEXT, "vision_config": ENCODER}
FUYU = {
    "model_type": "fuyu", "patch_size": 5, "image_size": 17, "num_channels": 4,
    "text_config": PERSIMMON,
}  # fmt: skip
MEASURED = [
    (GOT, 20, 29536, 23996416, 47992832),
    ({**GOT, "vision_config": PLAIN}, 20, 25294, 39101440, 78202880),
    (FUYU, 13, 12366, 561888, 1123776),
]


@pytest.mark.parametrize(("document", "length", "count", "forward", "backward"), MEASURED)
def test_what_pytorch_counts(document, length, count, forward, backward, tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(document), "utf-8")
    found = derive(str(path)).subs({"B": 2, "T": length})
    assert found.params.value == count
    assert (found.flops_forward.value, found.flops_backward.value) == (forward, backward)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({**GOT, "vision_config": {**ENCODER, "image_size": 40}}, "groups = 4 does not divide"),
        ({**GOT, "vision_config": {**ENCODER, "use_rel_pos": False}}, "how far apart places are"),
        ({**GOT, "text_config": {"model_type": "llama"}}, "not qwen2"),
        ({**FUYU, "image_size": 4}, "Choose 5 or more"),
        ({**FUYU, "text_config": {**PERSIMMON, "num_attention_heads": 5}}, "does not divide"),
    ],
)
def test_what_does_not_fit_is_refused(document, said):
    with pytest.raises(BadInput) as refused:
        read(document)
    assert said in str(refused.value)
