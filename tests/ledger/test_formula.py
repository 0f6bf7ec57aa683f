"""A formula: its forms, its value, its writing, and its promised JSON."""

import json
from fractions import Fraction

import pytest
from sympy import Symbol

from symledger import algebra, derive
from symledger.ledger.quantities import QUANTITIES
from symledger.sizes import B, L, T, V, d, d_in, d_out, h


def test_the_mini_gpts_parameters_in_every_form():
    formula = derive("mini_gpt").params
    assert formula.id == "mini_gpt.params"
    assert formula.unit == "parameters"
    assert algebra.canonical(formula.general) == "4*L*d*d_h*h + 2*L*d*d_ff + 2*L*d + V*d + d"
    assert formula.corollary.equals(12 * L * d**2 + 2 * L * d + V * d + d)
    assert formula.assumptions == ("d_h = d/h", "d_ff = 4*d")
    assert formula.text == "12Ld² + 2Ld + Vd + d"
    assert formula.latex == "12 L d^{2} + 2 L d + V d + d"
    assert formula._repr_latex_() == "$\\displaystyle 12 L d^{2} + 2 L d + V d + d$"
    assert formula.value == formula.exact == 131392
    assert isinstance(formula.value, int)
    assert repr(formula) == "<mini_gpt.params: 12Ld² + 2Ld + Vd + d = 131,392 parameters>"


def test_an_unbound_formula_has_no_value():
    formula = derive("linear").params
    assert (formula.value, formula.exact) == (None, None)
    assert repr(formula) == "<linear.params: d_in·d_out + d_out parameters>"


def test_numbers_are_put_in_by_name_or_symbol():
    formula = derive("linear").params
    assert formula.subs(d_in=768) == formula.subs({d_in: 768}) == 769 * d_out
    assert formula.subs({"d_in": 768}, d_out=3072) == 2_362_368


def test_a_ratio_has_a_divisor_and_no_leading_form():
    formula = derive("linear", {"B": 32, "d_in": 128, "d_out": 64})["intensity.forward"]
    assert formula.leading is None
    assert formula.value == Fraction(524_288, 57_600)
    assert algebra.canonical(formula.general) == "2*B*d_in*d_out"
    assert formula.latex.startswith(r"\frac{2 B")
    assert formula.expr.equals(2 * B * d_in * d_out / formula.divisor.expr)
    shown = formula.to_dict()
    assert shown["value"] == "2048/225"
    assert shown["leading"] is None
    assert shown["expr"].startswith("(2*B*d_in*d_out)/(4*")


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_a_fingerprint_depends_on_the_general_form_alone(quantity):
    here, there = derive("gpt2")[quantity], derive("gpt3-175b")[quantity]
    assert here.hash == there.hash
    assert here.general == there.general
    other = derive("gpt2", {"bias": False})[quantity]
    assert (other.hash == here.hash) == (other.expr == here.expr)


def test_fingerprints_of_a_ratio_cover_its_divisor():
    fp32, fp16 = (derive("linear", dtype=t)["intensity.forward"] for t in ("fp32", "fp16"))
    assert fp32.general == fp16.general
    assert fp32.hash != fp16.hash


@pytest.mark.parametrize(
    ("target", "settings", "leading"),
    [
        # the bound, its value at the configuration, the actual error
        ("mini_gpt", {}, {"expr": "12*L*d**2 + V*d", "bound": "Max(1/(6*d), 1/V)",
                          "bound_value": "1/384", "value": "131072", "error": "320/131392"}),
        # unbound: the larger of all charges, whichever that is
        ("llama", {"L": 2, "d": 64, "h": 4, "d_ff": 256},
         {"bound": "Max(2/(3*d_ff), 1/(2*V))", "bound_value": None, "value": None, "error": None}),
        # nothing dropped: no error, and none possible
        ("linear", {"bias": False}, {"expr": "d_in*d_out", "bound": "0", "bound_value": "0",
                                     "value": None, "error": None}),
        ("linear", {"bias": False, "d_in": 3, "d_out": 5},
         {"bound": "0", "bound_value": "0", "value": "15", "error": "0"}),
    ],
)  # fmt: skip
def test_the_leading_form_with_its_bound_and_error(target, settings, leading):
    shown = derive(target, settings).params.to_dict()["leading"]
    assert shown.items() >= leading.items()


def test_an_error_of_fractions_is_still_one_ratio():
    formula = derive(
        "dot_product_attention", {"causal": True, "B": 1, "T": 3, "S": 3, "h": 1, "d_k": 1},
        causal="half",
    )["macs.forward"]  # fmt: skip
    assert formula.value == 9
    odd = derive("self_attention", {"causal": True, "B": 1, "T": 3, "d": 1, "h": 1}, causal="half")
    shown = odd["macs.forward"].to_dict()
    assert Fraction(shown["value"]) == 4 * 3 + 9
    assert Fraction(shown["leading"]["error"]) >= 0


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_the_json_of_a_formula_is_json_and_whole_numbers_are_strings(quantity):
    shown = derive("mini_gpt")[quantity].to_dict()
    assert json.loads(json.dumps(shown)) == shown
    assert shown["id"] == f"mini_gpt.{quantity}"
    assert Fraction(shown["value"]) == derive("mini_gpt")[quantity].exact


@pytest.mark.parametrize(
    ("causal", "pairs"),
    [("full", T**2), ("half", T**2 / 2), ("exact", T * (T + 1) / 2)],
)
@pytest.mark.parametrize(("quantity", "price"), [("flops.forward", 2), ("flops.backward", 4)])
def test_masked_pairs_are_charged_as_agreed(causal, pairs, quantity, price):
    # scores and mix: two contractions over the visible pairs, each with all d
    account = derive("self_attention", {"causal": True}, causal=causal)
    expected = price * (2 * B * d * pairs + 4 * B * T * d**2)
    assert account[quantity].corollary_terms == algebra.terms(expected)


@pytest.mark.parametrize("quantity", ["forward", "backward", "training"])
def test_multiply_adds_are_half_the_operations(quantity):
    account = derive("mini_gpt")
    assert 2 * account[f"macs.{quantity}"].value == account[f"flops.{quantity}"].value


def test_training_is_forward_and_backward():
    account = derive("mini_gpt")
    forward, backward = account.flops_forward, account.flops_backward
    assert account.flops_training.value == forward.value + backward.value
    assert backward.value == 2 * forward.value


def test_deriving_costs_the_same_terms_at_any_depth():
    deep, shallow = derive("mini_gpt", {"L": 10_000}), derive("mini_gpt", {"L": 2})
    for quantity in shallow.quantities:
        assert deep[quantity].general == shallow[quantity].general
    assert deep.params.value == 10_000 * 49_280 + 512 * 64 + 64


def test_symbols_are_the_alphabets():
    assert {L, V, d} <= derive("mini_gpt").params.corollary.free_symbols
    assert h not in derive("mini_gpt").params.corollary.free_symbols
    assert Symbol("d") not in derive("mini_gpt").params.corollary.free_symbols
