from fractions import Fraction

import pytest
from sympy import ceiling, floor, sqrt

from symledger.checks.exact import exponents, value, whole
from symledger.errors import DefinitionError
from symledger.sizes import T, d, h


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (d**2 - 3 * h, 10),
        (d / h, Fraction(5, 5)),
        ((d + 1) * (h - 1) / 4, 6),
        (floor(d / 3), 1),
        (ceiling(d / 3), 2),
    ],
)
def test_formulas_are_evaluated_exactly(formula, expected):
    assert value(formula, {d: 5, h: 5}) == expected


def test_what_is_no_count_is_refused():
    with pytest.raises(DefinitionError, match="T has no size here"):
        value(d * T, {d: 2})
    with pytest.raises(DefinitionError, match="no count"):
        value(sqrt(d), {d: 2})
    with pytest.raises(DefinitionError, match="d/2 = 3/2 is not a whole number at d = 3"):
        whole(d / 2, {d: 3})


def test_exponents_bound_what_stands_in_a_formula():
    formula = d * (d + h) ** 2 / h + 1
    assert exponents(formula, d) == (0, 3)
    assert exponents(formula, h) == (-1, 1)
    assert exponents(formula, T) == (0, 0)
    with pytest.raises(DefinitionError, match="no polynomial in d"):
        exponents(1 / (d + 1), d)
