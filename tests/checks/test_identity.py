import pytest
from sympy import Integer, Symbol

from symledger.checks.identity import LARGEST_GRID, RANDOM_POINTS, equal_on_grid
from symledger.errors import DefinitionError
from symledger.sizes import L, T, V, d, h


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((d + h) ** 2, d**2 + 2 * d * h + h**2),
        (L * d * (12 * d + 2) + V * d + d, 12 * L * d**2 + 2 * L * d + V * d + d),
        (d * (d / h + h), d**2 / h + d * h),
        (Integer(4), Integer(4)),
    ],
)
def test_equality_on_the_grid_is_a_proof(a, b):
    found = equal_on_grid(a, b, "params")
    assert found.passed
    assert found.worst == "0"
    assert found.quantity == "params"
    assert found.sentence.startswith("proof")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (d**2, d),
        (d**2 + h, d**2 + d),
        (T * (T + 1) / 2, T**2 / 2),
        (d, d + (d - 1) * (d - 2) * (h - 1)),
        (Integer(4), Integer(5)),
    ],
)
def test_a_difference_is_found(a, b):
    found = equal_on_grid(a, b)
    assert not found.passed
    assert found.worst != "0"
    assert len(found.points) == 1


def test_a_proof_uses_more_points_than_the_degree():
    assert "6 in all" in equal_on_grid(d**2 * h + 1, 1 + h * d * d).sentence
    product = (d - 1) * (d - 2) * (d - 3)
    assert not equal_on_grid(product, Integer(0)).passed


def test_too_large_a_grid_gives_evidence_only():
    many = [Symbol(f"s{i}", integer=True, positive=True) for i in range(20)]
    a = sum(many) ** 2
    found = equal_on_grid(a, a + 0)
    assert LARGEST_GRID < 2**20
    assert found.passed
    assert "proof" not in found.sentence
    assert f"at {RANDOM_POINTS} points" in found.sentence
    assert not equal_on_grid(a, a + many[3] - many[4]).passed


def test_what_is_no_polynomial_is_refused():
    with pytest.raises(DefinitionError):
        equal_on_grid(1 / (d + 1), d)
