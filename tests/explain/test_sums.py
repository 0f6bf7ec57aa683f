"""Sums that are told apart by a number each: they are what polynomials are, worked out in full."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from symledger import algebra
from symledger.algebra import Monomial, terms
from symledger.explain.sums import ONCE, Polynomial, Sum, added, added_up, all_but
from symledger.sizes import L, V, d, h, named

COEFFICIENTS = st.one_of(st.integers(-3, 3), st.just(Fraction(1, 2))).filter(bool)
MONOMIALS = st.dictionaries(
    st.sampled_from("LVdh"), st.integers(-1, 2).filter(bool), max_size=2
).map(lambda powers: Monomial([(named(name), n) for name, n in sorted(powers.items())]))
POLYNOMIALS = st.dictionaries(MONOMIALS, COEFFICIENTS, max_size=3).map(Polynomial.of)
PIECES = st.lists(st.tuples(st.sampled_from([1, 1, 2, -1]), POLYNOMIALS), max_size=4)


@given(PIECES)
def test_a_sum_has_the_terms_and_names_of_what_it_adds_up(pieces):
    found, plain = Sum.of(tuple(pieces)), algebra.combine(pieces)
    assert found.terms == plain
    assert found.names == {s.name for monomial in plain for s, _ in monomial}
    assert found.mark == Polynomial.of(plain).mark
    assert bool(found.mark) == bool(plain)


@given(POLYNOMIALS, POLYNOMIALS)
def test_sums_and_products_of_polynomials_are_the_objects_that_are_made_of_their_terms(a, b):
    assert added([a, b]) is Polynomial.of(algebra.add([a, b]))
    assert a.times(b) is Polynomial.of(algebra.multiply(a, b))
    assert a.times(ONCE) is a
    product = algebra.multiply(algebra.add([a, b]), b)
    assert algebra.text(added_up([a, b]).times(b).terms) == algebra.text(product)


def test_what_cancels_is_no_name_but_stays_a_piece():
    whole, head = Polynomial.of(terms(V * d + L * d / h)), Polynomial.of(terms(V * d))
    left = all_but(whole, [head])
    assert left.names == {"L", "d", "h"}
    assert left.pieces == ((1, whole), (-1, head))
    assert left.mark == added_up([Polynomial.of(terms(L * d / h))]).mark
