"""What is picked by whole numbers, and put back by them: rows of tables, places of axes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sympy import Expr, Integer, Piecewise

from symledger.ir.ops import Input, Rearrange, Repeat
from symledger.ir.scalars import Scalar, X, Y
from symledger.ir.shapes import ONE, Shape
from symledger.ir.tensor import Tensor, pointwise
from symledger.notation.verbs import expand, gather, narrow, pad, scatter, table, take
from symledger.notation.verbs import indices as indices_
from symledger.traces.kernels.embeddings import PaddedRows
from symledger.traces.kernels.picking import NAMES, Picked, PlacedBy, flat
from symledger.traces.kernels.placing import PUT, Placed
from symledger.traces.kernels.statistics import Largest
from symledger.traces.rules.reductions import mean, sum_
from symledger.traces.rules.table import At, Made, axis_of, number, rule
from symledger.traces.rules.views import permuted, reshaped


@rule("aten.embedding")
def embedding(
    at: At, weight: Tensor, indices: Tensor, padding_idx: Any = -1, **others: Any
) -> Made:  # fmt: skip
    """Pick rows of a table; that of padding gets no gradient."""
    padding = number(padding_idx)
    if padding == -1:
        return gather(weight, indices)
    return PaddedRows(weight.shape[0], padding)(weight, indices, name="rows")


@rule("embedding_bag")
def embedding_bag(
    at: At, input: Tensor, weight: Tensor, offsets: Any, mode: Any, per_sample_weights: Any,  # noqa: A002  # PyTorch's names
    padding_idx: Any, max_norm: Any, **others: Any,
) -> Made:  # fmt: skip
    """The mean, the sum or the largest numbers of the rows of each bag of whole numbers."""
    if input.rank != 2 or offsets is not None:
        raise at.refused("bags of different lengths are not understood: give a matrix of numbers.")
    if padding_idx is not None or max_norm is not None:
        raise at.refused("padding and clipping of bags is not understood.")
    rows = gather(weight, input)
    if per_sample_weights is not None:
        rows = rows * reshaped(at, per_sample_weights, (*per_sample_weights.shape, ONE))
    if mode == "max":
        _, largest = Largest().apply(last(rows, 1), name="largest")
        return reshaped(at, largest, at.shape)
    return (sum_ if mode == "sum" else mean)(at, rows, Integer(1))


@rule("one_hot")
def one_hot(at: At, tensor: Tensor, num_classes: Any = -1) -> Made:
    """A one at the place that a whole number says, zeros elsewhere."""
    places = table("classes", lambda i: i, at.shape[-1], storage="index")
    code = Scalar((X, Y), Piecewise((0, X < Y), (0, X > Y), (1, True)))
    apart = reshaped(at, tensor, (*tensor.shape, ONE))
    return pointwise(code, apart, places, storage=at.storage)


@rule("aten.nonzero")
def nonzero(at: At, self: Tensor) -> Made:
    """Where a mask is true, of which so many places are told."""
    return Tensor(Input("places", drawn=True, average=True), (), at.shape, "index")


@rule("aten.index_select")
def index_select(at: At, self: Tensor, dim: Any, index: Tensor) -> Made:
    """Pick places of an axis."""
    return take(self, axis_of(dim, self.rank), index)


@rule("aten.index", "aten._unsafe_index")
def index_(at: At, self: Tensor, indices: Any) -> Made:
    """Pick places of one or several axes, together."""
    merged, place, index, order = _together(at, self, indices)
    several = _alike(indices)
    if several:
        pick = Picked(len(several), index.rank, merged.rank - 1)
        rows = pick(permuted(self, order), *several, name="picked")
    else:
        rows = gather(merged, index)
    back = [*range(index.rank, index.rank + place), *range(index.rank),
            *range(index.rank + place, rows.rank)]  # fmt: skip
    return reshaped(at, rows if place == 0 else permuted(rows, back), at.shape)


def _together(
    at: At, x: Tensor, indices: Any
) -> tuple[Tensor, int, Tensor, list[int]]:  # fmt: skip
    """Return a tensor with the picked axes first, as one; where they belong; the place along it."""
    picked = [i for i, index in enumerate(indices) if index is not None]
    if any(indices[i].storage == "mask" for i in picked):
        raise at.refused("how many elements a mask picks depends on data: multiply by the mask, "
                         "or use torch.where.")  # fmt: skip
    adjacent = picked == list(range(picked[0], picked[-1] + 1))
    order = [*picked, *(i for i in range(x.rank) if i not in picked)]
    length: Expr = ONE
    for i in picked:
        length = length * x.shape[i]
    index = flat([x.shape[i] for i in picked], [indices[i] for i in picked])
    merged = reshaped(at, permuted(x, order), (length, *(x.shape[i] for i in order[len(picked):])))
    return merged, picked[0] if adjacent else 0, index, order


def _alike(indices: Any) -> list[Tensor]:
    """Return what places are said by, if it is two or three tensors of the same shape."""
    several = [index for index in indices if index is not None]
    alike = len({index.shape for index in several}) == 1
    return several if 1 < len(several) <= len(NAMES) and alike else []


@rule("aten.index_put", "aten._index_put_impl", "aten._unsafe_index_put")
def index_put(
    at: At, self: Tensor, indices: Any, values: Tensor, accumulate: Any = False, **others: Any
) -> Made:  # fmt: skip
    """Put values at places, or add them there; places that come twice PyTorch leaves undefined."""
    masks = [i for i in indices if i is not None and i.storage == "mask"]
    if masks:
        if len(indices) > 1 or accumulate or values.rank:
            raise at.refused("how many elements a mask picks depends on data.")
        mask = reshaped(at, masks[0], (*masks[0].shape, *(ONE,) * (self.rank - masks[0].rank)))
        return pointwise(PUT, self, mask, values)
    merged, place, index, order = _together(at, self, indices)
    rows = expand(values, at_picked(self, index, indices, place))
    after = place + index.rank
    first = [*range(place, after), *range(place), *range(after, rows.rank)]
    rows = permuted(rows, first) if place else rows
    several = _alike(indices)
    if several and not accumulate:
        put = PlacedBy(len(several), index.rank, merged.rank - 1)
        made = put(permuted(self, order), rows, *several, name="placed")
    elif accumulate:
        made = scatter(rows, index, merged.shape)
    else:
        made = Placed(0, index.rank, merged.rank - 1)(merged, index, rows, name="placed")
    opened = reshaped(at, made, tuple(self.shape[i] for i in order))
    back = permuted(opened, inverse(order))
    return self + back if accumulate else back


def at_picked(x: Tensor, index: Tensor, indices: Any, place: int) -> Shape:
    """The shape of what is picked: the places stand where the axes stood."""
    picked = [i for i, each in enumerate(indices) if each is not None]
    rest = [n for i, n in enumerate(x.shape) if i not in picked]
    return (*rest[:place], *index.shape, *rest[place:])


@rule("aten.topk", "aten.sort", "aten.kthvalue", "aten.median", "aten.mode")
def chosen(at: At, self: Tensor, dim: Any = None, **others: Any) -> Made:
    """Elements in order, or the largest ones, and where they stand.

    Which these are is told, as in a mixture of experts: whole numbers that come from outside. The
    gradient goes back to where they stand.
    """
    if len(at.results) != 2:
        raise at.refused("say along which axis: only that gives where the element stands.")
    place = axis_of(-1 if dim is None else dim, self.rank)
    index = indices_("chosen", self.shape[place], *at.shape)
    apart = index
    if index.rank < self.rank:
        apart = reshaped(at, index, (*at.shape[:place], ONE, *at.shape[place:]))
    x = last(self, place)
    values = back_from_last(gather(x, last(apart, place), batch=x.rank - 1), place)
    return reshaped(at, values, at.shape), index


@rule("aten.gather")
def gather_(at: At, self: Tensor, dim: Any, index: Tensor, sparse_grad: Any = False) -> Made:
    """Pick a place of an axis for every element."""
    place = axis_of(dim, self.rank)
    x = clipped(self, index, place)
    order, batch, i = same_along(x, index, place)
    return permuted(gather(permuted(x, order), i, batch), inverse(order))


@rule("aten.scatter_add")
def scatter_add(at: At, self: Tensor, dim: Any, index: Tensor, src: Tensor) -> Made:
    """Add every element at a place of an axis."""
    place = axis_of(dim, self.rank)
    order, batch, i = same_along(self, index, place)
    rows = permuted(clipped_to(src, index), order)
    into = [self.shape[k] if k == place else index.shape[k] for k in order]
    made = permuted(scatter(rows, i, tuple(into), batch), inverse(order))
    for k, n in enumerate(self.shape):
        made = made if made.shape[k] == n else pad(made, k, 0, n)
    return self + made


@rule("aten.scatter")
def scatter_(
    at: At, self: Tensor, dim: Any, index: Tensor, src: Any = None, value: Any = None,
    reduce: Any = None,
) -> Made:  # fmt: skip
    """Put elements at places of an axis; places that come twice PyTorch leaves undefined."""
    if reduce is not None:
        raise at.refused("a scatter that reduces is not understood: use scatter_add.")
    place = axis_of(dim, self.rank)
    given = src if isinstance(src, Tensor) else value
    given = given if isinstance(given, Tensor) else filled(number(given))
    given = expand(given, index.shape) if given.rank == 0 else clipped_to(given, index)
    if any(n != m for k, (n, m) in enumerate(zip(self.shape, index.shape, strict=True))
           if k != place):  # fmt: skip
        raise at.refused("a scatter into a part of a tensor is not understood: cut it out before.")
    x, i, rows = (last(t, place) for t in (self, index, given))
    made = Placed(self.rank - 1)(x, i, rows, name="placed")
    made = made if at.storage == "value" else replace(made, storage=at.storage)
    return back_from_last(made, place)


@rule("aten.index_add")
def index_add(
    at: At, self: Tensor, dim: Any, index: Tensor, source: Tensor, alpha: Any = 1
) -> Made:  # fmt: skip
    """Add slices at places of an axis."""
    place = axis_of(dim, self.rank)
    added = added_at(self, place, index, source)
    return self + (added if number(alpha) == ONE else added * number(alpha))


@rule("aten.index_copy")
def index_copy(at: At, self: Tensor, dim: Any, index: Tensor, source: Tensor) -> Made:
    """Put slices at places of an axis; places that come twice PyTorch leaves undefined."""
    place = axis_of(dim, self.rank)
    order = [place, *(i for i in range(self.rank) if i != place)]
    x, rows = permuted(self, order), permuted(source, order)
    made = Placed(0, 1, self.rank - 1)(x, index, rows, name="placed")
    return permuted(made, inverse(order))


@rule("aten.index_fill")
def index_fill(at: At, self: Tensor, dim: Any, index: Tensor, value: Any) -> Made:
    """Put a number at places of an axis."""
    place = axis_of(dim, self.rank)
    given = value if isinstance(value, Tensor) else filled(number(value))
    shape = tuple(index.shape[0] if i == place else n for i, n in enumerate(self.shape))
    return index_copy(at, self, dim, index, expand(given, shape))


def same_along(x: Tensor, index: Tensor, place: int) -> tuple[list[int], int, Tensor]:
    """Return axes in the order of a gather: those that go along, the picked one, those of a row.

    Along the axes of a row an index is the same: PyTorch repeats it without a copy.
    """
    base = index.args[0] if isinstance(index.op, Repeat) else index
    if base.rank != x.rank or base.shape[place] != index.shape[place]:
        base = index
    row = [k for k in range(x.rank) if k != place and base.shape[k] != index.shape[k]]
    along = [k for k in range(x.rank) if k != place and k not in row]
    order = [*along, place, *row]
    moved = permuted(base, order)
    kept = moved.shape[: len(along) + 1]
    names = tuple((f"_{k}",) for k in range(len(kept)))
    sizes = tuple((f"_{k}", n) for k, n in enumerate(kept))
    op = Rearrange((*names, *((),) * len(row)), names, sizes)
    return order, len(along), Tensor(op, (moved,), kept, index.storage) if row else moved


def inverse(order: list[int]) -> list[int]:
    """Return the order that undoes another one."""
    return [order.index(k) for k in range(len(order))]


def filled(n: Expr) -> Tensor:
    """A number, as a table of one element."""
    return table("value", lambda: n)


def added_at(x: Tensor, place: int, index: Tensor, source: Tensor) -> Tensor:
    """Zeros of the shape of a tensor, with slices added at places of an axis."""
    order = [place, *(i for i in range(x.rank) if i != place)]
    made = scatter(permuted(source, order), index, tuple(x.shape[i] for i in order))
    return permuted(made, inverse(order))


def last(x: Tensor, place: int) -> Tensor:
    """Return a tensor with one axis put last."""
    if place == x.rank - 1:
        return x
    return permuted(x, [i for i in range(x.rank) if i != place] + [place])


def back_from_last(x: Tensor, place: int) -> Tensor:
    """Put the last axis back to where it stood."""
    if place == x.rank - 1:
        return x
    return permuted(x, [*range(place), x.rank - 1, *range(place, x.rank - 1)])


def clipped(x: Tensor, index: Tensor, place: int) -> Tensor:
    """Return of a tensor what an index asks for along all other axes: it may be shorter."""
    for k, n in enumerate(index.shape):
        if k != place and x.shape[k] != n:
            x = narrow(x, k, 0, n)
    return x


def clipped_to(src: Tensor, index: Tensor) -> Tensor:
    """Return of what is put somewhere as much as there are places."""
    return clipped(src, index, -1)
