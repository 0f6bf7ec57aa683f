"""Whole sizes at which a polynomial takes a value."""

import pytest

from symledger import algebra
from symledger.explain.index.checkpoint_sizes import known
from symledger.explain.index.known import PUBLISHED
from symledger.explain.index.usual import is_usual
from symledger.explain.roots import root, solve
from symledger.sizes import V, d, d_in, d_out, h


@pytest.mark.parametrize(
    ("formula", "number", "found"),
    [
        (4 * d**2 + 4 * d, 2362368, [{d: 768}]),
        (4 * d**2 + 4 * d, 2362369, []),
        (12 * d**2 + 13 * d, 12 * 770**2 + 13 * 770, [{d: 770}]),  # odd, but hardly by chance
        (2 * d, 2 * 771, []),  # any even number is
        (2 * d, 1536, [{d: 768}]),
        (V * d, 50257 * 768, [{d: 768, V: 50257}]),
        (d**2 / 2 + d**2 / 4, 786432, [{d: 1024}]),
    ],
)
def test_roots_are_exact(formula, number, found):
    assert list(solve(algebra.terms(formula), number, number)) == found


def test_of_two_sizes_both_are_usual():
    pairs = list(solve(algebra.terms(d_in * d_out + d_out), 2362368, 2362368))
    assert {d_in: 768, d_out: 3072} in pairs
    assert all(is_usual(s.name, n) for pair in pairs for s, n in pair.items())
    assert all(at[d_in] * at[d_out] + at[d_out] == 2362368 for at in pairs)


def test_of_a_rounded_number_only_usual_sizes_are_given():
    assert list(solve(algebra.terms(d**2), 768**2 - 2000, 768**2 + 2000)) == [{d: 768}]


@pytest.mark.parametrize("n", [1, 2, 3, 768, 10**9])
def test_every_root_is_found_and_no_other(n):
    assert root({2: 12, 1: 13}, 12 * n**2 + 13 * n) == n
    assert root({2: 12, 1: 13}, 12 * n**2 + 13 * n + 1) is None


def test_a_polynomial_that_falls_is_tried_at_usual_sizes():
    assert list(solve(algebra.terms(100 - h), 88, 88)) == [{h: 12}]


def test_published_sizes_are_whole_named_once_and_have_a_source():
    names = [k.name for k in known()]
    assert len(set(names)) == len(names)
    assert all(k.source and (k.sizes or k.maps) for k in PUBLISHED)
    split = [k.sizes for k in known() if {"d", "h"} <= k.sizes.keys() and "d_h" not in k.sizes]
    assert len(split) > 100
    assert all(sizes["d"] % sizes["h"] == 0 for sizes in split)
    assert all(is_usual("d", k.sizes["d"]) for k in known() if "d" in k.sizes)
