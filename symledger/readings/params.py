"""How many parameters, and where? The sizes of the weights, each object once."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase

from sympy import Expr

from symledger.ir.ops import Param
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Call, Program, Scope, Tensor
from symledger.readings.tally import ZERO, Amount, Tally

TIED = "tied to "
"""What the note of a weight begins with that is another component's."""


def params(program: Program) -> Tally:
    """Return the weights of a program, each in the component that uses it first.

    A weight used again elsewhere is tied: there it appears with nothing, and a note says so.
    """
    return _weights(program, _any)


def trained_params(program: Program, frozen: tuple[str, ...] = ()) -> Tally:
    """Return the weights that are trained, those named by ``frozen`` (``*`` allowed) left out."""
    return _weights(program, lambda body, t: is_trained(body, t, frozen))


def active_params(program: Program) -> Tally:
    """Return the weights that are used for one token: of routed experts, k of E."""
    return _weights(program, _any, _active)


def has_routed(program: Program) -> bool:
    """Whether some weight is that of experts of which not all are used for a token."""
    weights = (t.op for body in program.bodies for t in body.params)
    return any(isinstance(op, Param) and op.used for op in weights)


def _any(program: Program, weight: Tensor) -> bool:
    return True


def _whole(weight: Tensor) -> Expr:
    return weight.size


def _active(weight: Tensor) -> Expr:
    assert isinstance(weight.op, Param)
    if weight.op.used is None:
        return weight.size
    used, experts = weight.op.used
    return weight.size * used / experts


def _weights(
    program: Program, counts: Callable[[Program, Tensor], bool],
    size: Callable[[Tensor], Expr] = _whole,
) -> Tally:  # fmt: skip
    items: list[Amount | Tally] = []
    users: dict[Tensor, set[Scope]] = {t: set() for t in program.params if counts(program, t)}
    for t in program.tensors:
        for arg in t.args:
            if arg in users and t.scope not in users[arg]:
                own = ZERO if users[arg] else size(arg)
                items.append(_amount(program, arg, t.scope, own, first=not users[arg]))
                users[arg].add(t.scope)
        if isinstance(t.op, Call):
            body = _weights(t.op.body, counts, size)
            items.append(Tally(body.scope, body.items, ONE if t.op.shared else t.op.times))
    return Tally(program.scope, tuple(items))


def is_trained(program: Program, t: Tensor, frozen: tuple[str, ...]) -> bool:
    """Whether a tensor is a trainable weight whose dotted name matches nothing in ``frozen``."""
    if not (isinstance(t.op, Param) and t.op.trainable):
        return False
    return not any(fnmatchcase(program.path(t), pattern) for pattern in frozen)


def _amount(program: Program, weight: Tensor, scope: Scope, own: Expr, first: bool) -> Amount:
    assert isinstance(weight.op, Param)
    note = "" if first else TIED + program.path(weight)
    return Amount(scope, own, weight.op.name, weight.shape, note)
