"""Two targets side by side: what differs, and that the lines add up to the difference."""

import json

import pytest

from symledger.accounts.compare import compare
from symledger.errors import BadInput, UnknownTarget
from tests import invoke

PAIRS = [
    ("llama-7b", "llama-3-8b"), ("llama-7b", "mixtral-8x7b"), ("gpt2", "llama-7b"),
    ("Linear(768, 3072)", "Linear(768, 3072, bias=False)"),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_the_lines_add_up_to_the_difference(left, right):
    found = compare(left, right, {} if "(" not in left else {"B": "2"})
    for compared in found.quantities:
        total = compared.total
        assert sum(row.difference for row in compared.rows) == total.difference
        assert total.left.value == found.left[compared.quantity].value
        assert total.right.value == found.right[compared.quantity].value


def test_llama_3_has_a_larger_vocabulary_and_fewer_key_heads():
    """By hand: 96,256 rows more in both tables, 24 of 32 key heads fewer, wider by 3328."""
    found = compare("llama-7b", "llama-3-8b")
    assert ("V", "32,000", "128,256") in found.differing
    assert ("h_kv", "32", "8") in found.differing
    rows = {row.label: row.difference for row in found.quantities[0].rows}
    assert rows["token embedding"] == rows["head"] == 96256 * 4096
    assert rows["block › attention"] == -32 * 2 * 4096 * (4096 - 1024)
    assert rows["block › feed forward"] == 32 * 3 * 4096 * 3328


def test_both_see_the_shorter_context_unless_it_is_set():
    assert compare("llama-7b", "llama-3-8b").right.assumed.bindings[_T()] == 2048
    assert compare("llama-7b", "llama-3-8b", {"T": "64"}).right.assumed.bindings[_T()] == 64


def _T():  # noqa: N802  # the symbol
    from symledger.sizes import T

    return T


def test_what_has_no_value_or_is_not_there_is_refused():
    with pytest.raises(BadInput, match="params of llama has no value"):
        compare("llama", "llama-7b")
    with pytest.raises(BadInput, match=r"flops\.forward of Linear.* has no value"):
        compare("Linear(3, 4)", "Linear(3, 5)", quantities=["flops.forward"])
    with pytest.raises(UnknownTarget, match="Did you mean llama-7b"):
        compare("llama-7", "llama-7b")


def test_what_has_no_value_is_left_out_where_nothing_is_asked_for():
    found = compare("Linear(3, 4)", "Linear(3, 5)")
    assert [(c.quantity, c.total.difference) for c in found.quantities] == [("params", 4)]
    assert found.left_out == {"flops.forward": ("B",)}
    shown = invoke.run("compare", "Linear(3, 4)", "Linear(3, 5)").out
    assert "flops.forward has no value: give --set B=…" in shown
    assert not compare("Linear(3, 4)", "Linear(3, 5)", {"B": "2"}).left_out


def test_the_command_prints_text_and_json():
    text = invoke.run("compare", "llama-7b", "llama-3-8b")
    assert text.code == 0
    assert "-805,306,368" in text.out
    data = json.loads(invoke.run("compare", "llama-7b", "llama-3-8b", "--json").out)
    assert data["quantities"]["params"]["total"]["difference"] == "1291845632"
    assert invoke.run("compare", "llama-7b", "nothing-like-it").code == 3
