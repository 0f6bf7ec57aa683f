from fractions import Fraction

import numpy as np
import pytest
from sympy import Integer, ceiling, floor, sqrt

from symledger.checks.exact import exponents, value, values, whole
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


@pytest.mark.parametrize(
    "formula",
    [4 * d**2 / h - 3, (d + h) ** 3 / (2 * h**2) + T * d, T / 3, Integer(7), d - d / h * h],
)
def test_many_sizes_at_once_give_what_each_gives(formula):
    lengths = np.meshgrid(*(np.array([1, 2, 10**12], dtype=object),) * 3, sparse=True)
    found = values(formula, dict(zip((d, h, T), lengths, strict=True)))
    each, *sizes = np.broadcast_arrays(found, *lengths)
    for n, *at in zip(each.flat, *(size.flat for size in sizes), strict=True):
        assert n == value(formula, dict(zip((d, h, T), at, strict=True)))


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
