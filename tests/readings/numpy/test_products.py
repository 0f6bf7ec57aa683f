import numpy as np
import pytest

from symledger.readings.numpy.products import contracted

PATTERNS = [
    ("ij,jk->ik", (4, 5), (5, 6)), ("ij,kj->ki", (4, 5), (6, 5)), ("ij,ik->jk", (5, 4), (5, 6)),
    ("bhij,bhkj->bhik", (3, 2, 4, 5), (3, 2, 6, 5)), ("bij,bik->jk", (5, 3, 2), (5, 3, 4)),
    ("bcxyhw,ochw->boxy", (2, 3, 4, 4, 3, 2), (5, 3, 3, 2)), ("ij,jk->ik", (2, 0), (0, 3)),
    ("i,j->ij", (3,), (4,)), ("bi,bi->b", (3, 4), (3, 4)), ("ij,ij->", (3, 4), (3, 4)),
    ("ij,j->i", (3, 4), (4,)), ("abij,jk->ik", (2, 2, 3, 4), (4, 5)), ("ii,ij->ij", (3, 3), (3, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "left", "right"), PATTERNS)
def test_every_pattern_gives_what_einsum_gives(pattern, left, right):
    rng = np.random.default_rng(0)
    for turn in (1, 1j):
        a, b = rng.standard_normal(left) * turn, rng.standard_normal(right)
        expected, found = np.einsum(pattern, a, b), contracted(pattern, a, b)
        assert found.shape == expected.shape
        assert np.allclose(found, expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(("pattern", "left", "right"), PATTERNS[:6])
def test_how_arrays_lie_in_memory_changes_no_bit(pattern, left, right):
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal(left), rng.standard_normal(right)
    found = contracted(pattern, np.asfortranarray(a), np.asfortranarray(b))
    assert np.array_equal(found, contracted(pattern, a, b))
