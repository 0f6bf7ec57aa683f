"""Formulas as Python functions give the same exact numbers, with nothing to import."""

import pytest

from symledger import derive
from symledger.report import python

CASES = [
    ("mini_gpt", {}, "params"),
    ("mini_gpt", {"d": 2**40, "L": 10**18, "h": 2**20}, "flops.training"),
    ("gpt3-175b", {}, "memory.training"),
    ("attention", {"d": 96, "h": 12, "B": 2, "T": 7}, "memory.saved"),
    ("llama-7b", {"h_kv": 8}, "flops.backward"),
    ("llama-7b", {"h_kv": 8}, "intensity.forward"),
    ("linear", {"B": 3, "d_in": 5, "d_out": 7}, "intensity.forward"),
    ("dropout", {}, "params"),
]


@pytest.mark.parametrize(("target", "settings", "quantity"), CASES)
def test_the_function_returns_the_value_of_the_formula(
    target: str, settings: dict[str, int], quantity: str
) -> None:
    account = derive(target, settings)
    space: dict[str, object] = {}
    exec(python.write(account, [quantity], 2), space)  # noqa: S102  # our own output, in a test
    function = space[account[quantity].id.replace(".", "_")]
    assert callable(function)
    assert function() == account[quantity].value


def test_sizes_that_do_not_divide_are_refused_not_rounded() -> None:
    account = derive("attention", assume=["h_kv = 1"])
    space: dict[str, object] = {}
    exec(python.write(account, ["params"], 2), space)  # noqa: S102  # our own output, in a test
    function = space["attention_params"]
    assert callable(function)
    assert function(d=64, h=4) == 2 * 64**2 + 2 * 64**2 // 4
    with pytest.raises(ValueError, match="do not divide"):
        function(d=5, h=3)


def test_a_symbol_that_is_a_python_keyword_gets_an_underscore() -> None:
    from symledger.sizes import Size

    assert python.safe(Size("lambda")) == "lambda_"
    assert python.code({((Size("lambda"), 2),): 3}, [Size("lambda")]) == "3*lambda_**2"
