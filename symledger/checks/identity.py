"""Two formulas compared on a grid: more points along each symbol than its degree is a proof.

A polynomial in one symbol with more zeros than its degree is zero; symbol by symbol, so is one in
several symbols that vanishes on such a grid. Negative powers are multiplied away first, which the
grid allows because no size in it is zero. Nothing is expanded: both are only evaluated.
"""

from __future__ import annotations

import math

import numpy as np
from sympy import Expr, Symbol

from symledger.checks.exact import Array, exponents, value, values
from symledger.evidence.claims import Claim
from symledger.evidence.comparison import Evidence

LARGEST_GRID = 20_000
"""Beyond this many points, a formula is compared at random ones: evidence, not proof."""

RANDOM_POINTS = 64
RANDOM_BELOW = 10**6


def equal_on_grid(a: Expr, b: Expr, quantity: str = "", seed: int = 0) -> Evidence:
    """Compare two (Laurent) polynomials with exact numbers, on a grid that decides.

    ``points`` holds the corner of the grid with the largest sizes, or all of the random points.

    Raises:
        DefinitionError: one of them is no Laurent polynomial.
    """
    degrees = _degrees(a, b)
    number = math.prod(degree + 1 for degree in degrees.values())
    proof = number <= LARGEST_GRID
    sizes = _grid(degrees) if proof else _random(degrees, seed)
    points = np.broadcast_shapes(*(n.shape for n in sizes.values()))
    apart = np.broadcast_to(np.not_equal(values(a, sizes), values(b, sizes)), points)
    differing = [_point(sizes, points, int(i)) for i in np.flatnonzero(apart)[:1]]
    passed = not differing
    first = apart.size - 1 if proof else 0
    shown = differing or [_point(sizes, points, i) for i in range(first, apart.size)]
    return Evidence(
        quantity,
        Claim("proven", (number,)) if proof else Claim("drawn", (apart.size, RANDOM_BELOW)),
        tuple({str(symbol): n for symbol, n in point.items()} for point in shown),
        seed, str(max((abs(value(a, p) - value(b, p)) for p in differing), default=0)), passed,
        "" if passed else "the two differ at this point",
    )  # fmt: skip


def _degrees(*formulas: Expr) -> dict[Symbol, int]:
    """The degree of their difference in each symbol, once negative powers are multiplied away."""
    degrees: dict[Symbol, int] = {}
    for symbol in sorted(set().union(*(e.free_symbols for e in formulas)), key=str):
        low, high = zip(*(exponents(e, symbol) for e in formulas), strict=True)
        degrees[symbol] = max(high) - min(low)
    return degrees


def _grid(degrees: dict[Symbol, int]) -> dict[Symbol, Array]:
    """The sizes of all points, those of each symbol along an axis of its own."""
    lengths = (np.array(range(1, degree + 2), dtype=object) for degree in degrees.values())
    return dict(zip(degrees, np.meshgrid(*lengths, indexing="ij", sparse=True), strict=True))


def _random(degrees: dict[Symbol, int], seed: int) -> dict[Symbol, Array]:
    """The sizes of some points, one after another along the only axis."""
    rng = np.random.default_rng(seed)
    drawn = [rng.integers(1, RANDOM_BELOW, len(degrees)).tolist() for _ in range(RANDOM_POINTS)]
    return dict(zip(degrees, np.array(drawn, dtype=object).T, strict=True))


def _point(sizes: dict[Symbol, Array], points: tuple[int, ...], i: int) -> dict[Symbol, int]:
    return {symbol: int(np.broadcast_to(n, points).flat[i]) for symbol, n in sizes.items()}
