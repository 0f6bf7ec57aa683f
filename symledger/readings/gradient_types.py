"""Of which type is a gradient? Of that of what it is the gradient of.

In a program of one type there is nothing to say. Under autocast an operation that makes a gradient
makes it in its type; what arrives in another one is cast, as autograd casts it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symledger.ir import ops, scalars
from symledger.ir.casts import FLOATS
from symledger.ir.ops import Storage
from symledger.ir.tensor import Tensor

WIDE, HALF = FLOATS


def floating(x: Tensor) -> Storage:
    """The type of the gradient of a tensor."""
    return HALF if x.storage == HALF else WIDE


def as_of(x: Tensor, gradient: Tensor) -> Tensor:
    """Return a gradient in the type of its tensor, cast if it is of another one."""
    to = floating(x)
    if gradient.storage == to or gradient.storage not in FLOATS:
        return gradient
    if isinstance(gradient.op, ops.View):
        below = as_of(x, gradient.args[0])
        return Tensor(gradient.op, (below,), gradient.shape, to, scope=gradient.scope)
    code = ops.Map(scalars.CAST)
    return Tensor(code, (gradient,), gradient.shape, to, region=None)


def made_as(x: Tensor, gradient: Tensor, given: Sequence[Tensor] = ()) -> Tensor:
    """Return a gradient that an operation has just made in the type of its tensor.

    What it was ``given`` it has not made, even where it passes that on, seen in another shape.
    """
    to = floating(x)
    if HALF not in (to, *(g.storage for g in (gradient, *given))):
        return gradient
    if gradient in given or isinstance(gradient.op, ops.Input):
        return gradient
    if isinstance(gradient.op, ops.View):
        below = made_as(x, gradient.args[0], given)
        return replace(gradient, args=(below,), storage=below.storage)
    if isinstance(gradient.op, ops.Sum):
        below = made_as(x, gradient.args[0], given)
        return replace(gradient, args=(below,), storage=to)
    return replace(gradient, storage=to)
