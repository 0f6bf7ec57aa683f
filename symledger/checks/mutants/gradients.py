"""Wrong rules of the backward pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from symledger.checks.mutants.mutant import Mutant
from symledger.checks.mutants.rules import ANY, FUSED, Rule, Targets, Wrong, of_rules
from symledger.ir.ops import Contract, Gather, Join, Map, Pad, Slice, Sum
from symledger.ir.shapes import Shape
from symledger.ir.tensor import Call, Result, Scope, Tensor
from symledger.notation import recompute
from symledger.notation.verbs import expand, narrow, pad, reduce, scatter
from symledger.readings import pullback


def mutants() -> Iterator[Mutant]:
    """Yield every wrong rule of the backward pass."""
    return of_rules(PULLBACKS)


def gradient_of(kind: type[Any], gradient: Wrong) -> Callable[[Any], Wrong]:
    """The pull-back of one operation replaced, that of all others right."""
    return lambda right: lambda t, g, place, result: (
        gradient(t, g, place) if isinstance(t.op, kind) else right(t, g, place, result)
    )


def _forgotten_factor(t: Tensor, g: Tensor, place: int) -> Tensor:
    return pullback.unbroadcast(g, t.args[place].shape)


def _first_rows(g: Tensor, shape: Shape) -> Tensor:
    """The gradient of one of the places that a tensor was broadcast to."""
    for axis in range(g.rank - len(shape)):
        g = narrow(g, axis, 0, 1)
    return reduce(g, tuple(range(g.rank - len(shape))))


def _start_of(t: Tensor, g: Tensor, place: int) -> Tensor:
    assert isinstance(t.op, Join)
    return narrow(g, t.op.axis, 0, t.args[place].shape[t.op.axis])


def _padded(t: Tensor, g: Tensor, place: int) -> Tensor:
    assert isinstance(t.op, Slice)
    return pad(g, t.op.axis, 0, t.args[0].shape[t.op.axis])


def _unpadded(t: Tensor, g: Tensor, place: int) -> Tensor:
    assert isinstance(t.op, Pad)
    return narrow(g, t.op.axis, 0, t.args[0].shape[t.op.axis])


def _first_only(t: Tensor, g: Tensor, place: int) -> Tensor:
    assert isinstance(t.op, Sum)
    for axis in t.op.axes:
        g = pad(g, axis, 0, t.args[0].shape[axis])
    return g


def _averaged(t: Tensor, g: Tensor, place: int) -> Tensor:
    averaged: Tensor = expand(g * (t.size / t.args[0].size), t.args[0].shape)
    return averaged


def _overwritten(right: Any) -> Wrong:
    """A second gradient of the same tensor takes the place of the first."""

    def add(walk: Any, tensor: Tensor, gradient: Tensor) -> None:
        if tensor in walk.needed:
            walk.gradients[tensor] = gradient

    return add


def _dead_code_left_out(right: Any) -> Wrong:
    """A backward program that runs again only what some gradient depends on."""
    return lambda walk: replace(right(walk), again=())


def _opened(right: Any) -> Wrong:
    """A backward program that does not know what is fused."""

    def back(walk: Any, tensors: Sequence[Tensor], within: Scope | None = None) -> None:
        for t in reversed(tensors):
            if t in walk.gradients and t.args and not isinstance(t.op, Call | Result):
                walk._extend(t, walk._rule(t, walk.gradients[t]))

    return back


def _rule(mistake: str, kind: type[Any], gradient: Wrong, targets: Targets = ANY) -> Rule:
    return Rule("pull-back", mistake, pullback, "_of_argument", gradient_of(kind, gradient),
                kind.__name__, targets)  # fmt: skip


PADDED: Targets = (("axiom_pad", {}),)

PULLBACKS = (
    _rule("a Map passes its gradient on", Map, _forgotten_factor),
    _rule("a Sum's gradient goes to the first element", Sum, _first_only),
    _rule("a Sum's gradient is divided among the elements", Sum, _averaged),
    _rule("a Slice's gradient is put at the start", Slice, _padded),
    _rule("a Pad's gradient is taken from the start", Pad, _unpadded, PADDED),
    Rule("pull-back", "a fused body is pulled back operation by operation", pullback._Walk,
         "_back", _opened, "Fused", FUSED),
    Rule("pull-back", "a fused body sends its first gradient back alone", pullback._Walk,
         "_fused", lambda right: lambda walk, region: list(right(walk, region))[:1],
         "Fused", FUSED),
    _rule("every part of a Join gets its start", Join, _start_of),
    _rule("a Gather's gradient is gathered twice", Gather, lambda t, g, place: scatter(
        g * 2, t.args[1], t.args[0].shape, t.op.batch)),
    Rule("pull-back", "a Contract takes the other operand's rule", pullback, "_of_argument",
         lambda right: lambda t, g, place, result: right(
             t, g, 1 - place if isinstance(t.op, Contract) else place, result
         ), "Contract"),
    Rule("pull-back", "the sum over broadcast axes is forgotten", pullback, "unbroadcast",
         lambda right: _first_rows, "Broadcast"),
    Rule("pull-back", "a second use overwrites the gradient of the first", pullback._Walk, "_add",
         _overwritten),
    Rule("pull-back", "nothing is differentiable but the first leaf", pullback, "_differentiable",
         lambda right: lambda leaf: False),
    Rule("pull-back", "a recomputed block is not run again", recompute, "block_of",
         lambda right: lambda t, outer, within=None: None, "Recompute"),
    Rule("pull-back", "the last product of a recomputed block is not run again", pullback._Walk,
         "run", _dead_code_left_out, "Recompute"),
)  # fmt: skip
