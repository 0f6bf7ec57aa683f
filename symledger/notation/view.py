"""Views by a pattern: axes are split, permuted, renamed and merged; no element changes."""

from __future__ import annotations

from functools import cache

from sympy import Expr

from symledger.errors import PatternError, ShapeError, quoted
from symledger.ir.ops import Rearrange
from symledger.ir.patterns import Axis, parse
from symledger.ir.shapes import ONE, Shape, as_size, part_of, same, show
from symledger.ir.tensor import Tensor


def view(pattern: str, x: Tensor, **sizes: Expr | int) -> Tensor:
    """Split, permute, rename and merge axes; unknown lengths follow from the known ones.

    Raises:
        PatternError: the pattern is not one tensor into one, or repeats a name.
        ShapeError: it does not fit the tensor, drops an axis, or a split is not determined.

    >>> from symledger.notation.leaves import param
    >>> from symledger.sizes import B, T, h, d_k
    >>> view("B T (h k) -> B h T k", param("q", B, T, h * d_k), h=h)
    Rearrange[B h T d_k]
    """
    op, shape = _viewed(pattern, x.shape, tuple(sizes.items()))
    return Tensor(op, (x,), shape, x.storage)


def detached(x: Tensor) -> Tensor:
    """The same elements, through which no gradient goes back."""
    names = tuple((f"_{i}",) for i in range(x.rank))
    lengths = tuple((f"_{i}", n) for i, n in enumerate(x.shape))
    return Tensor(Rearrange(names, names, lengths, stops=True), (x,), x.shape, x.storage)


@cache
def _viewed(
    pattern: str, seen: Shape, sizes: tuple[tuple[str, Expr | int], ...]
) -> tuple[Rearrange, Shape]:
    """The operation and the shape of its result; most views occur many times."""
    parsed = parse(pattern)
    if len(parsed.inputs) != 1 or len(parsed.outputs) != 1:
        raise PatternError(f'{quoted(pattern)} must turn one tensor into one.')
    (left,), (right,) = parsed.inputs, parsed.outputs
    lead = left.lead(len(seen))
    before, after = left.opened(lead), right.opened(lead)
    names = before.names
    if len(before.axes) != len(seen) or sorted(names) != sorted(after.names):
        raise ShapeError(f'{quoted(pattern)} does not fit {show(seen)}, or drops an axis.')
    known = {name: as_size(length) for name, length in sizes}
    if len(set(names)) != len(names) or not known.keys() <= set(names):
        raise PatternError(f'{quoted(pattern)} repeats a name, or has none of {", ".join(known)}.')
    for group, length in zip(before.axes, seen, strict=True):
        _solve(pattern, group, length, known)
    shape = []
    for group in after.axes:
        merged: Expr = ONE
        for name in group:
            merged = merged * known[name]
        shape.append(merged)
    return Rearrange(before.axes, after.axes, tuple(known.items())), tuple(shape)


def _solve(pattern: str, group: Axis, length: Expr, known: dict[str, Expr]) -> None:
    if len(group) == 1 and group[0] not in known:
        known[group[0]] = length
        return
    unknown = [name for name in group if name not in known]
    product: Expr = ONE
    for name in group:
        product = product * known.get(name, ONE)
    if len(unknown) == 1:
        known[unknown[0]] = part_of(length, product)
    elif unknown or not same(product, length):
        raise ShapeError(
            f'{quoted(pattern)} cannot split an axis of length {length} into {" × ".join(group)}: '
            + (f"say how long {' and '.join(unknown[1:])} is." if unknown else "it does not fit.")
        )
