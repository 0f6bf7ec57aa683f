"""Experts that a decoding step touches: every routing of few, and models by hand."""

from fractions import Fraction
from itertools import combinations, product

import pytest

from symledger import derive
from symledger.accounts.compare import compare
from symledger.errors import BadInput
from symledger.inverse.solve import solve
from symledger.ledger.touched import expected, least, most
from tests.invoke import run

SMALL = {"d": 8, "d_ff": 16, "h": 2, "h_kv": 1, "L": 3, "V": 32, "T": 4, "E": 4, "k": 2}


@pytest.mark.parametrize(("k", "E", "B"), [
    (1, 1, 2), (1, 2, 5), (1, 4, 4), (2, 3, 3), (2, 4, 3), (2, 5, 3), (3, 4, 3), (4, 4, 2),
])  # fmt: skip
def test_every_routing_of_few_experts(k, E, B):
    each = tuple(combinations(range(E), k))
    touched = [len(set().union(*routing)) for routing in product(each, repeat=B)]
    assert expected(k, E, B) == Fraction(sum(touched), len(touched))
    assert (least(k, E, B), most(k, E, B)) == (min(touched), max(touched))


def test_mixtral_by_hand():
    account = derive("mixtral-8x7b", {"B": 3})
    touched = 8 * (1 - Fraction(3, 4) ** 3)
    assert account["experts.touched.expected"].value == 32 * touched == 148
    expert = 3 * 4096 * 14336
    besides = account.params.value - 32 * 8 * expert - 32000 * 4096 + 3 * 4096
    for end, n in (("least", 2), ("most", 6), ("expected", touched)):
        assert account[f"experts.touched.{end}"].value == 32 * n
        assert account[f"traffic.weights.{end}"].value == 4 * (besides + 32 * n * expert)


def test_deepseek_by_hand():
    account = derive("deepseek-v3", {"B": 64}, dtype="bf16")
    assert account["experts.touched.expected"].exact == 58 * 256 * (1 - Fraction(31, 32) ** 64)
    assert account["experts.touched.most"].value == 58 * 256
    read, fewest = (account[f"traffic.weights.{end}"].value for end in ("most", "least"))
    assert read - fewest == 2 * 58 * (256 - 8) * 3 * 7168 * 2048


def test_one_sequence_touches_what_is_active():
    account = derive("mixtral", {**SMALL, "B": 1})
    ways = {account[f"traffic.weights.{end}"].value for end in ("least", "most", "expected")}
    assert ways == {4 * (account["params.active"].value - (32 - 1) * 8)}


def test_enough_sequences_read_every_expert():
    account = derive("mixtral", {**SMALL, "B": 2})
    whole = account.params.value
    assert account["traffic.weights.most"].value == 4 * (whole - (32 - 2) * 8)


def test_experts_of_attention_have_a_choice_of_their_own():
    account = derive("jetmoe", {"E": 8, "k": 2, "B": 2, "L": 3})
    assert account["experts.touched.most"].value == 3 * 2 * 4


def test_experts_that_are_looked_up():
    sizes = {"experts": "true", "n_key": 4, "k": 2, "B": 3, "L": 5}
    account = derive("doge", sizes)
    assert account["experts.touched.most"].value == 5 * 6


def test_two_mixtures_are_compared():
    found = compare("mixtral-8x7b", "deepseek-v3", {"B": "4"}, ["experts.touched.most"])
    total = found.quantities[0].total
    assert (total.left.value, total.right.value) == (32 * 8, 58 * 32)


def test_without_values_it_is_a_formula():
    found = derive("mixtral")["traffic.weights.expected"]
    assert found.value is None
    assert "E_t" in found.text


@pytest.mark.parametrize(("name", "settings", "quantity", "said"), [
    ("gpt2", {}, "experts.touched.most", "none of its weights are of routed experts"),
    ("mixture_of_experts", {}, "experts.touched.most", "does not decode"),
    ("mixtral-8x7b", {"B": 10**9}, "experts.touched.expected", "more than 4000 digits"),
])  # fmt: skip
def test_refused_by_name(name, settings, quantity, said):
    with pytest.raises(BadInput, match=said):
        _ = derive(name, settings)[quantity]


def test_it_is_no_polynomial_to_solve_nor_a_function_of_whole_numbers():
    with pytest.raises(BadInput, match="no polynomial in what is free"):
        solve(derive("mixtral-8x7b"), "B", "traffic.weights.most", 10**12)
    asked = ("--quantity", "traffic.weights.most", "--format", "python")
    assert "no function of whole numbers" in run("derive", "mixtral-8x7b", *asked).err


def test_a_long_fraction_is_rounded_on_the_page_and_whole_in_json():
    asked = ("derive", "mixtral-8x7b", "--set", "B=80", "--quantity", "experts.touched.expected")
    assert "\n    ≈ 256 experts" in run(*asked).out
    assert f'"{256 * (1 - Fraction(3, 4) ** 80)}"' in run(*asked, "--json").out
