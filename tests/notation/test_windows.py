"""Windows and their transpose: what they show, where they lie, what they cost and keep."""

import numpy as np
import pytest
from sympy import Integer, floor, oo

from symledger.ir.ops import Overlap, Windows
from symledger.notation.calling import program_of
from symledger.notation.component import Component, steps
from symledger.notation.verbs import param, view
from symledger.notation.windows import overlap, positions, windows
from symledger.readings.flops import contraction_flops, pointwise_flops
from symledger.readings.numpy.interpreter import Machine
from symledger.readings.pullback import pullback
from symledger.readings.saved import kept, root
from symledger.readings.traffic import behind, unfused_traffic
from symledger.sizes import B, K, Size, T, T_o, p, r, s

X = param("x", B, T)
SEEN = windows(X, -1, T_o, K, s, p, r)
ELEMENTS = dict.fromkeys(("value", "statistic", "mask", "index"), Integer(1))
CASES = [
    # length, kernel, stride, padding, dilation
    (7, 3, 1, 0, 1),
    (7, 3, 2, 1, 1),
    (8, 2, 2, 0, 1),
    (9, 3, 1, 2, 2),
    (5, 1, 3, 0, 4),
    (4, 4, 5, 3, 1),
]


def sizes_of(length, kernel, stride, padding, dilation):
    at = {T: length, K: kernel, s: stride, p: padding, r: dilation, B: 2}
    return {**at, T_o: int(positions(T, K, s, p, r).subs(at))}


def test_windows_turn_an_axis_into_positions_and_offsets():
    assert SEEN.shape == (B, T_o, K)
    assert SEEN.op == Windows(1, s, p, r, Integer(0))
    back = overlap(SEEN, -2, T, s, p, r)
    assert back.shape == (B, T)
    assert back.op == Overlap(1, s, p, r)
    assert positions(T, K, s, p, r) == floor((T + 2 * p - r * (K - 1) - 1) / s) + 1


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("fill", [0, -oo])
def test_an_element_of_a_window_is_where_it_should_be(case, fill):
    at = sizes_of(*case)
    x = np.random.default_rng(0).standard_normal((2, at[T]))
    found = Machine(at).execute(windows(X, -1, T_o, K, s, p, r, fill), [x])
    assert found.shape == (2, at[T_o], at[K])
    for o, k in np.ndindex(at[T_o], at[K]):
        place = o * at[s] + k * at[r] - at[p]
        inside = 0 <= place < at[T]
        assert np.array_equal(found[:, o, k], x[:, place] if inside else [float(fill)] * 2)


@pytest.mark.parametrize("case", CASES)
def test_overlap_is_the_transpose(case):
    at, rng = sizes_of(*case), np.random.default_rng(0)
    x, g = rng.standard_normal((2, at[T])), rng.standard_normal((2, at[T_o], at[K]))
    machine = Machine(at)
    seen = machine.execute(SEEN, [x])
    laid = machine.execute(overlap(SEEN, -2, T, s, p, r), [g])
    assert laid.shape == x.shape
    assert np.sum(seen * g) == pytest.approx(np.sum(x * laid), abs=1e-12)


class See(Component):
    signature = "B T -> B T_o K"

    def forward(self, x):
        return steps(y=windows(x, -1, T_o, K, s, p, r))


class Lay(Component):
    signature = "B T_o K -> B T"

    def forward(self, x):
        return steps(y=overlap(x, -2, T, s, p, r))


@pytest.mark.parametrize(
    ("component", "forward", "backward"), [(See(), 0, B * T_o * K), (Lay(), B * T_o * K, 0)]
)
def test_each_is_the_pull_back_of_the_other(component, forward, backward):
    program = program_of(component)
    back = pullback(program)
    (gradient,) = back.gradients.values()
    (result,) = program.outputs
    assert {type(result.op), type(gradient.op)} == {Windows, Overlap}
    assert contraction_flops(program).total == contraction_flops(back).total == 0
    assert pointwise_flops(program).total == forward
    assert pointwise_flops(back).total == backward
    assert not kept(back).roots


def test_windows_keep_nothing_and_are_read_once():
    flat = view("b t k -> b (t k)", SEEN)
    assert root(flat) is X
    assert behind(flat) is X
    assert behind(view("b t -> t b", X)).shape == (T, B)


class Squared(Component):
    """A product of what windows show with itself: it reads twice what stands behind them."""

    signature = "B T -> B T_o K"

    def forward(self, x):
        seen = windows(x, -1, T_o, K, s, p, r)
        return steps(y=seen * seen)


def test_traffic_through_windows_is_that_of_what_stands_behind():
    found = unfused_traffic(program_of(Squared()), ELEMENTS).total
    assert (found - 2 * B * T - B * T_o * K).expand() == 0


@pytest.mark.parametrize(
    ("changed", "holds"),
    [({}, True), ({T_o: 3}, False), ({T_o: 5}, False), ({p: 3}, False), ({s: 1}, False)],
)
def test_windows_fill_the_axis(changed, holds):
    """As many as fit, no more and no fewer."""
    at = {**sizes_of(7, 3, 2, 1, 1), **changed}
    bounds = [(a.subs(at), b.subs(at)) for a, b in program_of(See()).bounds]
    assert all(a <= b for a, b in bounds) is holds


def test_a_window_may_not_lie_outside_where_that_is_not_zero():
    class Largest(Component):
        signature = "B T -> B T_o K"

        def forward(self, x):
            return steps(y=windows(x, -1, T_o, K, s, p, r, -oo))

    assert (2 * p, r * (K - 1) + 1) in program_of(Largest()).bounds
    assert (2 * p, r * (K - 1) + 1) not in program_of(See()).bounds


def test_how_windows_slide_stands_among_the_symbols():
    assert {s, p, r} <= set(program_of(See()).symbols)
    assert (Size("p", least=0), p.least, s.least) == (p, 0, 1)
    assert p.is_nonnegative
    assert not p.is_positive
