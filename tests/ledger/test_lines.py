"""The ledger: a tree whose lines add up, arranged by component, for every quantity alike."""

from fractions import Fraction

import pytest
from sympy import Integer

from symledger import algebra
from symledger.accounts.schema import tree_json
from symledger.ledger.lines import Line
from symledger.sizes import L, d, h
from tests.every import CATALOGUE, account


def line(*labels, under):
    """Go down from a line by labels."""
    for label in labels:
        (under,) = [part for part in under.parts if part.label == label]
    return under


def test_a_line_adds_its_own_amount_and_its_parts_and_repeats_them():
    part = Line("part", ("part",), own=d, times=Integer(2))
    whole = Line("whole", (), own=h, times=L, parts=(part, part))
    assert algebra.canonical(part.total) == "2*d"
    assert algebra.canonical(whole.each) == "4*d + h"
    assert algebra.canonical(whole.total) == "4*L*d + L*h"
    assert algebra.terms(whole.written) == whole.total
    assert [each.label for each in whole.walk()] == ["whole", "part", "part"]


@pytest.mark.parametrize("owner", CATALOGUE)
def test_every_line_is_the_sum_of_its_parts(owner):
    for quantity in account(owner).quantities:
        formula = account(owner)[quantity]
        assert formula.general == formula.line.total
        assert algebra.terms(formula.line.written) == formula.line.total
        for each in formula.line.walk():
            parts = algebra.add([algebra.terms(each.own), *(p.total for p in each.parts)])
            assert algebra.multiply(algebra.terms(each.times), parts) == each.total
            assert not (each.parts and each.own != 0), "a line with parts has nothing of its own"


@pytest.mark.parametrize("owner", CATALOGUE)
def test_a_path_ends_in_its_lines_label(owner):
    for quantity in account(owner).quantities:
        root = account(owner)[quantity].line
        for each in root.walk():
            assert each is root or each.path[-1] == each.label


@pytest.mark.parametrize(
    ("labels", "total", "times"),
    [
        (("token_embedding",), "V*d", 1),
        (("block",), "4*L*d*d_h*h + 2*L*d*d_ff + 2*L*d", L),
        (("block", "attention"), "4*d*d_h*h", 1),
        (("block", "attention", "Q"), "d*d_h*h", 1),
        (("block", "attention", "Q", "W"), "d*d_h*h", 1),
        (("block", "feed_forward", "1"), "d*d_ff", 1),
        (("block", "norm_2", "g"), "d", 1),
        (("final_norm",), "d", 1),
        (("head",), "0", 1),
    ],
)
def test_the_parameters_of_the_mini_gpt_line_by_line(labels, total, times):
    found = line(*labels, under=account("mini_gpt").params.line)
    assert algebra.canonical(found.total) == total
    assert found.times == times


def test_a_tied_weight_is_named_where_it_is_used_again_and_costs_nothing():
    head = line("head", "E", under=account("mini_gpt").params.line)
    assert (head.total, head.note) == ({}, "tied to token_embedding.E")


def test_weights_have_shapes_and_only_unrepeated_ones_are_a_lines_own():
    root = account("mini_gpt").params.line
    attention = line("block", "attention", under=root)
    assert [weight.path[-2:] for weight in attention.weights] == [
        ("Q", "W"), ("K", "W"), ("V", "W"), ("O", "W"),
    ]  # fmt: skip
    assert all(len(weight.shape) == 2 and weight.is_leaf for weight in attention.weights)


@pytest.mark.parametrize("quantity", ["params", "flops.forward", "intensity.forward"])
def test_shares_of_the_whole_are_shares(quantity):
    tree = tree_json(account("mini_gpt"), account("mini_gpt")[quantity])
    assert tree["share"] == "1"
    assert sum(Fraction(part["share"]) for part in tree["parts"]) == 1


def test_shares_of_the_mini_gpt():
    tree = tree_json(account("mini_gpt"), account("mini_gpt").params)
    shares = {part["label"]: f"{float(Fraction(part['share'])):.1%}" for part in tree["parts"]}
    assert shares == {
        "token_embedding": "24.9%", "block": "75.0%", "final_norm": "0.0%", "head": "0.0%",
    }  # fmt: skip
