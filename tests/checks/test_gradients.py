import pytest

from symledger import sizes
from symledger.checks import gradients
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.maps.linear import Linear
from symledger.models.gpt2.model import GPT2
from symledger.notation.component import Component, steps
from symledger.notation.verbs import apply, repeat
from symledger.notation.view import detached
from tests.checks.bench import RIGHT, Exponential, Forgetful, PlainSoftmax, Recurrence, trials


@pytest.mark.parametrize("component", [*RIGHT.values(), PlainSoftmax(), Recurrence()])
def test_gradients_agree_with_differences(component):
    found = gradients.finite_differences(trials(component, distinct=True)[0])
    assert found.passed, found.detail
    assert float(found.worst) < 1e-9


class Held(Component):
    """Each application reads what the one before gave, through which nothing goes back."""

    signature = "B d -> B d"

    def forward(self, x):
        mapped = Linear(sizes.d, sizes.d)(detached(x), name="map")
        return steps(y=detached(x) + apply("tanh", mapped) * detached(mapped))


class Hold(Component):
    signature = "B d -> B d"

    def forward(self, x):
        return steps(y=x + repeat(Held(), sizes.L, x, name="held"))


def test_what_no_gradient_goes_back_through_stays_where_it_is():
    run = trials(Hold(), distinct=True)[0]
    for found in (gradients.finite_differences(run), gradients.complex_step(run)):
        assert found.passed, found.detail


@pytest.mark.parametrize("name", ["linear", "layer_norm", "attention", "flash"])
def test_gradients_agree_with_a_complex_step(name):
    found = gradients.complex_step(trials(RIGHT[name], distinct=True)[0])
    assert found.passed
    assert float(found.worst) < 1e-13


def test_a_single_gradient_is_said_so():
    alone = "the gradient of 1 leaf along a random direction agrees with"
    found = gradients.finite_differences(trials(PlainSoftmax(), distinct=True)[0])
    assert found.sentence.startswith(alone)


def test_a_whole_analytic_model_agrees_to_rounding():
    assert float(gradients.complex_step(trials(GPT2(), distinct=True)[0]).worst) < 1e-13


def test_erf_has_no_complex_step():
    assert gradients.complex_step(trials(RIGHT["mini_gpt"])[0]) is None
    assert gradients.complex_step(trials(FeedForward(activation="gelu_tanh"))[0]) is not None


@pytest.mark.parametrize("wrong", [Exponential(), Forgetful()])
def test_a_forgotten_factor_or_gradient_is_found(wrong):
    run = trials(wrong)[0]
    for found in (gradients.finite_differences(run), gradients.complex_step(run)):
        assert not found.passed
        assert "away" in found.detail


def test_a_gradient_that_is_off_by_one_part_in_a_million_is_found():
    run = trials(RIGHT["layer_norm"])[0]
    for leaf in run.varied:
        kept = run.gradients[leaf]
        run.gradients[leaf] = kept * (1 + 1e-6)
        assert not gradients.finite_differences(run).passed
        assert not gradients.complex_step(run).passed
        run.gradients[leaf] = kept
    assert gradients.finite_differences(run).passed


def test_where_a_step_drowns_in_rounding_a_longer_one_decides(monkeypatch):
    run = trials(FeedForward(activation="relu"), distinct=True)[0]
    monkeypatch.setattr(gradients, "LONG_STEPS", ())
    monkeypatch.setattr(gradients, "SHORT_STEPS", (1e-13,))
    assert not gradients.finite_differences(run).passed
    monkeypatch.setattr(gradients, "SHORT_STEPS", (1e-13, 1e-7))
    assert gradients.finite_differences(run).passed
    run.gradients[run.varied[0]] = run.gradients[run.varied[0]] * (1 + 1e-6)
    assert not gradients.finite_differences(run).passed


def test_where_slopes_change_too_fast_a_step_and_half_of_it_decide(monkeypatch):
    run = trials(RIGHT["layer_norm"], distinct=True)[0]
    monkeypatch.setattr(gradients, "STEPS", (1e-2,))
    monkeypatch.setattr(gradients, "LONG_STEPS", ())
    assert not gradients.finite_differences(run).passed
    monkeypatch.setattr(gradients, "LONG_STEPS", (1e-2, 1e-3))
    assert gradients.finite_differences(run).passed
    run.gradients[run.varied[0]] = run.gradients[run.varied[0]] * (1 + 1e-6)
    assert not gradients.finite_differences(run).passed


def test_every_application_of_a_repeated_body_is_looked_at():
    run = trials(RIGHT["mini_gpt"])[0]
    stacked = next(leaf for leaf in run.varied if run.leaves[leaf].ndim > leaf.rank)
    for i in range(2):
        kept = run.gradients[stacked].copy()
        run.gradients[stacked][i] *= 2
        assert not gradients.finite_differences(run).passed
        run.gradients[stacked][:] = kept
