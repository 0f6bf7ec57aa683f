"""What must be kept for the backward pass? The forward values that the backward program mentions.

A tensor that is only another view of a stored one counts as that one, once; so does a slice that
an application takes. Weights and computed tables are not activations. A repeated body keeps its
set at every application; a state that it carries is counted as one sequence of ``times`` + 1
tensors, and where its results are stacked too, they are that sequence, stored as one tensor.

Where nothing takes the states of a repeated body after its last application, that one keeps less.

Of a recomputed block only what enters it is mentioned. What it draws at random or is told (a
router's choice) is drawn or told again, from a generator's state of a few bytes, and is not kept.
While one block is being run again, what it computes is there as well, until its gradients are
known: that is not counted here. It is what the block by itself keeps without ``recompute``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sympy import Expr

from symledger.ir.ops import Const, Input, Map, Param, Storage, View
from symledger.ir.scalars import CACHED, CAST
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Call, CallBack, Program, Pullback, Result, Scope, Tensor
from symledger.notation.recompute import block_of
from symledger.readings.tally import Amount, Tally


@dataclass(frozen=True)
class Kept:
    """The stored tensors of a program, in order, and what its repeated bodies store.

    ``redrawn`` are inputs from within recomputed blocks, which are not stored.
    """

    scope: Scope
    roots: tuple[Tensor, ...]
    bodies: tuple[KeptBody, ...]
    redrawn: tuple[Tensor, ...] = ()


@dataclass(frozen=True)
class KeptState:
    """A carried state x₀ … x_times, and which of its tensors are kept.

    ``enters`` and ``leaves`` say whether application i mentions its x_i or its x_{i+1}; either
    keeps x₁ … x_{times−1}, but for the last of these where the last application has no use for what
    ``arrives`` there. ``last`` says that x_times is kept; x₀ belongs to the program around the
    Call. ``stack`` is the tensor in which x₁ … x_times are stacked, if there is one: it
    belongs to that program too, and is kept whole.
    """

    formal: Tensor
    result: Tensor
    enters: bool = False
    leaves: bool = False
    last: bool = False
    stack: Tensor | None = None
    arrives: bool = True

    @property
    def used(self) -> bool:
        """Whether anything beyond x₀ is kept."""
        return self.enters or self.leaves or self.last

    def size(self, times: Expr) -> Expr:
        """The elements that are kept, x₀ and what is stacked left out."""
        if self.stack is not None:
            return ONE * 0
        between = int(self.enters or self.leaves)
        number = (times - 1) * between - int(between and not self.arrives) + int(self.last)
        return number * self.result.size


@dataclass(frozen=True)
class KeptBody:
    """What a Call stores: ``each`` at every application, others at the ``first`` and the ``last``.

    An ``only`` application is both.
    """

    call: Tensor
    each: Kept
    states: tuple[KeptState, ...]
    first: Kept | None = None
    last: Kept | None = None
    only: Kept | None = None

    def at(self, i: int, times: int) -> Kept:
        """Return what application i of so many stores."""
        if i == 0 == times - 1:
            return self.only or self.first or self.each
        ends = {0: self.first, times - 1: self.last}
        return ends.get(i) or self.each

    @property
    def op(self) -> Call:
        """The repetition itself."""
        assert isinstance(self.call.op, Call)
        return self.call.op


def kept(pull: Pullback) -> Kept:
    """Return what the backward program needs of the forward pass.

    Raises:
        NotKnown: what some function keeps is not known.
    """
    for t in pull.program.tensors:
        if isinstance(t.op, Map):
            t.op.code.check_known()
    forward = set(pull.program.tensors)
    mentioned = {root(arg) for t in pull.tensors for arg in t.args if arg in forward}
    bodies: list[KeptBody] = []
    for back in pull.tensors:
        if isinstance(back.op, CallBack) and back.op.call in forward:
            body, outside = _body(back.op, mentioned, pull.program)
            bodies.append(body)
            mentioned = {t for t in mentioned if not is_result(t, body.call)} | outside
    redrawn = {t for t in mentioned if is_redrawn(t, pull)}
    stored = {t for t in mentioned if not isinstance(t.op, Param | Const)} - redrawn
    return Kept(pull.scope, _in_order(stored), tuple(bodies), _in_order(redrawn))


def is_redrawn(t: Tensor, pull: Pullback) -> bool:
    """Whether something is drawn or told in a block that a backward pass runs again.

    What is remembered is not: it stays where it is.
    """
    if not isinstance(t.op, Input) or t.op.remembered or t in pull.program.inputs:
        return False
    return block_of(t, pull.scope) is not None


def _in_order(tensors: set[Tensor]) -> tuple[Tensor, ...]:
    return tuple(sorted(tensors, key=lambda t: t.order))


def is_result(t: Tensor, call: Tensor) -> bool:
    """Whether a tensor is one of the results of a Call."""
    return t is call or (isinstance(t.op, Result) and t.args[0] is call)


def _body(back: CallBack, mentioned: set[Tensor], program: Program) -> tuple[KeptBody, set[Tensor]]:
    """What a repeated body keeps, and which tensors of the program around it are kept for it."""
    call = back.call.op
    assert isinstance(call, Call)
    last, stacks = _taken(back.call, mentioned)
    merged = _taken(back.call, set(program.tensors))[1]
    results = [root(y) for y in call.body.outputs[: call.states]]
    whole = {y: merged[y] for y in results if y in merged}
    further = {root(y) for y in stacks} - set(whole)
    each = _with(kept(back.body), further)
    others = {"first": back.first, "last": back.last, "only": back.only}
    ends = {name: _with(kept(pull), further) for name, pull in others.items() if pull}
    states = tuple(
        _state(x, y, each, ends.get("last", each), y in last or y in stacks, whole.get(y))
        for x, y in zip(call.carried, results, strict=True)
    )
    own = {*call.body.inputs, *results}
    always = _without(each, own)
    apart = {name: _without(k, own) for name, k in ends.items()}
    if "last" in apart and _alike(apart["last"], always):
        del apart["last"]  # it is one of those between
    body = KeptBody(back.call, always, states, **apart)
    outside = {s.stack for s in states if s.stack and s.used}
    return body, outside | _entering(back.call, each, ends.get("first", each))


def _alike(one: Kept, other: Kept) -> bool:
    """Whether the same tensors of one body are stored."""
    return {*one.roots} == {*other.roots} and one.bodies == other.bodies


def _taken(call: Tensor, among: set[Tensor]) -> tuple[set[Tensor], dict[Tensor, Tensor]]:
    """Of which outputs of a body some tensors are the last value (by root), or the stack."""
    assert isinstance(call.op, Call)
    last, stacks = set[Tensor](), dict[Tensor, Tensor]()
    for t in among:
        if t is call:
            last.add(root(call.op.body.outputs[0]))
        elif isinstance(t.op, Result) and t.args[0] is call:
            if t.op.axis is None:
                last.add(root(t.op.leaf))
            else:
                stacks[t.op.leaf] = t
    return last, stacks


def _state(
    x: Tensor, y: Tensor, each: Kept, last: Kept, taken: bool, stack: Tensor | None
) -> KeptState:  # fmt: skip
    """Which tensors of a carried state are mentioned, in the body or around it."""
    leaves, ends = (y in k.roots or _leaves(y, k) for k in (each, last))
    arrives = leaves or x in last.roots
    return KeptState(x, y, x in each.roots, leaves, ends or taken, stack, arrives)


def _leaves(y: Tensor, k: Kept) -> bool:
    """Whether a state is the last one of a body inside, where that is kept."""
    return any(s.last and s.result in _taken(b.call, {y})[0] for b in k.bodies for s in b.states)


def _entering(call: Tensor, each: Kept, first: Kept) -> set[Tensor]:
    """The outer tensors that applications mention as what enters them."""
    assert isinstance(call.op, Call)
    formals, carried = call.op.body.inputs, call.op.carried
    pairs = zip(formals, call.args, strict=True)
    every = set(each.roots) | set(first.roots)
    return {root(x) for f, x in pairs if f in (first.roots if f in carried else every)}


def _with(inner: Kept, further: set[Tensor]) -> Kept:
    return replace(inner, roots=_in_order({*inner.roots, *further}))


def _without(inner: Kept, own: set[Tensor]) -> Kept:
    """Leave out what the program around counts: what enters, and the states."""

    def outer(b: KeptBody) -> KeptBody:
        counted = _taken(b.call, own)[0]
        states = (replace(s, last=s.last and s.result not in counted) for s in b.states)
        return replace(b, states=tuple(states))

    roots = tuple(t for t in inner.roots if t not in own)
    return replace(inner, roots=roots, bodies=tuple(map(outer, inner.bodies)))


def root(t: Tensor) -> Tensor:
    """Return the tensor whose storage this one is a view of."""
    while isinstance(t.op, View):
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
        ends = [k for k in (body.first, body.last) if k]
        items.append(_tally(body.each, bytes_of, body.op.times - len(ends)))
        items += (_tally(k, bytes_of) for k in ends)
        for state in body.states:
            sequence = state.size(body.op.times) * bytes_of[state.result.storage]
            between = f"between {body.each.scope.name}s"
            if sequence != 0:
                items.append(Amount(body.call.scope, sequence, between, state.result.shape))
    return Tally(k.scope, tuple(items), times)


def label(t: Tensor) -> str:
    """Name a stored tensor: the step it is, or the operation that made it."""
    for name, step in t.scope.steps.items():
        if root(step) is t:
            return name
    if isinstance(t.op, Result):
        return label(t.op.leaf)
    if isinstance(t.op, Map) and t.op.code in (CAST, CACHED):
        return label(root(t.args[0]))
    return t.op.name if isinstance(t.op, Input | Param) else type(t.op).__name__
