"""What a step reads of a mixture: E_t of its E experts, and which step that can be said of."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from sympy import Expr

from symledger import algebra, sizes
from symledger.errors import BadInput
from symledger.ir.ops import Contract, Gather, Param
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Call, Program, Tensor
from symledger.readings.params import params
from symledger.readings.tally import ZERO, Tally
from symledger.readings.traffic import Bytes, weights
from symledger.sizes import Size

E_t = Size("E_t", "experts of a mixture that a decoding step touches")


def touched_experts(program: Program) -> Tally:
    """Return E_t for each mixture, at the first of its experts' weights."""

    def price(body: Program, weight: Tensor) -> Expr:
        own = (w for w in _routed(body) if body.owners[w] is body.owners[weight])
        return E_t if next(own, None) is weight else ZERO

    return _without_nothing(params(program, price))


def _without_nothing(tally: Tally) -> Tally:
    items = (_without_nothing(i) if isinstance(i, Tally) else i for i in tally.items)
    kept = tuple(i for i in items if (i.items if isinstance(i, Tally) else i.own is not ZERO))
    return Tally(tally.scope, kept, tally.times)


def weights_read(program: Program, bytes_of: Bytes) -> Tally:
    """Return the bytes of weights that are read: of E routed experts those of E_t."""
    return Tally(program.scope, tuple(weights(program, bytes_of, E_t)))


def mixture_of(program: Program) -> tuple[Expr, Expr]:
    """Return k and E of all mixtures of a step that decodes B tokens.

    Raises:
        BadInput: they differ, or a mixture is not given these B tokens, once.
    """
    name = program.scope.name
    found: dict[tuple[Expr, Expr], None] = {}
    for body in program.bodies:
        for weight in _routed(body):
            assert isinstance(weight.op, Param)
            assert weight.op.used
            found[weight.op.used] = None
            if weight.op.used[1] != weight.shape[0]:
                raise BadInput(
                    f"{name} has experts that compute nothing among those that a token is sent to: "
                    "how many of the others a step touches is not derived."
                )
            if not _is_given_each(body, weight):
                raise BadInput(f"how often a step of {name} uses {body.path(weight)} is not known.")
        for call in body.calls:
            assert isinstance(call.op, Call)
            if call.op.shared and any(any(_routed(inner)) for inner in call.op.body.bodies):
                raise BadInput(f"{name} uses the same experts several times: this is not derived.")
    if len(found) > 1:
        raise BadInput(f"{name} has mixtures of several sizes: what is touched is not derived.")
    return next(iter(found))


def _routed(body: Program) -> Iterator[Tensor]:
    return (w for w in body.params if isinstance(w.op, Param) and w.op.used)


def _is_given_each(body: Program, weight: Tensor) -> bool:
    """Whether a weight is used once, for k·B rows: those of one token of each sequence."""
    assert isinstance(weight.op, Param)
    assert weight.op.used
    users = [t for t in body.tensors if weight in t.args]
    if len(users) != 1:
        return False
    user = users[0]
    if isinstance(user.op, Contract):
        other = next(t for t in user.args if t is not weight)
        rows = other.size / weight.shape[1]
    elif isinstance(user.op, Gather):
        rows = user.size / prod(weight.shape[1:], start=ONE)
    else:  # a bias is added to what its matrix gives
        return True
    return algebra.terms(rows) == algebra.terms(weight.op.used[0] * sizes.B)
