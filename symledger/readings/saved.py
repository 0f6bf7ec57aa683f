"""What must be kept for the backward pass? The forward values that the backward program mentions.

A tensor that is only another view of a stored one counts as that one, once. Weights and computed
tables are not activations. A repeated body keeps its set at every application; the sequence of
tensors that it carries is counted as one sequence of ``times`` + 1 tensors.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sympy import Expr

from symledger.core.ops import Call, CallBack, Const, Input, Pad, Param, Rearrange, Slice, Storage
from symledger.core.program import Pullback
from symledger.core.tensor import ONE, Scope, Tensor
from symledger.readings.tally import Amount, Tally


@dataclass(frozen=True)
class Kept:
    """The stored tensors of a program, in order, and what its repeated bodies store."""

    scope: Scope
    roots: tuple[Tensor, ...]
    bodies: tuple[KeptBody, ...]


@dataclass(frozen=True)
class KeptBody:
    """What a Call stores: ``each`` at every application, or ``first`` at the first one.

    It carries tensors x₀ … x_times. ``enters`` and ``leaves`` say whether application i mentions
    its x_i or its x_{i+1}; either keeps x₁ … x_{times−1}. ``last`` says that x_times is kept; x₀
    belongs to the program around the Call.
    """

    call: Tensor
    each: Kept
    first: Kept | None
    enters: bool
    leaves: bool
    last: bool

    @property
    def op(self) -> Call:
        """The repetition itself."""
        assert isinstance(self.call.op, Call)
        return self.call.op

    @property
    def carried(self) -> Expr:
        """How many tensors of the carried sequence are kept, x₀ left out."""
        return (self.op.times - 1) * int(self.enters or self.leaves) + int(self.last)


def kept(pull: Pullback) -> Kept:
    """Return what the backward program needs of the forward pass."""
    forward = set(pull.program.tensors)
    mentioned = {root(arg) for t in pull.tensors for arg in t.args if arg in forward}
    bodies: list[KeptBody] = []
    for back in pull.tensors:
        if isinstance(back.op, CallBack):
            body = _body(back.op, back.op.call in mentioned)
            bodies.append(body)
            mentioned.discard(body.call)
            mentioned |= _entering(back.op)
    stored = [t for t in mentioned if not isinstance(t.op, Param | Const)]
    return Kept(pull.scope, tuple(sorted(stored, key=lambda t: t.order)), tuple(bodies))


def _entering(back: CallBack) -> set[Tensor]:
    """The outer tensors that applications mention as what enters them."""
    assert isinstance(back.call.op, Call)
    formals, actuals = back.call.op.body.inputs, back.call.args
    each = set(kept(back.body).roots)
    first = set(kept(back.first).roots) if back.first else each
    pairs = list(zip(formals, actuals, strict=True))
    entering = {root(x) for formal, x in pairs[:1] if formal in first}
    return entering | {root(x) for formal, x in pairs[1:] if formal in each | first}


def _body(back: CallBack, result_mentioned: bool) -> KeptBody:
    assert isinstance(back.call.op, Call)
    body = back.call.op.body
    each, first = kept(back.body), kept(back.first) if back.first else None
    entering, leaving = body.inputs[0], root(body.outputs[0])
    own = {*body.inputs, leaving}
    leaves = leaving in each.roots or any(b.call is leaving and b.last for b in each.bodies)
    return KeptBody(
        back.call, _without(each, own), _without(first, own) if first else None,
        entering in each.roots, leaves, leaves or result_mentioned,
    )  # fmt: skip


def _without(inner: Kept, own: set[Tensor]) -> Kept:
    roots = tuple(t for t in inner.roots if t not in own)
    bodies = tuple(replace(b, last=b.last and b.call not in own) for b in inner.bodies)
    return Kept(inner.scope, roots, bodies)


def root(t: Tensor) -> Tensor:
    """Return the tensor whose storage this one is a view of."""
    while isinstance(t.op, Rearrange | Slice | Pad):
        t = t.args[0]
    return t


def saved(pull: Pullback, bytes_of: dict[Storage, Expr]) -> Tally:
    """Return the bytes of the saved activations, where they arise.

    Args:
        pull: the backward program.
        bytes_of: how many bytes an element of each storage class takes.
    """
    return _tally(kept(pull), bytes_of)


def _tally(k: Kept, bytes_of: dict[Storage, Expr], times: Expr = ONE) -> Tally:
    items: list[Amount | Tally] = [
        Amount(t.scope, t.size * bytes_of[t.storage], label(t), t.shape) for t in k.roots
    ]
    for body in k.bodies:
        rest = body.op.times - 1 if body.first else body.op.times
        items.append(_tally(body.each, bytes_of, rest))
        if body.first:
            items.append(_tally(body.first, bytes_of))
        sequence = body.carried * body.call.size * bytes_of[body.call.storage]
        items.append(Amount(k.scope, sequence, f"between {body.each.scope.name}s", body.call.shape))
    return Tally(k.scope, tuple(items), times)


def label(t: Tensor) -> str:
    """Name a stored tensor: the step it is, or the operation that made it."""
    for name, step in t.scope.steps.items():
        if root(step) is t:
            return name
    return t.op.name if isinstance(t.op, Input) else type(t.op).__name__

