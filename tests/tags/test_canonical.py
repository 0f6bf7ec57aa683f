"""The canonical form says what a formula is, and nothing of how SymPy holds it."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Add, Integer, Max, Min, Mul, Pow, Rational, Symbol, ceiling, exp, floor

from symledger import algebra, derive
from symledger.algebra.s_expressions import expression, polynomial
from symledger.errors import DefinitionError
from symledger.tags.canonical import canonical_form, fingerprint, tag_of

NAMES = ("B", "L", "T", "d", "d_ff", "h")
MONOMIAL = st.dictionaries(st.sampled_from(NAMES), st.sampled_from((-2, -1, 1, 2, 3)), max_size=3)
COEFFICIENT = st.builds(
    lambda n, below, sign: Fraction(sign * n, below),
    st.integers(1, 50), st.integers(1, 9), st.sampled_from((-1, 1)),
)  # fmt: skip
ORDER = st.integers(0, 10**6).map(Random)  # a seed: st.randoms() makes a choice of every draw
POLYNOMIAL = st.dictionaries(
    MONOMIAL.map(lambda m: tuple(sorted(m.items()))), COEFFICIENT, min_size=1, max_size=5
)
ASSUMPTIONS = st.permutations([("integer", True), ("positive", True), ("finite", True)])


def built(form, order, assumptions):
    """A SymPy expression of these terms, its arguments in some order."""
    terms = []
    for monomial, c in form.items():
        factors = [Rational(c.numerator, c.denominator)]
        factors += [Pow(Symbol(name, **dict(assumptions)), n) for name, n in monomial]
        terms.append(Mul(*order.sample(factors, len(factors))))
    return Add(*order.sample(terms, len(terms)))


@given(POLYNOMIAL, ORDER, ORDER, ASSUMPTIONS, ASSUMPTIONS)
def test_neither_order_nor_assumptions_change_it(form, one, other, these, those):
    first, second = built(form, one, these), built(form, other, those)
    assert expression(first) == expression(second) == polynomial(algebra.terms(first))
    assert expression(floor(first) + 1) == expression(1 + floor(second))


@given(POLYNOMIAL, st.data())
def test_a_changed_coefficient_or_exponent_changes_it(form, data):
    monomial = data.draw(st.sampled_from(sorted(form)))
    raised = {**form, monomial: form[monomial] + data.draw(COEFFICIENT)}
    before, after = (polynomial(as_terms(f)) for f in (form, raised))
    assert before != after
    assert fingerprint(before) != fingerprint(after)
    assert polynomial(as_terms({(*monomial, ("z", 1)): 1})) != polynomial(as_terms({monomial: 1}))


def as_terms(form):
    return {
        tuple((Symbol(name), n) for name, n in monomial): Fraction(c)
        for monomial, c in form.items() if c
    }  # fmt: skip


d, h, T, s = (Symbol(name, positive=True, integer=True) for name in ("d", "h", "T", "s"))


@pytest.mark.parametrize(
    ("e", "form"),
    [
        (Integer(0), "0"), (d, "d"), (-d, "(* -1 d)"), (d / 2, "(* 1/2 d)"),
        (h * (d + 2), "(+ (* 2 h) (* d h))"), (d**2 / h, "(* (^ d 2) (^ h -1))"),
        (Max(d, h) * 3, "(* 3 (max d h))"), (Min(h, d), "(min d h)"),
        (floor((T - d) / s) + 1, "(+ (floor (+ (* -1 d (^ s -1)) (* T (^ s -1)))) 1)"),
        (ceiling(T / s), "(ceiling (* T (^ s -1)))"),
        (T / (d + h), "(* (^ (+ d h) -1) T)"),
    ],
)  # fmt: skip
def test_forms(e, form):
    assert expression(e) == form


def test_what_has_no_canonical_form_is_refused():
    with pytest.raises(DefinitionError, match="no canonical form"):
        expression(exp(d))


def test_it_holds_what_a_citation_claims():
    assert canonical_form(derive("conv1d"), "macs.forward") == (
        "(formula MAC (* B C_in C_out (^ G -1) K T_o) (where (T_o (+ (floor (+ (* -1 (^ s -1))"
        " (* -1 K r (^ s -1)) (* 2 p (^ s -1)) (* T (^ s -1)) (* r (^ s -1)))) 1)))"
        " (with (G 1) (p 0) (r 1) (s 1)))"
    )
    form = canonical_form(derive("mini_gpt"), "intensity.forward")
    assert form.startswith("(formula FLOP/byte (+ ")
    assert form.endswith(" (with (d_ff (* 4 d)) (d_h (* d (^ h -1)))))")


@pytest.mark.parametrize(
    ("target", "settings", "quantity", "tagged"),
    [
        ("mini_gpt", {}, "params", True),
        ("mini_gpt", {"d": 128, "d_ff": 100}, "params", True),
        ("mini_gpt-small", {}, "flops.forward", True),
        ("mini_gpt", {"tied": False}, "params", False),
        ("linear", {"bias": False}, "params", False),
        ("linear", {"bias": False}, "flops.forward", True),
        ("Linear(768, 3072)", {}, "params", True),
        ("MultiheadAttention(768, 12)", {}, "params", False),
        ("examples/my_model.py:AdaptedGPT", {}, "params", False),
    ],
)
def test_only_the_formula_itself_has_the_tag(target, settings, quantity, tagged):
    account = derive(target, settings)
    assert (tag_of(account, quantity) is not None) == tagged


def test_assumptions_of_a_users_own_leave_the_tag_and_other_conventions_take_it():
    params = derive("mini_gpt").tag("params")
    assert derive("mini_gpt", assume=["d_ff = 3*d"]).tag("params") == params
    assert derive("mini_gpt", dtype="bf16").tag("params") == params
    assert derive("mini_gpt", dtype="bf16").tag("memory.parameters") is None
    assert derive("mini_gpt", causal="exact").tag("flops.forward") is None
