"""Recomputed blocks: only what enters is kept, the forward is run again, gradients are the same."""

from dataclasses import dataclass

import numpy as np
import pytest
from sympy import Integer, expand

from symledger.checks.runner import examine
from symledger.checks.sampling import sizes_for
from symledger.checks.trial import Trial
from symledger.components.feed_forward.experts import MixtureOfExperts
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.heads_and_losses.dropout import Dropout
from symledger.components.maps.linear import Linear
from symledger.components.recurrence.recurrent import LSTM
from symledger.errors import DefinitionError
from symledger.ir.tensor import Call
from symledger.notation.calling import program_of
from symledger.notation.component import Component, steps
from symledger.notation.verbs import apply, noise, param, repeat, scan
from symledger.readings.flops import contraction_flops, pointwise_flops
from symledger.readings.params import params
from symledger.readings.pullback import pullback
from symledger.readings.saved import kept, saved
from symledger.sizes import B, L, T, d, d_ff

ELEMENTS = dict.fromkeys(("value", "statistic", "mask", "index"), Integer(1))
FEED = 4 * B * T * d * d_ff
X = B * T * d


@dataclass(frozen=True)
class Around(Component):
    """Something recomputed or not, between two parts that are not."""

    recompute: bool = True

    signature = "B T d -> B T d"

    def forward(self, x):
        before = Linear(d, d)(x, name="before")
        return steps(y=Linear(d, d)(self.inner(before), name="after"))


class Once(Around):
    """A network, used once."""

    def inner(self, x):
        return FeedForward(dropout=True)(x, name="inner", recompute=self.recompute)


class Repeated(Around):
    """A network, L times."""

    def inner(self, x):
        return repeat(FeedForward(), L, x, name="inner", recompute=self.recompute)


class Shared(Around):
    """The same network, L times."""

    def inner(self, x):
        return repeat(FeedForward(), L, x, name="inner", shared=True, recompute=self.recompute)


class Stack(Component):
    """L networks with dropout."""

    signature = "B T d -> B T d"

    def forward(self, x):
        return steps(y=repeat(FeedForward(dropout=True), L, x, name="layer"))


class RepeatedInside(Around):
    """A stack of networks, recomputed as a whole."""

    def inner(self, x):
        return Stack()(x, name="inner", recompute=self.recompute)


class OverTime(Around):
    """A recurrence over time, recomputed as a whole."""

    def inner(self, x):
        return LSTM(d, d, stacked=False).apply(x, name="inner", recompute=self.recompute)[0]


@dataclass(frozen=True)
class Step(Component):
    """One step: a state, a slice, a result."""

    signature = "B d, B d -> B d, B d"

    def forward(self, h, u):
        h = Linear(d, d)(h + u, name="map")
        return steps(h=h, y=h * u)


class StepByStep(Around):
    """A recurrence whose every step is recomputed."""

    def inner(self, x):
        start = apply("tanh", param("h", B, d))
        _, y = scan(Step(), T, (start,), name="inner", over=(x,), axis=1, recompute=self.recompute)
        return y


class Mixed(Around):
    """Experts, chosen inside."""

    def inner(self, x):
        return MixtureOfExperts(d=d)(x, name="inner", recompute=self.recompute)


ALL = (Once, Repeated, Shared, RepeatedInside, OverTime, StepByStep, Mixed)


@pytest.mark.parametrize("kind", ALL)
def test_every_check_passes(kind):
    program = program_of(kind())
    failed = [e for e in examine(program, quick=True) if not e.passed]
    assert failed == []


def gradients_and_values(component):
    """Everything that a run gives, in the order in which it was defined."""
    program = program_of(component)
    trial = Trial(program, pullback(program), sizes_for(program, distinct=False), 5)
    gradients = sorted(trial.gradients.items(), key=lambda item: item[0].order)
    return [trial.values[y] for y in program.outputs], [g for _, g in gradients]


@pytest.mark.parametrize("kind", ALL)
def test_nothing_that_is_computed_differs(kind):
    again, without = gradients_and_values(kind(True)), gradients_and_values(kind(False))
    for here, there in zip(again, without, strict=True):
        assert len(here) == len(there)
        for a, b in zip(here, there, strict=True):
            assert np.array_equal(a, b)


@pytest.mark.parametrize("kind", ALL)
def test_the_forward_of_the_block_is_done_once_more(kind):
    again, without = program_of(kind(True)), program_of(kind(False))
    inner = program_of(kind(False))
    outside = 4 * X * d
    assert expand(params(again).total - params(without).total) == 0
    for price in (contraction_flops, pointwise_flops):
        assert expand(price(again).total - price(without).total) == 0
    more = contraction_flops(pullback(again)).total - contraction_flops(pullback(without)).total
    assert expand(more - (contraction_flops(inner).total - outside)) == 0


@pytest.mark.parametrize(
    ("component", "elements"),
    [
        (Once(), 3 * X),  # x, what enters the block, and what it gives
        (Once(False), 3 * X + 3 * B * T * d_ff),
        (Repeated(), (L + 2) * X),  # x, and x₀ … x_L
        (Shared(), (L + 2) * X),
        (Repeated(False), (L + 2) * X + 2 * L * B * T * d_ff),
        (RepeatedInside(), 3 * X),
        (OverTime(), 3 * X),
        (StepByStep(), 3 * X + T * B * d),  # the states as well
        (Mixed(), 3 * X),  # no choice of experts is kept
    ],
)
def test_what_enters_is_kept(component, elements):
    found = saved(pullback(program_of(component)), ELEMENTS).total
    assert expand(found - elements) == 0


def test_what_is_drawn_inside_is_not_kept():
    (mask,) = kept(pullback(program_of(Once()))).redrawn
    assert mask.storage == "mask"
    assert kept(pullback(program_of(Once(False)))).redrawn == ()


@dataclass(frozen=True)
class Masked(Component):
    """A product with a mask, then a square."""

    signature = "B T d, B T d -> B T d"

    def forward(self, x, mask):
        masked = x * mask
        return steps(y=masked * masked)


class DrawnOutside(Component):
    """Noise that enters the block."""

    signature = "B T d -> B T d"

    def forward(self, x):
        return steps(y=Masked()(x, noise("mask", Integer(1) / 2, *x.shape), recompute=True))


def test_what_is_drawn_outside_enters_and_is_kept():
    found = kept(pullback(program_of(DrawnOutside())))
    assert {t.storage for t in found.roots} == {"value", "mask"}
    assert found.redrawn == ()


@dataclass(frozen=True)
class Deeper(Component):
    """L networks, each of them recomputed."""

    signature = "B T d -> B T d"

    def forward(self, x):
        return steps(y=repeat(FeedForward(), L, x, name="layer", recompute=True))


class Nested(Around):
    """Recomputed networks in a stack that is recomputed itself."""

    def inner(self, x):
        return Deeper()(x, name="inner", recompute=self.recompute)


def test_blocks_within_a_block_are_run_again_when_it_is_and_when_they_are():
    program = program_of(Nested())
    assert [e for e in examine(program, quick=True) if not e.passed] == []
    back = contraction_flops(pullback(program)).total
    assert expand(back - (2 + 1 + 1) * L * FEED - 8 * X * d) == 0
    assert expand(saved(pullback(program), ELEMENTS).total - 3 * X) == 0


def test_blocks_used_at_once_within_a_block():
    @dataclass(frozen=True)
    class Two(Component):
        signature = "B T d -> B T d"

        def forward(self, x):
            a = FeedForward()(x, name="a", recompute=True)
            return steps(y=FeedForward()(a, name="b", recompute=True))

    class Both(Around):
        def inner(self, x):
            return Two()(x, name="inner", recompute=self.recompute)

    program = program_of(Both())
    assert [e for e in examine(program, quick=True) if not e.passed] == []
    back = contraction_flops(pullback(program)).total
    assert expand(back - (2 + 1 + 1) * 2 * FEED - 8 * X * d) == 0


def test_a_block_that_no_gradient_reaches_is_not_run_again():
    back = pullback(program_of(Once()), inputs=False, frozen=("before.*", "inner.*"))
    assert back.again == ()
    assert [t.shape for t in kept(back).roots] == [(B, T, d)]  # what the last map reads


def test_the_first_application_is_run_again_though_nothing_is_asked_of_what_enters_it():
    program = program_of(Repeated())
    back = pullback(program, inputs=False, frozen=("before.*",))
    call = next(t for t in program.tensors if isinstance(t.op, Call))
    assert expand(saved(back, ELEMENTS).total - (L + 1) * X) == 0
    assert kept(back).bodies[0].call is call
    without = pullback(program_of(Repeated(False)), inputs=False, frozen=("before.*",))
    more = contraction_flops(back).total - contraction_flops(without).total
    assert expand(more - L * FEED) == 0


class Stated(Component):
    """A fused body that would recompute a part of itself."""

    signature = "B T d -> B T d"

    def forward(self, x):
        return steps(y=Dropout()(x, recompute=True))

    def pullback(self, at, dy):
        return {"x": dy}


def test_a_fused_body_states_itself_what_is_computed_again():
    with pytest.raises(DefinitionError, match="say there what is computed again") as refused:
        program_of(Stated())
    assert "Dropout cannot be recomputed" in str(refused.value)
