"""How many parameters, and where? The sizes of the weights, each object once."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase

from sympy import Expr

from symledger.ir.ops import Param
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Call, Program, Scope, Tensor
from symledger.readings.tally import ZERO, Amount, Tally

Price = Callable[[Program, Tensor], Expr]
"""What a weight of a program costs."""
TIED = "tied to "
"""What the note of a weight begins with that is another component's."""
IDLE = "nothing uses it"
"""The note of a weight that is there, and of which nothing is made."""


def _whole(program: Program, weight: Tensor) -> Expr:
    return weight.size


def params(program: Program, price: Price = _whole) -> Tally:
    """Return the weights of a program, each in the component that uses it first.

    A weight used again elsewhere is tied: there it appears with nothing, and a note says so.
    """
    return _weights(program, _any, price)


def trained_params(program: Program, frozen: tuple[str, ...] = ()) -> Tally:
    """Return the weights that are trained, those named by ``frozen`` (``*`` allowed) left out.

    Nor are those trained on which no result depends: no gradient reaches them.
    """
    return trained_states(program, frozen, _whole)


def trained_states(program: Program, frozen: tuple[str, ...], price: Price) -> Tally:
    """Return what is kept for each trained weight, by a price that may look at its shape."""
    return _weights(
        program, lambda body, t: is_trained(body, t, frozen) and t not in body.unused, price
    )


def active_params(program: Program) -> Tally:
    """Return the weights that are used for one token: of routed experts, k of E."""
    return _weights(program, _any, _active)


def has_routed(program: Program) -> bool:
    """Whether some weight is that of experts of which not all are used for a token."""
    weights = (t.op for body in program.bodies for t in body.params)
    return any(isinstance(op, Param) and op.used for op in weights)


def _any(program: Program, weight: Tensor) -> bool:
    return True


def _active(program: Program, weight: Tensor) -> Expr:
    assert isinstance(weight.op, Param)
    if weight.op.used is None:
        return weight.size
    used, experts = weight.op.used
    return weight.size * used / experts


def _weights(
    program: Program, counts: Callable[[Program, Tensor], bool],
    size: Price = _whole,
) -> Tally:  # fmt: skip
    items: list[Amount | Tally] = []
    users: dict[Tensor, set[Scope]] = {t: set() for t in program.params if counts(program, t)}
    for t in program.tensors:
        for arg in t.args:
            if arg in users and t.scope not in users[arg]:
                own = ZERO if users[arg] else size(program, arg)
                note = TIED + program.path(arg) if users[arg] else ""
                items.append(_amount(program, arg, t.scope, own, note))
                users[arg].add(t.scope)
        if isinstance(t.op, Call):
            body = _weights(t.op.body, counts, size)
            items.append(Tally(body.scope, body.items, ONE if t.op.shared else t.op.times))
    for t in program.idle:
        if t in users and not users[t]:
            items.append(_amount(program, t, t.scope, size(program, t), note=IDLE))
    return Tally(program.scope, tuple(items))


def is_trained(program: Program, t: Tensor, frozen: tuple[str, ...]) -> bool:
    """Whether a tensor is a trainable weight whose dotted name matches nothing in ``frozen``."""
    if not (isinstance(t.op, Param) and t.op.trainable):
        return False
    return t.op.adapts or not any(fnmatchcase(program.path(t), pattern) for pattern in frozen)


def _amount(
    program: Program, weight: Tensor, scope: Scope, own: Expr, note: str = ""
) -> Amount:  # fmt: skip
    assert isinstance(weight.op, Param)
    return Amount(scope, own, weight.op.name, weight.shape, note)
