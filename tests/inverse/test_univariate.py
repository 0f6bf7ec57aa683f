"""Polynomials in one size: from where on they rise, and where one overtakes another."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symledger.inverse.univariate import (
    Largest,
    at,
    crossings,
    falls,
    largest_from,
    last,
    rises,
    rises_from,
)

polynomials = st.dictionaries(st.integers(-2, 4), st.integers(-300, 300).filter(bool), max_size=5)


@given(polynomials)
def test_what_is_proven_holds(p):
    values = [at(p, n) for n in range(1, 60)]
    pairs = list(pairwise(values))
    assert not rises(p) or all(a <= b for a, b in pairs)
    assert not falls(p) or all(a >= b for a, b in pairs)
    since = rises_from(p)
    assert since is None or all(a <= b for a, b in pairs[since - 1 :])


@given(polynomials, polynomials, polynomials)
def test_the_largest_is_named_from_where_it_is(a, b, c):
    named = {"a": a, "b": b, "c": c}
    found = largest_from(named)
    assert found[0][0] == 1
    for n in range(1, 60):
        name = [name for since, name in found if since <= n][-1]
        assert at(named[name], n) == max(at(p, n) for p in named.values())


COEFFICIENTS = st.one_of(st.integers(-300, 300), st.fractions(-9, 9, max_denominator=12))


@given(st.lists(st.dictionaries(st.integers(-2, 4), COEFFICIENTS, max_size=5), min_size=1,
                max_size=6))  # fmt: skip
def test_the_largest_of_several_is_that_of_their_values(many):
    found = Largest(many)
    for n in (*range(1, 30), 2**61):
        assert found.at(n) == max(at(p, n) for p in many)


def test_what_is_never_the_largest_is_not_looked_at():
    assert len(Largest([{1: 2, 0: 3}, {1: 2}, {1: 3, 0: 2}, {2: 1, 1: -1}]).rows) == 2


def test_where_nothing_crosses_and_far_away():
    assert crossings({1: 2}, {1: 2}) == []
    assert crossings({1: 2}, {0: -5}) == []
    assert largest_from({"a": {2: 1}, "b": {1: 10**17 + 1}}) == [(1, "b"), (10**17 + 1, "a")]


@pytest.mark.parametrize("edge", [1, 2, 3, 1000, 2**40 + 1, 10**18])
def test_the_last_one_is_found(edge):
    assert last(lambda n: n <= edge, 1, 10**18) == edge


def test_values_are_exact():
    assert at({-1: 1, 3: Fraction(1, 2)}, 3) == Fraction(1, 3) + Fraction(27, 2)
