"""Sizes that others decide: how many windows fit into an image."""

import pytest
from sympy import floor

from symledger import derive
from symledger.algebra.assumptions import settle
from symledger.checks.exact import value
from symledger.checks.sampling import sizes_for
from symledger.components.convolution.convolution import Conv1d, Conv2d
from symledger.components.convolution.pooling import MaxPool2d
from symledger.components.convolution.transposed import ConvTranspose2d
from symledger.errors import BadInput, Contradiction, DefinitionError
from symledger.ir.shapes import as_size
from symledger.notation.calling import program_of
from symledger.report.page import page
from symledger.sizes import K_h, T, d, p

IMAGE = {"B": 2, "C_in": 3, "C_out": 64, "H": 224, "W": 224}


def bound(account):
    return {symbol.name: n for symbol, n in account.assumed.bindings.items()}


@pytest.mark.parametrize(
    ("chosen", "height", "width"),
    [
        ({"K_h": 3}, 222, 222),
        ({"K_h": 3, "p_h": 1}, 224, 224),
        ({"K_h": 7, "s_h": 2, "p_h": 3}, 112, 112),
        ({"K_h": 3, "s_h": 2, "H": 225}, 112, 111),
        ({"K_h": 3, "r_h": 2}, 220, 220),
        ({"K_h": 1, "K_w": 7, "p_w": 3}, 224, 224),
        ({"K_h": 3, "p_h": 1, "p_w": 0}, 224, 222),
        ({"K_h": 16, "s_h": 16, "G": 1}, 14, 14),
        ({"K_h": 3, "H_o": 222}, 222, 222),
    ],
)
def test_what_is_set_decides_how_many_windows_fit(chosen, height, width):
    account = derive("conv2d", {**IMAGE, **chosen})
    found = bound(account)
    assert (found["H_o"], found["W_o"]) == (height, width)
    assert account.flops_forward.value == (
        2 * 2 * 3 * 64 * found["K_h"] * found["K_w"] * height * width
    )


def test_a_definition_waits_until_everything_in_it_is_known():
    account = derive("conv2d", {"H": 224})
    assert "H_o" not in bound(account)
    assert "H_o" in account.flops_forward.text


@pytest.mark.parametrize(
    ("target", "chosen", "error", "said"),
    [
        ("conv2d", {**IMAGE, "K_h": 3, "H_o": 224}, Contradiction,
         "is 222 with H = 224, K_h = 3, p_h = 0, r_h = 1, s_h = 1, but H_o = 224 was set"),
        ("conv2d", {"H": 4, "K_h": 9}, BadInput, "H_o = .* = -4 is not a positive whole number"),
        ("conv2d", {"C_in": 8, "G": 3}, BadInput, "C_in/G = 8/3 .* Choose C_in divisible by G = 3"),
        ("conv2d", {"p_h": -1}, BadInput, "p_h = -1 is not a size: a whole number from 0"),
        ("conv2d", {"s_h": 0}, BadInput, "s_h = 0 is out of range: sizes are 1"),
        ("max_pool2d", {"K_h": 2, "p_h": 2}, BadInput, "2\\*p_h = 4, but it may not exceed"),
        ("adaptive_avg_pool2d", {"H": 15, "H_o": 7}, BadInput,
         "H/H_o = 15/7 .* Choose H divisible by H_o = 7: 14 or 21"),
        ("vgg16", {"H": 225}, BadInput, "H/2 = 225/2 .* Choose H divisible by 2: 224 or 226"),
    ],
)  # fmt: skip
def test_what_contradicts_is_refused(target, chosen, error, said):
    with pytest.raises(error, match=said):
        derive(target, chosen)


def test_a_padding_may_be_zero_and_not_negative():
    assert bound(derive("conv2d", {"p_h": 0}))["p_h"] == 0
    assert bound(derive("conv2d", assume=["p_h = 0"]))["p_h"] == 0
    assert bound(derive("conv2d", {"K_h": 5}, ["p_h = K_h - 1"]))["p_h"] == 4
    assert bound(derive("conv2d", {"K_h": 1}, ["p_h = K_h - 1"]))["p_w"] == 0
    with pytest.raises(BadInput, match="makes p_h negative; it is a whole number from 0 on"):
        derive("conv2d", assume=["p_h = -1"])


def test_definitions_are_evaluated_last():
    settled = settle({p: as_size(0)}, {}, [], {T: 9, d: 2}, {K_h: floor((T + 2 * p) / d)})
    assert settled.bindings == {T: 9, d: 2, p: 0, K_h: 4}


def test_a_definition_is_shown():
    account = derive("conv1d")
    definition = "floor((T + 2*p - r*(K - 1) - 1)/s) + 1"
    assert account.to_dict()["definitions"] == {"T_o": definition}
    text = " ".join(page(account, (), 9, 100).text().split())
    assert "T_o = ⌊(T + 2 p - (K - 1) r - 1) / s⌋ + 1" in text
    assert account.to_dict()["symbols"].keys() >= {"s", "p", "r", "T_o"}


def test_fields_take_the_place_of_symbols_of_their_name():
    assert Conv1d(K=3, s=d).defined() == {
        symbol: floor((T + 2 * p - symbols["r"] * 2 - 1) / d) + 1
        for symbols in [{s.name: s for s in program_of(Conv1d()).symbols}]
        for symbol in [symbols["T_o"]]
    }
    assert Conv1d(T_o=T).defined() == {T: Conv1d().decided()[Conv1d().T_o]}
    assert Conv1d(T_o=7).defined() == {}


@pytest.mark.parametrize("distinct", [True, False])
@pytest.mark.parametrize("attempt", range(3))
@pytest.mark.parametrize("component", [Conv1d(), Conv2d(), ConvTranspose2d(), MaxPool2d()])
def test_sampled_sizes_obey_definitions(component, attempt, distinct):
    program = program_of(component)
    found = sizes_for(program, attempt, distinct=distinct)
    for symbol, e in program.definitions.items():
        assert found[symbol] == value(e, found)
    assert all(value(a, found) <= value(b, found) for a, b in program.bounds)
    assert all(value(n, found) >= 2 for n in program.lengths)


@pytest.mark.parametrize(("field", "low"), [("p", 0), ("s", 1), ("K", 1)])
def test_a_field_is_at_least_what_its_size_may_be(field, low):
    assert getattr(Conv1d(**{field: low}), field) == low
    with pytest.raises(DefinitionError, match=f"{field} = {low - 1}, but it is at least {low}"):
        Conv1d(**{field: low - 1})
