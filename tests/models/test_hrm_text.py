"""HRM-Text: how many runs of its fast stack gradients go back through, and what is refused."""

import json

import pytest

from symledger import derive
from symledger.errors import BadInput

SMALL = {"vocab_size": 10, "hidden_size": 4, "num_attention_heads": 2, "head_dim": 4,
         "intermediate_size": 5, "num_hidden_layers": 2}  # fmt: skip
STACK = 2 * (2 * (5 * 4 * 8 + 3 * 4 * 5) * 7 + 4 * 7**2 * 8)
"""Two blocks at seven tokens: five maps to or from two heads of four, three of a network, and two
products of all pairs."""
HEAD = 2 * 7 * 4 * 10


def account(tmp_path, **keys):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "hrm_text", **SMALL, **keys}), "utf-8")
    return derive(str(path))


@pytest.mark.parametrize(
    ("high", "low", "said", "back"),
    [
        (2, 3, None, 1 + 2), (1, 3, None, 2), (3, 4, [3, 2], 1 + 3 + 2), (2, 3, [], 1 + 1),
        (2, 3, [1, 2, 3], 1 + 2),  # what is said of a third cycle is not read
        (2, 2, None, 1 + 2), (4, 3, [1, 3, 9], 1 + 1 + 3 + 3),  # the last ones go back whole
        (2, 3, [3, 3], 3 + 3), (3, 1, [1], 3),  # all do
        (3, 3, [3, 1, 1], 3 + 1 + 1),  # so does the first, before which nothing was computed
    ],
)  # fmt: skip
def test_gradients_go_back_through_the_last_runs_alone(high, low, said, back, tmp_path):
    found = account(tmp_path, H_cycles=high, L_cycles=low, L_bp_cycles=said).subs(B=1, T=7)
    assert found.flops_forward.value == high * (low + 1) * STACK + HEAD
    assert found.flops_backward.value == 2 * ((high + back) * STACK + HEAD)


@pytest.mark.parametrize("said", [[3, 3, 1], [1, 3, 1, 1], [3, 2, 2]])
def test_cycles_that_go_back_whole_before_others_are_refused(said, tmp_path):
    with pytest.raises(BadInput, match="L_bp_cycles"):
        account(tmp_path, H_cycles=len(said), L_cycles=3, L_bp_cycles=said)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"L_bp_cycles": 2}, "a list of whole numbers"),
        ({"L_bp_cycles": [0]}, r"L_bp_cycles\[0\] = 0"),
        ({"L_bp_cycles": [1.5]}, r"L_bp_cycles\[0\] = 1.5"),
        ({"H_cycles": 0}, "H_cycles = 0"),
        ({"L_cycles": 0}, "L_cycles = 0"),
        ({"hidden_act": "xielu"}, "hidden_act"),
        ({"head_dim": 3}, "head_dim divisible by 2"),
        ({"num_attention_heads": 3}, "does not divide"),
    ],
)
def test_what_is_not_derived_is_refused_by_name(keys, said, tmp_path):
    with pytest.raises(BadInput, match=said):
        account(tmp_path, **keys)


def test_a_file_that_was_saved_says_the_blocks_of_a_stack_apart(tmp_path):
    plain = account(tmp_path)
    saved = account(tmp_path, num_hidden_layers=16, num_layers_per_stack=2)
    assert saved.params.value == plain.params.value
    assert not [k for k in saved.target.configured.keys if "fails unless" in (k.sets or "")]
