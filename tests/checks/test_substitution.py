import pytest

from symledger import sizes
from symledger.checks import substitution
from symledger.checks.runner import BYTES, PRICES
from symledger.errors import DefinitionError
from symledger.readings.params import params
from symledger.readings.traffic import state
from tests.checks.bench import ATTENTION, RIGHT, Lying, Shrinking, trials


@pytest.mark.parametrize("name", RIGHT)
def test_the_arrays_agree(name):
    runs = trials(RIGHT[name], 3, distinct=True)
    assert substitution.shapes(runs).passed
    found = substitution.parameters(runs, params(runs[0].program).total)
    assert found.passed
    assert found.worst == "0"
    assert "at 3 points" in found.sentence
    assert len(found.points) == 3


def test_a_wrong_number_of_parameters_is_found():
    runs = trials(RIGHT["mini_gpt"], 2)
    total = params(runs[0].program).total
    found = substitution.parameters(runs, total + sizes.d)
    assert not found.passed
    assert found.worst == "5.0e+00"
    assert "the formula gives" in found.detail
    assert not substitution.parameters(runs, total.xreplace({sizes.L: sizes.L + 1})).passed


def test_state_is_counted_in_bytes_and_once_per_layer():
    for component in (ATTENTION, RIGHT["mini_gpt"]):
        runs = trials(component, 2, distinct=True)
        formula = state(runs[0].program, PRICES).total
        assert substitution.state(runs, formula, BYTES).passed
        assert not substitution.state(runs, formula / 2, BYTES).passed
        assert not substitution.state(runs, formula, {**BYTES, "value": 4}).passed


def test_a_wrong_shape_is_found():
    found = substitution.shapes(trials(Lying(), distinct=True))
    assert not found.passed
    assert "the run stopped" in found.detail
    assert "Contract[B T w] came out as" in found.detail


def test_a_gradient_of_another_shape_is_found():
    with pytest.raises(DefinitionError, match="gives x a gradient of shape"):
        trials(Shrinking(), distinct=True)
