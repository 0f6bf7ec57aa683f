"""Two formulas compared on a grid: more points along each symbol than its degree is a proof.

A polynomial in one symbol with more zeros than its degree is zero; symbol by symbol, so is one in
several symbols that vanishes on such a grid. Negative powers are multiplied away first, which the
grid allows because no size in it is zero. Nothing is expanded: both are only evaluated.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np
from sympy import Expr, Symbol

from symledger.checks.exact import exponents, value
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
    differing: list[dict[Symbol, int]] = []
    points = list(_grid(degrees) if proof else _random(degrees, seed))
    for point in points:
        if value(a, point) != value(b, point):
            differing.append(point)
            break
    passed = not differing
    shown = differing or (points[-1:] if proof else points)
    return Evidence(
        quantity,
        Claim("proven", (number,)) if proof else Claim("drawn", (len(points), RANDOM_BELOW)),
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


def _grid(degrees: dict[Symbol, int]) -> Iterator[dict[Symbol, int]]:
    for corner in product(*(range(1, degree + 2) for degree in degrees.values())):
        yield dict(zip(degrees, corner, strict=True))


def _random(degrees: dict[Symbol, int], seed: int) -> Iterator[dict[Symbol, int]]:
    rng = np.random.default_rng(seed)
    for _ in range(RANDOM_POINTS):
        drawn = rng.integers(1, RANDOM_BELOW, len(degrees))
        yield {symbol: int(n) for symbol, n in zip(degrees, drawn, strict=True)}
