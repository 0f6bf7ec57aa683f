"""The verbs that definitions are written with. Each records one operation (or a few).

Axes are spoken of in patterns: ``einsum`` contracts, ``view`` splits, permutes and merges.
Sums, means and maxima run along the last axis, which stays with length 1, so that
``x - mean(x)`` reads as it is meant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from sympy import Expr

from symledger.core import scalars
from symledger.core.ops import (
    Call,
    Const,
    Contract,
    Gather,
    Input,
    Join,
    Max,
    MaxIndex,
    Pad,
    Pairs,
    Param,
    Rearrange,
    Repeat,
    Result,
    Scatter,
    Slice,
    Storage,
    Sum,
)  # fmt: skip
from symledger.core.patterns import ELLIPSIS, Axis, Operand, parse
from symledger.core.program import Program
from symledger.core.scalars import Scalar
from symledger.core.tensor import (
    ONE,
    Scope,
    Shape,
    Tensor,
    as_size,
    current_scope,
    note_weight,
    pointwise,
    show,
)
from symledger.errors import PatternError, ShapeError

if TYPE_CHECKING:
    from symledger.core.component import Component


def param(
    name: str, *shape: Expr | int, trainable: bool = True, used: tuple[Expr, Expr] | None = None
) -> Tensor:
    """A weight of the given shape. One that nothing uses is refused when tracing ends.

    ``used`` says (k, E): it holds E experts along its first axis, of which a token uses k.
    """
    weight = Tensor(Param(name, trainable, used), (), tuple(as_size(n) for n in shape))
    note_weight(weight)
    return weight


def table(
    name: str, formula: Callable[..., Expr], *shape: Expr, storage: Storage = "value",
    within: tuple[tuple[Expr, Expr], ...] = (),
) -> Tensor:  # fmt: skip
    """A computed table: ``formula`` gives the element at each index.

    ``within`` are pairs (a, b) of which a may not exceed b.
    """
    return Tensor(Const(name, len(shape), formula, within), (), shape, storage)


def indices(name: str, below: Expr, *shape: Expr, average: bool = False) -> Tensor:
    """Whole numbers below a size that come from outside: which row of a table is meant where.

    With ``average`` the last axis is as long on average: all counts are linear in it.
    """
    return Tensor(Input(name, below, average=average), (), shape, "index")


def noise(name: str, keep: Expr, *shape: Expr) -> Tensor:
    """A random mask of ones (with chance ``keep``) and zeros."""
    return Tensor(Input(name, keep=keep), (), shape, "mask")


def drawn(name: str, *shape: Expr) -> Tensor:
    """Random numbers, each as likely as any other between 0 and 1."""
    return Tensor(Input(name, drawn=True), (), shape)


def einsum(pattern: str, left: Tensor, right: Tensor, pairs: Pairs | None = None,
           mask: Tensor | None = None) -> Tensor:  # fmt: skip
    """Contract two tensors: multiply along shared indices, sum those that the result lacks.

    At least one index is summed, and every index stands in at least two of the three tensors.

    Raises:
        PatternError: the pattern breaks one of these rules.
        ShapeError: an operand has other axes than its pattern, or a shared index two lengths.

    >>> from symledger.sizes import B, d_in, d_out
    >>> einsum("... i, i o -> ... o", param("x", B, d_in), param("W", d_in, d_out))
    Contract[B d_out]
    """
    op, shape = _contracted(pattern, left.shape, right.shape, pairs)
    return Tensor(op, (left, right, mask) if mask is not None else (left, right), shape)


@cache
def _contracted(
    pattern: str, left: Shape, right: Shape, pairs: Pairs | None
) -> tuple[Contract, Shape]:
    """The operation and the shape of its result; most contractions occur many times."""
    parsed = parse(pattern)
    if len(parsed.inputs) != 2 or len(parsed.outputs) != 1:
        raise PatternError(f'"{pattern}" must contract two tensors into one.')
    lead = max(_lead(o, shape) for o, shape in zip(parsed.inputs, (left, right), strict=True))
    operands = [_indices(o, lead) for o in (*parsed.inputs, *parsed.outputs)]
    sizes: dict[str, Expr] = {}
    for indices, shape in zip(operands, (left, right), strict=False):
        if len(indices) != len(shape):
            raise ShapeError(f'"{pattern}" names {len(indices)} axes, but {show(shape)} arrived.')
        for index, length in zip(indices, shape, strict=True):
            if sizes.setdefault(index, length) != length:
                raise ShapeError(
                    f'"{pattern}" was given {show(left)} and {show(right)}: '
                    f"index {index} is {sizes[index]} in one and {length} in the other."
                )
    _check_contract(pattern, *operands)
    if pairs and not {pairs.query, pairs.key} <= sizes.keys():
        raise PatternError(f'"{pattern}" has no index {pairs.query} or {pairs.key} to mask.')
    first, second, out = operands
    return Contract(first, second, out, pairs), tuple(sizes[index] for index in out)


def contract(op: Contract, args: tuple[Tensor, ...], sizes: dict[str, Expr]) -> Tensor:
    """Record a Contract whose index lengths are known."""
    return Tensor(op, args, tuple(sizes[index] for index in op.out))


def _lead(operand: Operand, shape: Shape) -> int:
    return len(shape) - len(operand.axes) + 1 if operand.has_ellipsis else 0


def _indices(operand: Operand, lead: int) -> tuple[str, ...]:
    names: list[str] = []
    for axis in operand.axes:
        names += [f"_{i}" for i in range(lead)] if axis == ELLIPSIS else list(axis)
    return tuple(names)


def _check_contract(pattern: str, left: tuple[str, ...], right: tuple[str, ...],
                    out: tuple[str, ...]) -> None:  # fmt: skip
    for operand in (left, right, out):
        if len(set(operand)) != len(operand):
            raise PatternError(f'"{pattern}" repeats an index in one tensor.')
    for index in dict.fromkeys((*left, *right, *out)):
        if (index in left) + (index in right) + (index in out) < 2:
            raise PatternError(
                f'"{pattern}": index {index} stands in only one tensor. Sum a lone axis first.'
            )
    if not set(left) & set(right) - set(out):
        raise PatternError(f'"{pattern}" sums nothing: write a pointwise product instead.')


def view(pattern: str, x: Tensor, **sizes: Expr | int) -> Tensor:
    """Split, permute, rename and merge axes; unknown lengths follow from the known ones.

    Raises:
        PatternError: the pattern is not one tensor into one, or repeats a name.
        ShapeError: it does not fit the tensor, drops an axis, or a split is not determined.

    >>> from symledger.sizes import B, T, h, d_k
    >>> view("B T (h k) -> B h T k", param("q", B, T, h * d_k), h=h)
    Rearrange[B h T d_k]
    """
    op, shape = _viewed(pattern, x.shape, tuple(sizes.items()))
    return Tensor(op, (x,), shape, x.storage)


@cache
def _viewed(
    pattern: str, seen: Shape, sizes: tuple[tuple[str, Expr | int], ...]
) -> tuple[Rearrange, Shape]:
    """The operation and the shape of its result; most views occur many times."""
    parsed = parse(pattern)
    if len(parsed.inputs) != 1 or len(parsed.outputs) != 1:
        raise PatternError(f'"{pattern}" must turn one tensor into one.')
    left, right = parsed.inputs[0], parsed.outputs[0]
    lead = _lead(left, seen)
    before, after = _grouped(left, lead), _grouped(right, lead)
    names = _flat(before)
    if len(before) != len(seen) or sorted(names) != sorted(_flat(after)):
        raise ShapeError(f'"{pattern}" does not fit {show(seen)}, or drops an axis.')
    known = {name: as_size(length) for name, length in sizes}
    if len(set(names)) != len(names) or not known.keys() <= set(names):
        raise PatternError(f'"{pattern}" repeats a name, or has none of {", ".join(known)}.')
    for group, length in zip(before, seen, strict=True):
        _solve(pattern, group, length, known)
    shape = []
    for group in after:
        merged: Expr = ONE
        for name in group:
            merged = merged * known[name]
        shape.append(merged)
    return Rearrange(before, after, tuple(known.items())), tuple(shape)


def _grouped(operand: Operand, lead: int) -> tuple[Axis, ...]:
    groups: list[Axis] = []
    for axis in operand.axes:
        groups += [(f"_{i}",) for i in range(lead)] if axis == ELLIPSIS else [axis]
    return tuple(groups)


def _flat(groups: tuple[Axis, ...]) -> list[str]:
    return [name for group in groups for name in group]


def _solve(pattern: str, group: Axis, length: Expr, known: dict[str, Expr]) -> None:
    if len(group) == 1 and group[0] not in known:
        known[group[0]] = length
        return
    unknown = [name for name in group if name not in known]
    product: Expr = ONE
    for name in group:
        product = product * known.get(name, ONE)
    if len(unknown) == 1:
        known[unknown[0]] = length / product
    elif unknown or product != length:
        raise ShapeError(
            f'"{pattern}" cannot split an axis of length {length} into {" × ".join(group)}: '
            + (f"say how long {' and '.join(unknown[1:])} is." if unknown else "it does not fit.")
        )


def total(x: Tensor, axes: tuple[int, ...] = (-1,)) -> Tensor:
    """The sum along some axes (the last one), kept with length 1."""
    places = tuple(sorted(axis % x.rank for axis in axes))
    shape = tuple(ONE if i in places else n for i, n in enumerate(x.shape))
    return Tensor(Sum(places), (x,), shape)


def reduce(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    """The sum along some axes, which disappear."""
    summed = total(x, axes)
    names = tuple(f"_{i}" for i in range(x.rank))
    places = {axis % x.rank for axis in axes}
    before = tuple(() if i in places else (name,) for i, name in enumerate(names))
    after = tuple(group for group in before if group)
    kept = tuple((names[i], n) for i, n in enumerate(x.shape) if i not in places)
    return Tensor(Rearrange(before, after, kept), (summed,), tuple(n for _, n in kept))


def over_rows(x: Tensor) -> Tensor:
    """The sum over every axis but the last, as for the gradient of a weight of that length."""
    return reduce(x, tuple(range(x.rank - 1)))


def mean(x: Tensor) -> Tensor:
    """The mean along the last axis, kept with length 1."""
    return pointwise(_divided(x.shape[-1]), total(x))


@cache
def _divided(by: Expr) -> Scalar:
    """Multiply by one over a size; most lengths that a mean is taken along are alike."""
    return scalars.MULTIPLY.with_constant(ONE / by)


def expand(x: Tensor, shape: tuple[Expr, ...]) -> Tensor:
    """Copies of ``x`` along axes of length 1 and along new leading axes, up to ``shape``."""
    return x if x.shape == shape else Tensor(Repeat(), (x,), shape, x.storage)


def maximum(x: Tensor) -> Tensor:
    """The largest element along the last axis, kept with length 1."""
    return Tensor(Max(), (x,), (*x.shape[:-1], ONE))


def argmax(x: Tensor) -> Tensor:
    """Where the largest element along the last axis stands; found together with it."""
    return Tensor(MaxIndex(), (x,), (*x.shape[:-1], ONE), "index")


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


def apply(function: str, x: Tensor) -> Tensor:
    """A named scalar function (``relu``, ``gelu``, ``rsqrt`` …) of every element."""
    return pointwise(scalars.function(function), x)


def copied(x: Tensor) -> Tensor:
    """The same elements written down once more: a tensor of its own, no view."""
    return pointwise(scalars.COPY, x)


def statistic(x: Tensor) -> Tensor:
    """The same tensor, kept as a statistic: 4 bytes an element whatever the values have."""
    return replace(x, storage="statistic")


def remembered(name: str, *shape: Expr) -> Tensor:
    """Values that earlier decoding steps have left; they come from outside, without a gradient."""
    return Tensor(Input(name, remembered=True), (), shape)


def state(x: Tensor, last: Expr | None = None) -> Tensor:
    """The same tensor, marked as kept between decoding steps (the key/value cache).

    Given ``last``, only that many positions of its axis 1 are kept: those in a window.
    """
    kept = x.shape[1] if last is None else last
    names = tuple((f"_{i}",) for i in range(x.rank))
    lengths = tuple((f"_{i}", n) for i, n in enumerate(x.shape))
    return Tensor(Rearrange(names, names, lengths), (x,), x.shape, x.storage, state=kept)


def repeat(component: Component, times: Expr | int, *inputs: Tensor, name: str,
           shared: bool = False, recompute: bool = False) -> Tensor:  # fmt: skip
    """Apply a component ``times`` times: its first input is carried, the others stay the same.

    With ``recompute`` nothing inside an application is kept; the backward pass runs it again.

    Raises:
        ShapeError: the body does not give back one tensor of the shape that it carries.
    """
    body = _body(component, name, inputs, recompute)
    if len(body.outputs) != 1:
        raise _not_carried(component, inputs[:1], body.outputs)
    return _called(component, Call(body, as_size(times), shared), inputs)


def scan(component: Component, times: Expr, states: tuple[Tensor, ...], *same: Tensor, name: str,
         over: tuple[Tensor, ...] = (), axis: int = 0, shared: bool = False,
         reverse: bool = False, recompute: bool = False, kept: bool = False,
         ) -> tuple[Tensor, ...]:  # fmt: skip
    """Apply a component along an axis: carry states, take slices, stack results.

    It takes the states, a slice of each tensor of ``over`` without that axis, and the ``same``
    tensors every time. It gives the new states, then what is stacked along a new ``axis``.
    Return the states after the last application, and the stacked results. With ``kept`` the
    first of these states is kept between decoding steps.

    Raises:
        ShapeError: the body does not give back its states, or there are not as many slices as
            applications.
    """
    times = as_size(times)
    for x in over:
        if x.shape[axis] != times:
            raise ShapeError(f"axis {axis} of {show(x.shape)} has no {times} slices to go along.")
    slices = tuple(replace(x, shape=x.shape[:axis] + x.shape[axis + 1 :]) for x in over)
    body = _body(component, name, (*states, *slices, *same), recompute)
    op = Call(body, times, shared, len(states), len(over), axis, reverse)
    call = _called(component, op, (*states, *over, *same))
    call = replace(call, state=call.shape[1]) if kept else call
    last, each = body.outputs[: len(states)], body.outputs[len(states) :]
    return (
        *(Tensor(Result(y), (call,), y.shape, y.storage) for y in last),
        *(
            Tensor(Result(y, axis), (call,), (*y.shape[:axis], times, *y.shape[axis:]), y.storage)
            for y in each
        ),
    )


def _body(
    component: Component, name: str, inputs: tuple[Tensor, ...], recompute: bool
) -> Program:  # fmt: skip
    """Record the program of one application."""
    scope = Scope(name, component, current_scope(), recompute)
    formals = tuple(Tensor(Input(f"x{i}"), (), x.shape, x.storage) for i, x in enumerate(inputs))
    return Program(scope, formals, component.apply_in(scope, formals))


def _called(component: Component, op: Call, inputs: tuple[Tensor, ...]) -> Tensor:
    before, after = inputs[: op.states], op.body.outputs[: op.states]
    if [x.shape for x in before] != [y.shape for y in after]:
        raise _not_carried(component, before, op.body.outputs)
    return Tensor(op, inputs, after[0].shape)


def _not_carried(
    component: Component, states: tuple[Tensor, ...], given: tuple[Tensor, ...]
) -> ShapeError:
    carries, gives = (", ".join(show(x.shape) for x in tensors) for tensors in (states, given))
    return ShapeError(
        f"{type(component).__name__} cannot be repeated: it carries {carries} but gives {gives}."
    )
