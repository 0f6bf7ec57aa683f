"""Polynomials: multiplied out as SymPy does, written in one canonical form, exact in value."""

import pickle
import re
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Add, Expr, Integer, Mul, Pow, Rational, Symbol, expand, sqrt, sympify

from symledger import algebra
from symledger.errors import BadInput
from symledger.sizes import L, Size, T_max, V, d, d_ff, d_h, h, h_kv

LETTERS = (L, V, d, h, d_ff, d_h, T_max)
NAMES = {symbol.name: symbol for symbol in LETTERS}
SMALL = st.integers(-12, 12)

leaves = st.one_of(
    st.sampled_from(LETTERS),
    SMALL.map(Integer),
    st.builds(Rational, SMALL, st.integers(1, 9)),
    st.builds(Pow, st.sampled_from(LETTERS), st.integers(-3, 3)),
)
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=4).map(lambda parts: Add(*parts)),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: Mul(*parts)),
        st.builds(Pow, inner.filter(lambda e: e != 0), st.integers(0, 3)),
    ),
    max_leaves=8,
)
monomials = st.dictionaries(
    st.sampled_from(LETTERS), st.integers(-3, 4).filter(bool), max_size=4
).map(lambda powers: algebra.Monomial(sorted(powers.items(), key=lambda pair: pair[0].name)))
coefficients = st.fractions(-50, 50, max_denominator=12).filter(bool)
polynomials = st.dictionaries(monomials, coefficients, max_size=6)


@given(expressions)
def test_terms_are_those_of_sympy(e):
    assert expand(algebra.expression(algebra.terms(e)) - e) == 0


@given(monomials)
def test_equal_monomials_are_one_object(monomial):
    assert algebra.Monomial(tuple(monomial)) is monomial
    assert pickle.loads(pickle.dumps(monomial)) is monomial  # noqa: S301  # made here
    assert algebra.times(monomial, algebra.ONE) is monomial


def test_no_other_file_makes_a_monomial_of_a_tuple():
    """It would be equal to none, and the type checker lets it be compared."""
    bare = re.compile(r"\{\(\)}|\{\(\): [-\d]|\{\(\(")
    own = Path(algebra.__file__).parent
    files = [f for f in own.parent.rglob("*.py") if f.parent != own]
    assert len(files) > 300
    assert [f.name for f in files if bare.search(f.read_text())] == []


@given(polynomials)
def test_an_expression_has_the_terms_that_it_was_made_of(polynomial):
    assert algebra.terms(algebra.expression(polynomial)) == polynomial


@given(polynomials, polynomials)
def test_sum_and_product_are_those_of_sympy(left, right):
    a, b = algebra.expression(left), algebra.expression(right)
    assert algebra.add([left, right]) == algebra.terms(expand(a + b))
    assert algebra.multiply(left, right) == algebra.terms(expand(a * b))


@given(polynomials, st.integers(0, 4))
def test_power_is_repeated_multiplication(polynomial, n):
    expected = {algebra.ONE: 1}
    for _ in range(n):
        expected = algebra.multiply(expected, polynomial)
    assert algebra.power(polynomial, n) == expected


@given(monomials, coefficients, st.integers(1, 4))
def test_a_negative_power_of_a_term_is_its_inverse(monomial, coefficient, n):
    term = {monomial: coefficient}
    whole = algebra.multiply(algebra.power(term, n), algebra.power(term, -n))
    assert whole == {algebra.ONE: 1}


@given(polynomials)
def test_canonical_text_parses_back_to_the_same_expression(polynomial):
    parsed = sympify(algebra.canonical(polynomial), locals=dict(NAMES))
    assert algebra.terms(parsed) == polynomial


@given(polynomials, st.randoms(use_true_random=False))
def test_no_writing_depends_on_the_order_of_construction(polynomial, random: Random):
    items = list(polynomial.items())
    random.shuffle(items)
    shuffled = dict(items)
    for write in (algebra.canonical, algebra.text, algebra.latex):
        assert write(shuffled) == write(polynomial)


@given(polynomials, st.data())
def test_a_value_is_exact(polynomial, data):
    at = {s: data.draw(st.integers(1, 10**18), label=s.name) for s in LETTERS}
    expected = algebra.expression(polynomial).xreplace({s: Integer(n) for s, n in at.items()})
    assert algebra.value(polynomial, at) == Fraction(int(expected.p), int(expected.q))


@given(polynomials)
def test_a_value_is_none_while_a_symbol_is_unbound(polynomial):
    bound = {s: 3 for s in LETTERS if s != d}
    mentions_d = any(s == d for monomial in polynomial for s, _ in monomial)
    assert (algebra.value(polynomial, bound) is None) == mentions_d


@given(expressions, polynomials)
def test_terms_put_in_what_is_given(e, polynomial):
    replaced = e.xreplace({d: Integer(5), V: L * h})
    assert algebra.terms(e, {d: {algebra.ONE: 5}, V: algebra.terms(L * h)}) == algebra.terms(
        replaced
    )
    given_terms = {d: algebra.terms(2 * h), d_ff: algebra.terms(8 * h / 3)}
    at_once = algebra.expression(polynomial).xreplace({d: 2 * h, d_ff: 8 * h / 3})
    assert algebra.substitute(polynomial, given_terms) == algebra.terms(at_once)


@pytest.mark.parametrize(
    ("expression", "canonical", "text", "latex"),
    [
        (Integer(0), "0", "0", "0"),
        (Integer(-7), "-7", "-7", "-7"),
        (d, "d", "d", "d"),
        (-d, "-d", "-d", "-d"),
        (d + V * d + L * (12 * d**2 + 2 * d), "12*L*d**2 + 2*L*d + V*d + d",
         "12Ld² + 2Ld + Vd + d", "12 L d^{2} + 2 L d + V d + d"),
        (2 * V - 3 * L, "-3*L + 2*V", "-3L + 2V", "-3 L + 2 V"),
        (d_ff * d, "d*d_ff", "d·d_ff", r"d d_{\mathrm{ff}}"),
        (h * d_h * d, "d*d_h*h", "d·d_h·h", "d d_h h"),
        (d / h, "d/h", "d/h", r"\frac{d}{h}"),
        (d / (2 * d_h), "d/(2*d_h)", "d/(2d_h)", r"\frac{d}{2 d_h}"),
        (d / h**2, "d/h**2", "d/h²", r"\frac{d}{h^{2}}"),
        (d**2 / (h * h_kv), "d**2/(h*h_kv)", "d²/(h·h_kv)",
         r"\frac{d^{2}}{h h_{\mathrm{kv}}}"),
        (8 * d / 3, "8*d/3", "8d/3", r"\frac{8 d}{3}"),
        (1 / (6 * d), "1/(6*d)", "1/(6d)", r"\frac{1}{6 d}"),
        (Rational(1, 12), "1/12", "1/12", r"\frac{1}{12}"),
        (d / 12345, "d/12345", "d/12345", r"\frac{d}{12{,}345}"),
        (131392 * d, "131392*d", "131392d", "131{,}392 d"),
        (d**10, "d**10", "d¹⁰", "d^{10}"),
        (Size("window") * d, "d*window", "d·window", r"d \mathit{window}"),
        (Symbol("x_max") ** 2, "x_max**2", "x_max²", r"x_{\mathrm{max}}^{2}"),
    ],
)  # fmt: skip
def test_writing(expression, canonical, text, latex):
    polynomial = algebra.terms(expression)
    assert algebra.canonical(polynomial) == canonical
    assert algebra.text(polynomial) == text
    assert algebra.latex(polynomial) == latex


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        (1 / (d + 1), "cannot be divided by a sum"),
        (d / (V - L) ** 2, "cannot be divided by a sum"),
        (sqrt(d), "not a polynomial"),
        (2**d, "not a polynomial"),
        (d ** Rational(3, 2), "not a polynomial"),
        (Pow(d + V, 101), "the power 101 is too high"),
        (Pow(d + V + L + h, 90), "far too many terms"),
    ],
)
def test_what_is_no_polynomial_is_refused(expression: Expr, said):
    with pytest.raises(BadInput, match=said):
        algebra.terms(expression)


def test_division_by_nothing_is_refused():
    with pytest.raises(BadInput, match="divided by zero"):
        algebra.power({}, -1)


@pytest.mark.parametrize(("n", "written"), [(0, "0"), (9999, "9999"), (10000, "10{,}000")])
def test_latex_groups_digits_from_five_on(n, written):
    assert algebra.latex_number(n) == written
