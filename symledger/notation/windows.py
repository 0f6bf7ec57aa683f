"""Windows that slide along an axis: what convolutions and poolings look through.

Seeing an axis through windows keeps nothing: it is a view, however often an element is seen.
"""

from __future__ import annotations

from sympy import Expr, Min, floor

from symledger.ir.ops import Overlap, Windows
from symledger.ir.shapes import ONE, as_size
from symledger.ir.tensor import Tensor


def positions(n: Expr, kernel: Expr, stride: Expr, padding: Expr, dilation: Expr) -> Expr:
    """How many windows fit into an axis of length n with padding on both sides.

    >>> from symledger.sizes import T, K
    >>> positions(T, K, 1, 0, 1)
    -K + T + 1
    """
    return floor((n + 2 * padding - dilation * (kernel - 1) - 1) / stride) + 1


def positions_past(n: Expr, kernel: Expr, stride: Expr, padding: Expr, dilation: Expr) -> Expr:
    """How many windows it takes to reach the end: the last one may reach past the padding.

    It starts within the axis, or in the padding before it.
    """
    enough = floor((n + 2 * padding - dilation * (kernel - 1) - 2) / stride) + 1
    started = floor((n + padding - 1) / stride)
    return Min(enough, started) + 1


def windows(
    x: Tensor, axis: int, number: Expr, kernel: Expr, stride: Expr = ONE,
    padding: Expr | int = 0, dilation: Expr = ONE, fill: Expr | int = 0, past: bool = False,
) -> Tensor:  # fmt: skip
    """See an axis through ``number`` windows of ``kernel`` elements; it becomes these two axes.

    Windows start ``stride`` apart, ``padding`` before the axis; their elements are ``dilation``
    apart. Outside the axis stands ``fill``; with ``past`` the last one may reach past the padding.
    """
    place = axis % x.rank
    op = Windows(place, stride, as_size(padding), dilation, as_size(fill), past)
    return Tensor(op, (x,), (*x.shape[:place], number, kernel, *x.shape[place + 1 :]), x.storage)


def overlap(
    x: Tensor, axis: int, length: Expr, stride: Expr = ONE, padding: Expr | int = 0,
    dilation: Expr = ONE, past: bool = False,
) -> Tensor:  # fmt: skip
    """Lay windows (an axis of positions, and after it one of offsets) back over one axis, added."""
    place = axis % x.rank
    shape = (*x.shape[:place], length, *x.shape[place + 2 :])
    return Tensor(Overlap(place, stride, as_size(padding), dilation, past), (x,), shape)
