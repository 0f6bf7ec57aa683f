"""What all rounds of a loop made, in order: put together as a list of tensors is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.verbs import join
from symledger.traces.rules.table import At, axis_of
from symledger.traces.rules.views import permuted, reshaped


@dataclass(frozen=True)
class Sequence:
    """A tensor that has all elements along an axis; ``reverse`` says that the last is first."""

    tensor: Tensor
    axis: int
    reverse: bool = False

    def turned(self) -> Sequence:
        """Return the same elements, the last one first."""
        return replace(self, reverse=not self.reverse)

    def along(self, axis: int) -> Tensor:
        """Return the tensor with its elements along another axis."""
        return moved(self.tensor, self.axis, axis)


def moved(x: Tensor, axis: int, to: int) -> Tensor:
    """Return a tensor with one axis in another place."""
    if axis == to:
        return x
    order = [i for i in range(x.rank) if i != axis]
    order.insert(to, axis)
    return permuted(x, order)


def put_together(at: At, arguments: Mapping[str, Any]) -> Tensor | None:
    """Stack or join a list in which sequences stand; nothing where there are none.

    Raises:
        BadInput: another operation takes a sequence.
    """
    listed = arguments.get("tensors", ())
    several = [x for a in arguments.values() for x in (a if isinstance(a, tuple) else (a,))]
    if not any(isinstance(x, Sequence) for x in several):
        return None
    if at.operation not in ("aten.stack", "aten.cat"):
        raise at.refused("it takes a list of what a loop made, which is not understood.")
    place = axis_of(arguments.get("dim", 0), len(at.shape))
    parts = [_part(at, x, place) for x in listed]
    return parts[0] if len(parts) == 1 else join(parts, place)


def _part(at: At, x: Tensor | Sequence, place: int) -> Tensor:
    """Return one part of a list, as long along an axis as it is to be there."""
    if isinstance(x, Sequence):
        if x.reverse:
            raise at.refused("a list that a loop made is turned round, which is not understood.")
        whole = x.along(place)
        if at.operation == "aten.stack":
            return whole
        joined = whole.shape[place] * whole.shape[place + 1]
        return reshaped(at, whole, (*whole.shape[:place], joined, *whole.shape[place + 2 :]))
    if at.operation == "aten.cat":
        return x
    return reshaped(at, x, (*x.shape[:place], ONE, *x.shape[place:]))
