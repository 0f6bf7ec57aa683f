"""Values at many sizes at once: what floats find is what whole numbers are."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from symledger.algebra import Monomial, terms
from symledger.explain.index.known import Known
from symledger.explain.index.sources import evaluate
from symledger.explain.index.values import Grid, Spans, Where
from symledger.explain.sums import Polynomial, Sum
from symledger.sizes import d, named

NAMES = ("d", "h", "L", "V")
COEFFICIENTS = st.one_of(
    st.integers(-9, 9), st.sampled_from([Fraction(1, 2), Fraction(-3, 4)])
).filter(bool)
MONOMIALS = st.dictionaries(
    st.sampled_from(NAMES), st.integers(-1, 3).filter(bool), max_size=3
).map(lambda powers: Monomial([(named(name), n) for name, n in sorted(powers.items())]))
POLYNOMIALS = st.dictionaries(MONOMIALS, COEFFICIENTS, min_size=1, max_size=4)
SIZES = st.dictionaries(st.sampled_from(NAMES), st.integers(1, 200_000), min_size=2)


def summed(pieces):
    return Sum.of(tuple((n, Polynomial.of(p)) for n, p in pieces))


@settings(max_examples=150)
@given(
    st.lists(st.lists(st.tuples(st.sampled_from([1, 2, -1]), POLYNOMIALS), max_size=3), min_size=1,
             max_size=4),
    st.lists(SIZES, min_size=1, max_size=4), st.data(),
)  # fmt: skip
def test_a_grid_finds_what_is_there(sums, points, data):
    where = Where(tuple((Known(str(i), "", at), at) for i, at in enumerate(points)), NAMES)
    grid = Grid(where, [summed(pieces) for pieces in sums])
    expected = {}
    for i, pieces in enumerate(sums):
        for j, at in enumerate(where.sizes):
            each = [evaluate(p, at) for _, p in pieces]
            if None not in each:
                value = sum(n * v for (n, _), v in zip(pieces, each, strict=True))
                if value > 0 and Fraction(value).denominator == 1:
                    expected[i, j] = value
    picked = data.draw(st.sets(st.sampled_from([1, *expected.values()])))
    spans = Spans([(value, value) for value in picked])
    found = {(i, j): value for i, j, value, _ in grid.within(spans, range(len(sums)))}
    assert found == {place: value for place, value in expected.items() if value in picked}


def test_what_floats_hold_exactly_is_read_off_and_the_rest_is_worked_out(monkeypatch):
    below, above = 2**26, 2**27 + 1  # whose squares are below and above 2**53
    where = Where(tuple((Known(str(n), "", {"d": n}), {"d": n}) for n in (below, above)), ("d",))
    grid = Grid(where, [summed([(1, terms(d**2)), (-1, terms(d))])])
    spans = Spans([(n * n - n, n * n - n) for n in (below, above)])
    worked_out = []
    exact = Grid.exact
    monkeypatch.setattr(Grid, "exact", lambda *at: worked_out.append(at[1:]) or exact(*at))
    assert [value for _, _, value, _ in grid.within(spans, [0])] == [
        below * below - below, above * above - above,
    ]  # fmt: skip
    assert worked_out == [(0, 1)]


def test_spans_that_overlap_are_one():
    spans = Spans([(5, 9), (1, 3), (8, 12)])
    assert spans.merged == [[1, 3], [5, 12]]
    assert spans.parts == [[(1, 3, 1)], [(5, 9, 0), (8, 12, 2)]]
    assert Spans([(5, 9), (1, 3), (8, 12)], only={0, 1}).merged == [[1, 3], [5, 9]]
