"""How things are counted: values that travel with every result."""

from fractions import Fraction

import pytest

from symledger import derive
from symledger.errors import BadInput
from symledger.ledger.conventions import CAUSAL, DTYPES, Conventions
from symledger.ledger.optimizers import OPTIMIZERS


@pytest.mark.parametrize(
    ("dtype", "value_bytes"),
    [("fp64", 8), ("fp32", 4), ("tf32", 4), ("fp16", 2), ("bf16", 2), ("fp8", 1), ("int8", 1)],
)
def test_bytes_of_a_value(dtype, value_bytes):
    c = Conventions(dtype)
    assert c.value_bytes == DTYPES[dtype] == value_bytes
    statistic = max(4, value_bytes)
    assert c.storage_bytes == {
        "value": value_bytes, "statistic": statistic, "mask": 1, "index": 8,
        "half": 2, "fp8": Fraction(33, 32), "e5m6": Fraction(49, 32),
    }  # fmt: skip
    assert derive("linear", dtype=dtype, set={"d_in": 3, "d_out": 5})[
        "memory.parameters"
    ].value == value_bytes * (3 * 5 + 5)


@pytest.mark.parametrize(
    ("dtype", "optimizer", "state", "training"),
    # bytes a parameter: of state, and of weight, gradient and state together
    [
        ("fp32", "sgd", 0, 8),
        ("fp32", "momentum", 4, 12),
        ("fp32", "adam", 8, 16),
        ("bf16", "adam", 4, 8),
        ("bf16", "adam-mixed", 12, 16),
        ("fp16", "adam-mixed", 12, 16),
        ("fp16", "sgd", 0, 4),
    ],
)
def test_bytes_of_optimizer_state(dtype, optimizer, state, training):
    assert Conventions(dtype, optimizer).state_bytes == state
    account = derive("mini_gpt", dtype=dtype, optimizer=optimizer)
    count = account.params.value
    memory = {
        name: account[f"memory.{name}"].value
        for name in ("parameters", "gradients", "optimizer", "saved", "training")
    }
    assert memory["optimizer"] == state * count
    assert memory["training"] - memory["saved"] == training * count
    assert memory["training"] == sum(memory.values()) - memory["training"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"dtype": "float32"}, "float32 is not a known dtype"),
        ({"dtype": "fp31"}, "Did you mean fp32"),
        ({"dtype": ""}, "is not a known dtype"),
        ({"optimizer": "adan"}, "Did you mean adam"),
        ({"causal": "quarter"}, "is not a known causal convention"),
    ],
)
def test_an_unknown_choice_is_refused_with_the_nearest(wrong, said):
    with pytest.raises(BadInput, match=said):
        Conventions(**wrong)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("causal", CAUSAL)
def test_every_convention_is_said_in_words(dtype, optimizer, causal):
    said = Conventions(dtype, optimizer, causal, False, ("a.b", "c")).to_dict()
    assert said["dtype"].startswith(f"{dtype}: ")
    assert said["optimizer"].startswith(f"{optimizer}: ")
    assert said["causal"] == CAUSAL[causal]
    assert said["input_gradient"] == "not asked for"
    assert said["frozen"] == "a.b, c"
    assert all(isinstance(text, str) and text for text in said.values())
