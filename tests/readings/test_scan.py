"""Scans: states carried, slices taken, results stacked, forward and backward, at all options."""

from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from sympy import Expr, Integer, expand

from symledger import sizes
from symledger.checks.runner import examine
from symledger.errors import ShapeError
from symledger.ir.tensor import CallBack, Tensor
from symledger.notation.calling import program_of
from symledger.notation.component import Component, steps
from symledger.notation.verbs import apply, einsum, param, repeat, scan, state, table
from symledger.readings.flops import pointwise_flops
from symledger.readings.numpy.interpreter import Machine
from symledger.readings.params import params
from symledger.readings.pullback import pullback
from symledger.readings.saved import saved
from symledger.sizes import B, T, d

ELEMENTS = dict.fromkeys(("value", "statistic", "mask", "index"), Integer(1))


@dataclass(frozen=True)
class Step(Component):
    """Two states, a slice and a matrix that stays the same; one state shown, and its square."""

    signature = "B d, B d, B d, d d -> B d, B d, B d, B d"

    def forward(self, h, c, u, M):
        c_new = c * apply("sigmoid", u) + u
        h_new = apply("tanh", einsum("b i, i o -> b o", h, param("W", d, d)) + c_new)
        mixed = einsum("b i, i o -> b o", h_new, M)
        return steps(h=h_new, c=c_new, y=h_new, s=apply("square", mixed))


@dataclass(frozen=True)
class Scan(Component):
    """That step over time, its start given or zeros."""

    times: Expr = T
    shared: bool = True
    reverse: bool = False
    zeros: bool = False
    gives: str = "all"

    signature = "B T d, B d, d d -> B d"

    def size_of(self, axis):
        return self.times if axis == ("T",) else super().size_of(axis)

    def forward(self, x, c, M):
        start = table("h0", lambda b, i: Integer(0), B, d) if self.zeros else c
        h, c_last, y, s = scan(
            Step(), self.times, (start, c), M, name="step", over=(x,), axis=1,
            shared=self.shared, reverse=self.reverse,
        )  # fmt: skip
        last = apply("tanh", y) * s
        mixed = {"all": state(h) * c_last, "last": h, "stack": h * 0}[self.gives]
        return steps(z=mixed if self.gives == "last" else mixed + summed(last))


def summed(x: Tensor) -> Tensor:
    """The sum over time."""
    ones = table("ones", lambda t: Integer(1), x.shape[1])
    return einsum("b t i, t -> b i", x, ones)


ALL = [
    Scan(shared=shared, reverse=reverse, zeros=zeros, gives=gives)
    for shared, reverse, zeros, gives in product(
        (True, False), (True, False), (True, False), ("all", "last")
    )
]


@pytest.mark.parametrize("component", ALL, ids=str)
def test_a_scan_passes_every_check(component):
    failed = [e for e in examine(program_of(component)) if not e.passed]
    assert not failed, failed


@pytest.mark.parametrize("reverse", [False, True])
def test_a_scan_is_a_loop(reverse):
    rng = np.random.default_rng(0)
    program = program_of(Scan(reverse=reverse))
    lengths = {B: 2, T: 4, d: 3}
    x, c, M, W = (rng.standard_normal(n) for n in ((2, 4, 3), (2, 3), (3, 3), (3, 3)))
    (weight,) = program.bodies[1].params
    found = Machine(lengths).run(
        program, dict(zip((*program.inputs, weight), (x, c, M, W), strict=True))
    )
    h, total = c, 0
    for t in reversed(range(4)) if reverse else range(4):
        c = c / (1 + np.exp(-x[:, t])) + x[:, t]
        h = np.tanh(h @ W + c)
        total = total + np.tanh(h) * (h @ M) ** 2
    np.testing.assert_allclose(found[program.outputs[0]], h * c + total, atol=1e-13)


def test_shared_weights_are_there_once_and_own_ones_at_every_step():
    assert params(program_of(Scan())).total == d**2
    assert expand(params(program_of(Scan(shared=False))).total - T * d**2) == 0


def test_the_gradient_of_shared_weights_is_added_up_between_the_steps():
    shared, own = (
        pointwise_flops(pullback(program_of(Scan(shared=each)))).total for each in (True, False)
    )
    assert expand(shared - own - (T - 1) * d**2) == 0


@pytest.mark.parametrize(("zeros", "peeled"), [(True, True), (False, False)])
def test_the_first_step_is_peeled_where_its_start_needs_no_gradient(zeros, peeled):
    (back,) = (
        t.op for t in pullback(program_of(Scan(zeros=zeros))).tensors if isinstance(t.op, CallBack)
    )
    assert (back.first is not None) is peeled


def test_a_result_that_nothing_uses_sends_no_gradient_back():
    (back,) = (
        t.op for t in pullback(program_of(Scan(gives="last"))).tensors if isinstance(t.op, CallBack)
    )
    assert len(back.body.seeds) == 2


def test_sequences_are_kept_once():
    """Of every step h, c, σ(u), what is squared, and its square; tanh(y) of all; c₀ and M once.

    What is stacked of h is its sequence, and the last states are in theirs.
    """
    kept = saved(pullback(program_of(Scan())), ELEMENTS).total
    assert expand(kept - (6 * B * T * d + B * d + d**2)) == 0


@dataclass(frozen=True)
class Grow(Component):
    """A step that gives a wider state than it gets."""

    signature = "B d -> B d_ff"

    def forward(self, x):
        return steps(y=einsum("b i, i o -> b o", x, param("W", d, sizes.d_ff)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x, s: scan(Grow(), T, (s,), name="step"), r"carries \[B d\] but gives \[B d_ff\]"),
        (lambda x, s: scan(Step(), d, (s, s), over=(x,), axis=1, name="step"), "has no d slices"),
        (lambda x, s: repeat(Grow(), T, s, name="step"), r"it carries \[B d\] but gives"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    x, s = param("x", B, T, d), param("s", B, d)
    with pytest.raises(ShapeError, match=message):
        call(x, s)
