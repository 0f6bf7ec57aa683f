"""Which layers look back at a window, as configurations say it in their several words."""

import pytest

from symledger.configs.read import read
from symledger.errors import BadInput

LISTED = ["sliding_attention", "full_attention", "sliding_attention"]


# As the configuration classes of transformers list layer_types
@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"model_type": "mistral"}, ("all", None, "4096")),
        ({"model_type": "mistral", "sliding_window": None}, ("none", None, None)),
        ({"model_type": "mixtral"}, ("none", None, None)),
        ({"model_type": "qwen2"}, ("none", None, None)),
        ({"model_type": "qwen2", "use_sliding_window": True}, ("some", "4", "4096")),
        ({"model_type": "qwen2", "use_sliding_window": True, "max_window_layers": 0},
         ("all", None, "4096")),
        ({"model_type": "qwen2", "use_sliding_window": True, "max_window_layers": 99},
         ("none", None, None)),
        ({"model_type": "qwen2", "use_sliding_window": True, "sliding_window": None},
         ("none", None, None)),
        ({"model_type": "qwen2_moe", "use_sliding_window": True, "max_window_layers": 21},
         ("some", "11", "4096")),
        ({"model_type": "gemma2"}, ("some", "13", "4096")),
        ({"model_type": "gemma2", "num_hidden_layers": 3, "layer_types": LISTED},
         ("some", "2", "4096")),
        ({"model_type": "gemma3_text"}, ("some", "22", "4096")),
        ({"model_type": "gemma3_text", "sliding_window_pattern": 1}, ("none", None, None)),
        ({"model_type": "gemma3_text", "use_bidirectional_attention": True},
         ("some", "22", "2049")),
        ({"model_type": "gemma3_text", "use_bidirectional_attention": True,
          "sliding_window": 511}, ("some", "22", "256")),
        ({"model_type": "cohere2"}, ("some", "30", "4096")),
        ({"model_type": "olmo3", "num_hidden_layers": 2}, ("all", None, "4096")),
    ],
    ids=str,
)  # fmt: skip
def test_windows_are_those_of_the_class(config, expected):
    found = read(config).settings
    assert tuple(found.get(name) for name in ("windows", "L_w", "w_max")) == expected


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"layer_types": "sliding_attention"}, "does not name the kinds of 3 layers"),
        ({"layer_types": LISTED[:2]}, "does not name the kinds of 3 layers"),
        ({"layer_types": ["linear_attention"] * 3}, "only 'sliding_attention' or"),
        ({"sliding_window": 0}, "out of range"),
        ({"sliding_window": None}, "sliding_window = null does not fit"),
        ({"sliding_window": True}, "is not a size"),
        ({"sliding_window_pattern": 0}, "out of range"),
        ({"num_hidden_layers": 10**17}, "too many"),
    ],
    ids=str,
)
def test_windows_that_make_no_sense_are_refused(changed, said):
    with pytest.raises(BadInput, match=said):
        read({"model_type": "gemma3_text", "num_hidden_layers": 3, **changed})


def test_a_list_without_a_window_is_refused():
    with pytest.raises(BadInput, match="how long it is is not said"):
        read({"model_type": "qwen2", "num_hidden_layers": 3, "layer_types": LISTED})
