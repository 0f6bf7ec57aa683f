"""Which statement gives way to which, and what cannot hold."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Integer

from symledger import algebra
from symledger.algebra.assumptions import Assumed, check_lengths, divide_hint, settle
from symledger.algebra.parsing import LARGEST
from symledger.errors import BadInput, Contradiction
from symledger.sizes import L, S, T, V, d, d_ff, d_h, d_k, d_v, h, h_kv

SYMBOLS = {s.name: s for s in (d, h, h_kv, d_h, d_k, d_v, d_ff, L, V, T, S)}
MINI = {d_h: d / h, d_ff: 4 * d}


# ------------------------------------------------------------------------ what gives way to what


@pytest.mark.parametrize(
    ("configuration", "given_equations", "values", "bindings", "equations", "dropped"),
    [
        # nothing set: defaults hold in general
        ({}, [], {}, {}, {"d_h": "d/h", "d_ff": "4*d"}, []),
        # the configuration gives numbers to what depends on it
        ({d: 64, h: 4}, [], {}, {"d": 64, "h": 4, "d_h": 16, "d_ff": 256},
         {"d_h": "d/h", "d_ff": "4*d"}, []),
        # setting moves what depends on it
        ({d: 64, h: 4}, [], {d: 128}, {"d": 128, "h": 4, "d_h": 32, "d_ff": 512},
         {"d_h": "d/h", "d_ff": "4*d"}, []),
        # a set value beats a default, and says so
        ({d: 64, h: 4}, [], {d_ff: 100}, {"d": 64, "h": 4, "d_h": 16, "d_ff": 100},
         {"d_h": "d/h"}, ["d_ff = 4*d gave way to d_ff = 100"]),
        # a set value that agrees with a default keeps it
        ({d: 64, h: 4}, [], {d_ff: 256}, {"d": 64, "h": 4, "d_h": 16, "d_ff": 256},
         {"d_h": "d/h", "d_ff": "4*d"}, []),
        # so does a value of the configuration
        ({d: 64, h: 4, d_ff: 256}, [], {}, {"d": 64, "h": 4, "d_h": 16, "d_ff": 256},
         {"d_h": "d/h", "d_ff": "4*d"}, []),
        ({d: 64, h: 4, d_ff: 100}, [], {}, {"d": 64, "h": 4, "d_h": 16, "d_ff": 100},
         {"d_h": "d/h"}, ["d_ff = 4*d gave way to d_ff = 100"]),
        # an equation beats a default and the configuration
        ({d: 64, h: 4}, [(d_ff, 3 * d)], {}, {"d": 64, "h": 4, "d_h": 16, "d_ff": 192},
         {"d_h": "d/h", "d_ff": "3*d"}, ["d_ff = 4*d gave way to d_ff = 3*d"]),
        ({d: 64, h: 4, d_ff: 100}, [(d_ff, 4 * d)], {},
         {"d": 64, "h": 4, "d_h": 16, "d_ff": 256}, {"d_h": "d/h", "d_ff": "4*d"},
         ["d_ff = 100 gave way to d_ff = 4*d"]),
        # the same said twice, or said by the default already, is said once
        ({}, [(d_ff, 4 * d), (d_ff, 2 * d + 2 * d)], {}, {}, {"d_ff": "4*d", "d_h": "d/h"}, []),
        ({}, [(d_ff, 2 * h * d_h)], {}, {}, {"d_ff": "2*d", "d_h": "d/h"},
         ["d_ff = 4*d gave way to d_ff = 2*d_h*h"]),
        # equations are closed: no right side mentions a left one
        ({}, [(d_ff, 2 * d), (d, 8 * h)], {}, {"d_h": 8}, {"d_ff": "16*h", "d": "8*h", "d_h": "8"},
         ["d_ff = 4*d gave way to d_ff = 2*d"]),
        # what was assumed defines d_h already
        ({d: 64, h: 4}, [(d, h * d_h)], {d_h: 10}, {"h": 4, "d_h": 10, "d": 40, "d_ff": 160},
         {"d": "d_h*h", "d_ff": "4*d_h*h"}, ["d = 64 gave way to d = d_h*h"]),
        # an equation that a set value agrees with
        ({}, [(d_ff, 4 * d)], {d: 8, d_ff: 32}, {"d": 8, "d_ff": 32},
         {"d_ff": "4*d", "d_h": "d/h"}, []),
        # a default may not make a given equation wrong after the fact
        ({d: 64}, [(V, d_ff)], {V: 100}, {"d": 64, "V": 100}, {"V": "d_ff", "d_h": "d/h"},
         ["d_ff = 4*d gave way: V = d_ff could not hold"]),
        ({}, [(V, d_ff - 4 * d)], {}, {}, {"V": "-4*d + d_ff", "d_h": "d/h"},
         ["d_ff = 4*d gave way: V = -4*d + d_ff could not hold"]),
        # d = d says nothing
        ({}, [(d, d)], {}, {}, {"d_h": "d/h", "d_ff": "4*d"}, []),
    ],
)  # fmt: skip
def test_what_is_settled(configuration, given_equations, values, bindings, equations, dropped):
    settled = settle(MINI, configuration, given_equations, values)
    assert {s.name: n for s, n in settled.bindings.items()} == bindings
    assert {s.name: algebra.canonical(p) for s, p in settled.equations.items()} == equations
    assert settled.dropped == dropped


@pytest.mark.parametrize(
    ("given_equations", "values", "said"),
    [
        ([(d_ff, 4 * d), (d_ff, 3 * d)], {}, r"d_ff = 4\*d and d_ff = 3\*d cannot both hold"),
        ([(d, Integer(4)), (d, Integer(5))], {}, "d = 4 and d = 5 cannot both hold"),
        ([(d_ff, 4 * d), (d, 2 * d_ff)], {}, "defines d by itself"),
        ([(d, d + 1)], {}, "defines d by itself"),
        ([(d, 2 * h), (h, 2 * V), (V, 2 * d)], {}, "defines V by itself"),
        ([(d_ff, 4 * d)], {d: 64, d_ff: 100},
         r"d_ff = 4\*d gives 256 with d = 64, but d_ff = 100 was set: these cannot both hold"),
        ([(d, Integer(4))], {d: 5}, "d = 4 gives 4, but d = 5 was set"),
        ([(d_ff, 4 * d), (d, 2 * h)], {h: 3, d_ff: 23}, "d_ff = 4\\*d gives 24"),
        ([(d_ff, d - h), (d, h)], {}, "d_ff = d - h is zero or negative, given what else"),
        ([(d_ff, d - V), (d, V - h)], {}, "d_ff = .* is zero or negative, given what else"),
    ],
)  # fmt: skip
def test_two_statements_of_the_user_that_contradict_each_other(given_equations, values, said):
    with pytest.raises(Contradiction, match=said):
        settle(MINI, {}, given_equations, values)


def test_two_equations_that_agree_in_the_end_hold_together():
    settled = settle({}, {}, [(d_ff, 4 * d), (d, d_ff / 4)], {d: 16})
    assert settled.bindings == {d: 16, d_ff: 64}


@pytest.mark.parametrize(
    ("equations", "values", "said"),
    [
        ([(d_h, d / h)], {d: 65, h: 4}, "d_h = d/h = 65/4 .* d divisible by h = 4: 64 or 68"),
        ([(d_h, d / h)], {d: 3, h: 4}, "Choose d divisible by h = 4: 4"),
        ([(d_ff, 8 * d / 3)], {d: 64}, "512/3 .* Choose d divisible by 3: 63 or 66"),
        ([(d_ff, 6 * d / 4)], {d: 7}, "Choose d divisible by 2: 6 or 8"),
        ([(d_ff, d - 5)], {d: 3}, "d_ff = d - 5 = -2 is not a positive whole number"),
        ([(d_ff, d - h)], {d: 3, h: 3}, "d_ff = d - h = 0 is not a positive whole number"),
        ([(d_ff, Integer(1) / 2)], {}, "d_ff = 1/2 is not a positive whole number"),
        ([(d_ff, 4 * d)], {d: LARGEST}, "out of range: sizes are 1 to 10"),
    ],
)  # fmt: skip
def test_an_equation_at_which_a_size_is_no_size(equations, values, said):
    with pytest.raises(BadInput, match=said):
        settle({}, {}, equations, values)


def test_a_default_may_lead_beyond_the_largest_size_that_may_be_set():
    assert settle(MINI, {}, [], {d: LARGEST}).bindings[d_ff] == 4 * LARGEST


@pytest.mark.parametrize(
    ("length", "bindings", "said"),
    [
        (d / h, {d: 10, h: 4}, "d/h = 5/2 .* Choose d divisible by h = 4: 8 or 12"),
        (d_h / 2, {d_h: 15}, "Choose d_h divisible by 2: 14 or 16"),
        (d / (h * h_kv), {d: 13, h: 2, h_kv: 3}, r"divisible by h\*h_kv = 6: 12 or 18"),
        (S - T, {S: 4, T: 9}, "S - T = -5 is not a positive whole number"),
        (S - T, {S: 4, T: 4}, "S - T = 0 is not a positive whole number"),
    ],
)
def test_a_length_that_is_none_is_refused(length, bindings, said):
    with pytest.raises(BadInput, match=said):
        check_lengths([length], [], Assumed({}, bindings, {}))


def test_a_slice_beyond_its_table_is_refused():
    with pytest.raises(BadInput, match="T = 9, but it may not exceed V = 8"):
        check_lengths([], [(T, V)], Assumed({}, {T: 9, V: 8}, {}))


@given(st.integers(1, 10**6), st.integers(1, 50))
def test_the_hint_names_the_nearest_sizes_that_divide(n, divisor):
    hint = divide_hint(d / h, {d: n, h: divisor})
    if divisor == 1:
        assert hint == ""
    else:
        near = [int(word) for word in hint.rstrip(".").split(": ")[1].split(" or ")]
        assert all(m % divisor == 0 for m in near)
        assert any(abs(m - n) < divisor or m == divisor for m in near)


sizes_of_all = st.fixed_dictionaries({s: st.integers(1, 60) for s in (d, h, L, V)})
right_sides = st.lists(
    st.tuples(st.sampled_from((d_ff, d_k, d_v, T)), st.sampled_from((4 * d, d * h, V + L, 2 * V))),
    max_size=4,
)


@given(sizes_of_all, right_sides)
def test_what_is_settled_is_consistent(values, equations):
    try:
        settled = settle(MINI, {}, equations, values)
    except Contradiction:
        first = dict(reversed(equations))
        assert any(algebra.terms(e) != algebra.terms(first[s]) for s, e in equations)
    except BadInput:
        assert Fraction(values[d], values[h]).denominator != 1
    else:
        for symbol, polynomial in settled.equations.items():
            assert algebra.value(polynomial, settled.bindings) == settled.bindings[symbol]
            assert not {s for m in polynomial for s, _ in m} & set(settled.equations)
