"""CPM-Ant: what of prompts, segments and distances its class cannot run is refused."""

import json

import pytest

from symledger import derive
from symledger.errors import BadInput


def account(tmp_path, **keys):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "cpmant", **keys}), "utf-8")
    return derive(str(path))


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"prompt_types": 2}, "prompt_types = 2 is out of range"),
        ({"segment_types": 2}, "segment_types = 2 is out of range"),
        ({"prompt_length": 0}, "prompt_length = 0"),
        ({"position_bias_num_buckets": 3}, "position_bias_num_buckets = 3"),
        ({"position_bias_max_distance": 128}, "has to be above 128"),
    ],
)
def test_what_its_class_cannot_run_is_refused_by_name(keys, said, tmp_path):
    with pytest.raises(BadInput, match=said):
        account(tmp_path, **keys)


def test_a_prompt_costs_what_tokens_cost_but_for_the_head(tmp_path):
    found = account(tmp_path, vocab_size=10, hidden_size=4, num_attention_heads=2, dim_head=3,
                    dim_ff=5, num_hidden_layers=1, prompt_length=2)  # fmt: skip
    maps = 4 * 4 * 6 + 3 * 4 * 5  # Q, K, V, O and three of the network, of each vector
    pairs = 2 * 6  # products with all keys, and a mixture of all values
    every = 2 + 7
    assert found.subs(B=1, T=7).flops_forward.value == 2 * (
        every * maps + every**2 * pairs + 7 * 4 * 10
    )
