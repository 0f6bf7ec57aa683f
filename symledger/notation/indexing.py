"""What picks places of an axis, or puts there: slices, paddings, joins, looked-up rows."""

from __future__ import annotations

from sympy import Expr

from symledger.errors import ShapeError
from symledger.ir.ops import Gather, Join, Pad, Scatter, Slice
from symledger.ir.shapes import as_size, show
from symledger.ir.tensor import Tensor
from symledger.notation.view import view


def narrow(x: Tensor, axis: int, start: Expr | int, length: Expr | int) -> Tensor:
    """The positions ``start … start + length − 1`` of an axis."""
    place = axis % x.rank
    shape = tuple(as_size(length) if i == place else n for i, n in enumerate(x.shape))
    return Tensor(Slice(place, as_size(start), as_size(length)), (x,), shape, x.storage)


def pad(x: Tensor, axis: int, start: Expr | int, length: Expr | int) -> Tensor:
    """Zeros around ``x``, so that it stands at ``start`` in an axis of the given length."""
    place = axis % x.rank
    shape = tuple(as_size(length) if i == place else n for i, n in enumerate(x.shape))
    return Tensor(Pad(place, as_size(start), as_size(length)), (x,), shape, x.storage)


def join(tensors: list[Tensor], axis: int = -1) -> Tensor:
    """Tensors one after the other along an axis.

    Raises:
        ShapeError: they differ along another axis.
    """
    place = axis % tensors[0].rank
    length: Expr = as_size(0)
    for x in tensors:
        length = length + x.shape[place]
        if _without(x.shape, place) != _without(tensors[0].shape, place):
            raise ShapeError(
                f"{show(tensors[0].shape)} and {show(x.shape)} cannot be joined along axis "
                f"{place}: all their other axes must be equal."
            )
    shape = tuple(length if i == place else n for i, n in enumerate(tensors[0].shape))
    return Tensor(Join(place), tuple(tensors), shape, tensors[0].storage)


def _without(shape: tuple[Expr, ...], place: int) -> tuple[Expr, ...]:
    return shape[:place] + shape[place + 1 :]


def gather(rows: Tensor, index: Tensor, batch: int = 0) -> Tensor:
    """Rows of a table at whole numbers; the first ``batch`` axes go along together.

    Raises:
        ShapeError: these axes differ.
    """
    if rows.shape[:batch] != index.shape[:batch]:
        raise ShapeError(
            f"rows of {show(rows.shape)} cannot be picked by {show(index.shape)}: "
            f"their first {batch} axes differ."
        )
    shape = index.shape + rows.shape[batch + 1 :]
    return Tensor(Gather(batch), (rows, index), shape)


def take(x: Tensor, axis: int, index: Tensor) -> Tensor:
    """Elements of an axis at whole numbers, in its place."""
    names = [f"a{i}" for i in range(x.rank)]
    kept = " ".join(names)
    names.insert(0, names.pop(axis % x.rank))
    first = " ".join(names)
    return view(f"{first} -> {kept}", gather(view(f"{kept} -> {first}", x), index))


def scatter(rows: Tensor, index: Tensor, into: tuple[Expr, ...], batch: int = 0) -> Tensor:
    """A table of zeros with rows added at whole numbers; what gather is pulled back to."""
    return Tensor(Scatter(batch), (rows, index), into)


def largest_at(rows: Tensor, index: Tensor, number: Expr) -> Tensor:
    """The largest of the rows that come to each of so many places, element by element."""
    into = (number, *rows.shape[index.rank :])
    return Tensor(Scatter(taken="largest"), (rows, index), into)


def which_largest_at(rows: Tensor, index: Tensor, number: Expr) -> Tensor:
    """Which of all rows that is, counted through; found together with it."""
    into = (number, *rows.shape[index.rank :])
    return Tensor(Scatter(taken="number"), (rows, index), into, "index")
