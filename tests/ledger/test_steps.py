"""No equals sign that does not hold, and no ≈ without a bound that does."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Integer, Symbol

from symledger import algebra
from symledger.catalogue.entries import ENTRIES
from symledger.errors import UnverifiedStep
from symledger.ledger.lines import Line
from symledger.ledger.steps import Leading, Opening, Shown, Step, derive_steps, leading
from symledger.sizes import L, V, d, d_ff, d_h, h
from tests.every import CATALOGUE, account

x, y = Symbol("x"), Symbol("y")

def shown(e):
    return Shown(algebra.terms(e))


# ---------------------------------------------------------------------------------------- steps


@pytest.mark.parametrize(
    ("before", "after", "given_equations"),
    [
        (d * (h + 1), d * h + d, {}),
        (d * d_ff, 4 * d**2, {d_ff: 4 * d}),
        (4 * d * d_h * h, 4 * d**2, {d_h: d / h}),
        (d_h * d_ff, 4 * d**2 / h, {d_h: d / h, d_ff: 4 * d}),
        (d - d, Integer(0), {}),
    ],
)
def test_a_step_that_holds(before, after, given_equations):
    equations = {s: algebra.terms(e) for s, e in given_equations.items()}
    step = Step(shown(after), "why", Step(shown(before), "what"), equations)
    assert step.shown.terms == algebra.terms(after)


@pytest.mark.parametrize(
    ("before", "after", "given_equations", "difference"),
    [
        (d * (h + 1), d * h, {}, "they differ by d"),
        (12 * L * d**2 + 2 * L * d, 12 * L * d**2, {}, "they differ by 2*L*d"),
        (d * d_ff, 4 * d**2, {}, "they differ by -4*d**2 + d*d_ff"),
        (d * d_ff, 4 * d**2, {d_ff: 3 * d}, "they differ by -d**2"),
        (3 * (d**2 + d) * 12, 4 * (d**2 + d), {}, "they differ by 32*d**2 + 32*d"),
    ],
)
def test_a_step_that_does_not_hold_cannot_be_made(before, after, given_equations, difference):
    equations = {s: algebra.terms(e) for s, e in given_equations.items()}
    first = Step(shown(before), "what")
    with pytest.raises(UnverifiedStep) as caught:
        Step(shown(after), "why", first, equations)
    assert difference in str(caught.value)


def test_what_is_shown_in_parts_is_checked_in_parts():
    parts = (shown(12 * d**2), shown(3 * d))
    claimed = algebra.terms(L * (12 * d**2 + 2 * d))
    with pytest.raises(UnverifiedStep, match=r"they differ by -L\*d"):
        Step(Shown(claimed, algebra.terms(L), parts), "why", Step(Shown(claimed), "what"))


def test_a_line_that_hides_an_amount_cannot_be_derived():
    hidden = Line("hidden", (), own=h, parts=(Line("part", ("part",), own=d),))
    with pytest.raises(UnverifiedStep, match="they differ by"):
        derive_steps(hidden, {})


def test_a_line_opens_level_by_level():
    inner = Line("inner", (), times=L, parts=(Line("a", (), own=d), Line("b", (), own=2 * d)))
    whole = Line("whole", (), parts=(inner, Line("c", (), own=V)))
    opening = Opening()
    assert opening(whole, 0).parts == ()
    assert [len(part.parts) for part in opening(whole, 1).parts] == [0, 0]
    assert [len(part.parts) for part in opening(whole, 2).parts] == [2, 0]
    assert all(opening(whole, depth).terms == whole.total for depth in range(4))
    assert opening(whole, 2) is opening(whole, 3)  # it is open to the ground


@pytest.mark.parametrize("owner", CATALOGUE)
def test_every_derivation_of_the_catalogue_ends_in_its_corollary(owner):
    for quantity in account(owner).quantities:
        formula = account(owner)[quantity]
        assert formula.steps[0].before is None
        assert formula.steps[-1].shown.terms == formula.corollary_terms
        for before, step in zip(formula.steps, formula.steps[1:], strict=False):
            assert step.before is before
            same = algebra.substitute(before.shown.terms, step.given or {})
            assert step.shown.terms == same


@pytest.mark.parametrize("name", [e.name for e in ENTRIES if e.configured])
def test_the_last_step_of_a_configured_model_has_the_models_value(name):
    for quantity in account(name).quantities:
        formula = account(name)[quantity]
        if formula.divisor is None:
            last = algebra.value(formula.steps[-1].shown.terms, account(name).assumed.bindings)
            assert last == formula.value


# --------------------------------------------------------------------------------- leading form


@pytest.mark.parametrize(
    ("expression", "at", "kept", "charges"),
    [
        # each dropped term is charged to a term that it divides
        (12 * L * d**2 + 2 * L * d + V * d + d, {L: 2, d: 64, V: 512},
         "12*L*d**2 + V*d", {"1/(6*d)", "1/V"}),
        # with a small vocabulary the same d is cheaper elsewhere
        (12 * L * d**2 + 2 * L * d + V * d + d, {L: 50, d: 64, V: 3},
         "12*L*d**2 + V*d", {"1/(6*d) + 1/(12*L*d)"}),
        # the largest single ratio is not a bound: both terms are charged to xy
        (x * y + x + y, {x: 5, y: 5}, "x*y", {"1/x + 1/y"}),
        # exponents may be negative: d²/h divides d²
        (d**2 + 3 * d**2 / h, {d: 8, h: 4}, "d**2", {"3/h"}),
        (d**2 / h + d / h, {d: 8, h: 4}, "d**2/h", {"1/d"}),
        # nothing divides anything
        (d * h + V, {d: 8, h: 4, V: 2}, "d*h + V", set()),
        (d, {}, "d", set()),
        (Integer(7), {}, "7", set()),
        (d + 7, {d: 3}, "d", {"7/d"}),
    ],
)  # fmt: skip
def test_the_leading_form(expression, at, kept, charges):
    found = leading(algebra.terms(expression), at)
    assert isinstance(found, Leading)
    assert algebra.canonical(found.terms) == kept
    assert {algebra.canonical(charge) for charge in found.charged} == charges


@pytest.mark.parametrize("expression", [d**2 - d, -d, d * h + V - 1, Integer(0)])
def test_without_positive_coefficients_there_is_none(expression):
    assert leading(algebra.terms(expression), {d: 8, h: 4, V: 2}) is None


def test_the_bound_is_the_largest_charge_and_none_while_unbound():
    found = leading(algebra.terms(12 * L * d**2 + 2 * L * d + V * d + d), {L: 2, d: 64, V: 512})
    assert found is not None
    assert found.bound({d: 64}) is None
    assert found.bound({d: 64, V: 512}) == Fraction(1, 384)
    assert found.bound({d: 64, V: 100}) == Fraction(1, 100)
    assert found.written(algebra.text) == "max(1/(6d), 1/V)"


def test_the_largest_single_ratio_would_not_bound_the_error_of_xy():
    at = {x: 10, y: 10}
    polynomial = algebra.terms(x * y + x + y)
    found = leading(polynomial, at)
    assert found is not None
    bound = found.bound(at)
    error = 1 - algebra.value(found.terms, at) / algebra.value(polynomial, at)
    assert Fraction(1, 10) < error <= bound == Fraction(1, 5)


SYMBOLS = (L, V, d, h)
monomials = st.dictionaries(
    st.sampled_from(SYMBOLS), st.integers(-2, 3).filter(bool), max_size=4
).map(lambda powers: algebra.Monomial(sorted(powers.items(), key=lambda pair: pair[0].name)))
positive = st.fractions(Fraction(1, 8), 60, max_denominator=8)
polynomials = st.dictionaries(monomials, positive, min_size=1, max_size=9)
points = st.fixed_dictionaries({s: st.integers(1, 50) for s in SYMBOLS})


@given(polynomials, points, points)
def test_the_error_is_never_more_than_the_bound(polynomial, chosen_at, at):
    found = leading(polynomial, chosen_at)
    assert found is not None
    exact, main = algebra.value(polynomial, at), algebra.value(found.terms, at)
    bound = found.bound(at)
    error = (exact - main) / exact
    assert 0 <= error <= (bound or 0)


@given(polynomials, points)
def test_what_is_kept_divides_no_other_term_and_what_is_dropped_does(polynomial, at):
    found = leading(polynomial, at)
    assert found is not None
    assert found.terms.items() <= polynomial.items()
    for monomial in polynomial:
        divides = any(
            other != monomial and _exponents_at_most(monomial, other) for other in polynomial
        )
        assert (monomial in found.terms) == (not divides)
    charged = sum(len(charge) for charge in found.charged)
    assert charged <= len(polynomial) - len(found.terms)
    assert bool(found.charged) == (len(found.terms) < len(polynomial))


def _exponents_at_most(a, b):
    return all(dict(a).get(s, 0) <= dict(b).get(s, 0) for s in SYMBOLS)


@given(polynomials, points)
def test_all_that_is_dropped_is_charged(polynomial, at):
    found = leading(polynomial, at)
    assert found is not None
    # with everything at 1, charges times kept terms add up to what was dropped, or more
    one = dict.fromkeys(SYMBOLS, 1)
    dropped = algebra.value(polynomial, one) - algebra.value(found.terms, one)
    kept = max(found.terms.values())
    assert sum(algebra.value(charge, one) for charge in found.charged) * kept >= dropped
