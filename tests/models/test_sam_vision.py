"""The encoder of Segment Anything: what is published of it, and what is refused of it."""

import json

import pytest

from symledger import derive
from symledger.configs.read import read
from symledger.errors import BadInput

BASE = {"model_type": "sam_vision_model"}


@pytest.mark.parametrize(
    ("said", "count"),
    [
        # the parameters of SamVisionModel of transformers 5.23, built without memory
        ({}, 89670912),
        ({"hidden_size": 1280, "num_hidden_layers": 32, "num_attention_heads": 16,
          "global_attn_indexes": [7, 15, 23, 31]}, 637026048),
    ],
)  # fmt: skip
def test_published_encoders(said, count, tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**BASE, **said}), "utf-8")
    assert derive(str(path)).params.value == count


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"global_attn_indexes": [12]}, "Name one below 12"),
        ({"use_rel_pos": False}, "how far apart places are"),
        ({"hidden_size": 100}, "does not divide"),
        ({"image_size": 8}, "Choose 16 or more"),
        ({"mlp_ratio": "4"}, "a number above 0"),
    ],
)
def test_what_does_not_fit_is_refused(said, why):
    with pytest.raises(BadInput) as refused:
        read({**BASE, **said})
    assert why in str(refused.value)
