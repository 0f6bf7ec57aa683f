"""Systems of equations that a triangle states, as chunks of delta rules have them."""

from __future__ import annotations

from sympy import Expr, Piecewise

from symledger.errors import ShapeError
from symledger.ir.ops import Contract, Solve
from symledger.ir.shapes import ONE, show
from symledger.ir.tensor import Tensor
from symledger.notation.leaves import table


def solve(triangle: Tensor, x: Tensor, back: bool = False) -> Tensor:
    """What a triangle of ones and of what stands below them takes to ``x``.

    Of the last two axes of ``triangle``, rows and columns, only what is below the diagonal is read.
    Going ``back`` it is transposed.

    Raises:
        ShapeError: they do not fit.
    """
    rows = triangle.shape[-2:]
    if rows[0] != rows[1] or (*triangle.shape[:-1],) != x.shape[:-1]:
        raise ShapeError(
            f"{show(triangle.shape)} is no triangle of equations for {show(x.shape)}: all axes but "
            "the last are the same, and its last two are as long."
        )
    return Tensor(Solve(back), (triangle, x), x.shape)


def solve_back(t: Tensor, g: Tensor) -> tuple[Tensor, Tensor]:
    """The gradients of the triangle and of the right side, given that of the solution."""
    op, triangle = t.op, t.args[0]
    assert isinstance(op, Solve)
    right = solve(triangle, g, not op.back)
    late, early = (t, right) if op.back else (right, t)
    batch = tuple(f"_{i}" for i in range(t.rank - 2))
    pairs = Contract((*batch, "_i", "_n"), (*batch, "_k", "_n"), (*batch, "_i", "_k"))
    products = Tensor(pairs, (late, early), triangle.shape)
    return products * below(triangle.shape[-1]), right


def below(n: Expr) -> Tensor:
    """A table of what counts: -1 below the diagonal, where a solution is taken off, else 0."""
    return table("below", lambda i, k: Piecewise((-ONE, k < i), (ONE * 0, True)), n, n)
