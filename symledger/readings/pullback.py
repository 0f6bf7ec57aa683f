"""What is the backward pass? Another program in the same language, built operation by operation.

Every operation has one rule: given the gradient of its result, the gradients of its arguments.
Walking the program backwards and adding up what reaches a tensor gives its gradient. Fused bodies
state their own rule; a repeated body is pulled back once, whatever the number of repetitions;
a recomputed block is run again first, and what is pulled back is that run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import assert_never

from sympy import Expr

from symledger.errors import DefinitionError
from symledger.ir import ops
from symledger.ir.building import inside
from symledger.ir.region import gradients
from symledger.ir.scalars import GRADIENT, RESULT
from symledger.ir.shapes import ONE, Shape
from symledger.ir.tensor import (
    Call,
    CallBack,
    Program,
    Pullback,
    Region,
    Result,
    Scope,
    Tensor,
    pointwise,
    reachable,
)
from symledger.notation.recompute import block_of
from symledger.notation.solving import solve_back
from symledger.notation.verbs import (
    argmax,
    copied,
    expand,
    gather,
    narrow,
    pad,
    reduce,
    scatter,
    table,
    total,
)
from symledger.notation.windows import overlap, windows
from symledger.readings.gradient_types import as_of, floating, made_as
from symledger.readings.params import is_trained
from symledger.readings.rerun import Rerun, turns_of

Pair = tuple[Tensor, Tensor]
"""A tensor and (a part of) its gradient."""


def pullback(program: Program, inputs: bool = True, frozen: tuple[str, ...] = ()) -> Pullback:
    """Build the backward program of a program.

    Args:
        program: the forward program.
        inputs: whether a gradient is asked for the (non-integer) inputs.
        frozen: dotted weight names, ``*`` allowed, that need no gradient.

    Raises:
        DefinitionError: an operation has no pull-back.
    """
    wanted = {t for t in program.inputs if inputs and _differentiable(t)}
    return _Walk(program, wanted, frozen).run()


def _differentiable(leaf: Tensor) -> bool:
    whole = leaf.storage in ("index", "mask")
    return not whole and (not isinstance(leaf.op, ops.Input) or leaf.op.varies)


class _Walk:
    """One walk backwards through a program."""

    def __init__(self, program: Program, wanted: set[Tensor], frozen: tuple[str, ...]) -> None:
        self.program = program
        self.frozen = frozen
        self.gradients: dict[Tensor, Tensor] = {}
        self.inner: dict[Tensor, Tensor] = {}
        self.results: dict[Tensor, list[Tensor]] = {}
        self.again: list[Tensor] = []
        self.rerun = Rerun()
        self.needed = set(wanted)
        for t in program.tensors:
            reached = self._is_trained(t) or any(
                arg in self.needed and _passes(t, i) for i, arg in enumerate(t.args)
            )
            if reached and t.storage != "index":  # whole numbers have no gradient
                self.needed.add(t)
            if isinstance(t.op, Result):
                self.results.setdefault(t.args[0], []).append(t)

    def _is_trained(self, t: Tensor) -> bool:
        if isinstance(t.op, Call):
            return any(
                is_trained(body, weight, self.frozen)
                for body in t.op.body.bodies for weight in body.params
            )  # fmt: skip
        return is_trained(self.program, t, self.frozen)

    def run(self) -> Pullback:
        """Walk, and return the backward program."""
        outputs = self.program.outputs
        seeds = tuple(
            Tensor(ops.Input("gradient"), (), y.shape, floating(y), scope=y.scope) for y in outputs
        )
        for y, seed in zip(outputs, seeds, strict=True):
            self._add(y, seed)
        self._back(self.program.tensors)
        leaves = {t: g for t, g in self.gradients.items() if not t.args and t in self.needed}
        return Pullback(self.program, seeds, {**leaves, **self.inner}, tuple(self.again))

    def _back(self, tensors: Sequence[Tensor], within: Scope | None = None) -> None:
        """Go through tensors backwards; ``within`` is the block of which they are the rerun."""
        blocks = {t: block_of(t, self.program.scope, within) for t in tensors}
        turns = turns_of(tensors, blocks)
        self.rerun.note(blocks)
        done: set[Region | Scope] = set()
        for t in reversed(tensors):
            unit = blocks[t] or t.region
            if isinstance(unit, Scope) and turns.get(unit, t) is not t:
                continue
            if unit is None:
                if isinstance(t.op, Call):
                    self._extend(t, self._call(t, t.op))
                elif t in self.gradients and not isinstance(t.op, Result):
                    self._extend(t, self._rule(t, self.gradients[t]))
            elif unit not in done:
                done.add(unit)
                if isinstance(unit, Scope):
                    self._recomputed([x for x in tensors if blocks[x] is unit], unit)
                else:
                    self._extend(unit.outputs[-1], self._fused(unit))

    def _recomputed(self, tensors: list[Tensor], block: Scope) -> None:
        """Run a block again, and go back through that run, if any gradient reaches it."""
        if not any(t.args and t in self.gradients for t in tensors):
            return
        copies = self.rerun.run(block, tensors)
        for t, copy in copies.items():
            if t in self.needed:
                self.needed.add(copy)
            if t in self.gradients:
                self.gradients[copy] = self.gradients.pop(t)
            if isinstance(copy.op, Result):
                self.results.setdefault(copy.args[0], []).append(copy)
        self._back(list(copies.values()), block)
        self.again += self._needed_again(tensors, copies) if block.early else copies.values()

    def _needed_again(
        self, tensors: list[Tensor], copies: Mapping[Tensor, Tensor]
    ) -> Iterator[Tensor]:
        """Yield of a block that is run again what comes before the last value that is needed.

        What was drawn in it is needed as well.
        """
        computed = set(copies.values())
        back = reachable((*self.gradients.values(), *self.inner.values()), computed)
        mentioned = {x for t in back if t not in computed for x in t.args}
        last = max((
            i for i, t in enumerate(tensors)
            if copies.get(t, t) in mentioned and (t.args or isinstance(t.op, ops.Input))
        ), default=-1)  # fmt: skip
        yield from (copies[t] for t in tensors[: last + 1] if t in copies)

    def _extend(self, at: Tensor, pairs: Iterable[Pair]) -> None:
        with inside(at.scope):
            for tensor, gradient in pairs:
                self._add(tensor, gradient)

    def _add(self, tensor: Tensor, gradient: Tensor) -> None:
        if tensor not in self.needed:
            return
        gradient = as_of(tensor, gradient)
        if tensor in self.gradients:
            with inside(tensor.scope):
                gradient = made_as(tensor, self.gradients[tensor] + gradient)
        self.gradients[tensor] = gradient

    def _fused(self, region: Region) -> list[Pair]:
        """Run a stated pull-back, which is a fused body too."""
        incoming = [self.gradients.get(y) for y in region.outputs]
        if all(g is None for g in incoming):
            return []
        back = Region(region.pullback)
        with inside(region.outputs[-1].scope, back):
            pairs = zip(incoming, region.outputs, strict=True)
            arriving = [zeros(y) if g is None else g for g, y in pairs]
            now = Region(region.pullback, {n: self.rerun.now(x) for n, x in region.named.items()})
            found = [
                (region.named[name], made_as(region.named[name], g, arriving))
                for name, g in gradients(now, *arriving)
            ]
        back.outputs = tuple(g for _, g in found)
        together = {region.named[name] for name in region.together}
        if any(x in self.needed for x, _ in found):
            self.again += [g for x, g in found if x in together and x not in self.needed]
        return found

    def _rule(self, t: Tensor, g: Tensor) -> Iterator[Pair]:
        """Yield the gradient of each argument that needs one."""
        if isinstance(t.op, ops.Solve):  # both are made of one solution
            yield from zip(t.args, solve_back(t, g), strict=True)
            return
        now = self.rerun.reading(t)
        for position, arg in enumerate(t.args):
            if arg in self.needed and _passes(t, position):
                found = _of_argument(now, g, position, t)
                whole = isinstance(arg.op, ops.Param) and isinstance(found.op, ops.Pad)
                yield arg, made_as(arg, copied(found) if whole else found, (g,))

    def _call(self, t: Tensor, call: Call) -> Iterator[Pair]:
        """Pull a body back once for every application; for the first one apart, if it differs."""
        taken = [r for r in (t, *self.results.get(t, ())) if r in self.gradients]
        if not taken:
            return
        body, incoming = self._arriving(call, taken)
        actual = dict(zip(body.inputs, t.args, strict=True))
        wanted = {formal for formal, x in actual.items() if x in self.needed}
        every = wanted | set(call.carried)
        first = None if wanted == every else _Walk(body, wanted, self.frozen).run()
        inner = _Walk(body, every, self.frozen).run()
        last = only = None
        if call.ends and all(is_zero(g) for g in incoming[: call.states]):
            ending = replace(body, outputs=body.outputs[call.states :])
            last = _Walk(ending, every, self.frozen).run()
            only = _Walk(ending, wanted, self.frozen).run() if first else last
        back = Tensor(CallBack(t, inner, first, last, only), incoming, t.args[0].shape,
                      floating(t.args[0]))  # fmt: skip
        yield t.args[0], back
        for formal in call.carried[1:]:
            yield actual[formal], Tensor(Result(formal), (back,), formal.shape, floating(formal))
        for leaf, g in inner.gradients.items():
            if leaf in call.sliced:
                whole = actual[leaf]
                yield whole, Tensor(
                    Result(leaf, call.axis), (back,), whole.shape, floating(whole)
                )
            elif leaf not in actual:
                axis, stacked = (None, ()) if call.shared else (0, (call.times,))
                self.inner[leaf] = Tensor(Result(leaf, axis), (back,), (*stacked, *g.shape))
            elif leaf not in call.carried:
                yield actual[leaf], Tensor(Result(leaf), (back,), leaf.shape, floating(leaf))

    def _arriving(self, call: Call, taken: list[Tensor]) -> tuple[Program, tuple[Tensor, ...]]:
        """The body with those results that have a gradient, and the gradients, states first."""
        last, each = call.body.outputs[: call.states], list[Tensor]()
        stacks, states = list[Tensor](), dict[Tensor, Tensor]()
        for r in taken:
            if isinstance(r.op, Result) and r.op.axis is not None:
                each.append(r.op.leaf)
                stacks.append(self.gradients[r])
            else:
                states[r.op.leaf if isinstance(r.op, Result) else last[0]] = self.gradients[r]
        body = replace(call.body, outputs=(*last, *each))
        return body, (*(states.pop(y) if y in states else zeros(y) for y in last), *stacks)


def _passes(t: Tensor, position: int) -> bool:
    """Whether a gradient goes back to an argument: not where it is zero everywhere."""
    match t.op:
        case ops.Map(code):
            return bool(code.slope(position).value != 0)
        case ops.Rearrange(stops=stops):
            return not stops
        case _:
            return True


def _of_argument(t: Tensor, g: Tensor, position: int, result: Tensor) -> Tensor:
    """The gradient of one argument of an operation, given its result and the gradient of that."""
    arg = t.args[position]
    match t.op:
        case ops.Contract() as op:
            return _contract(op, t, g, position)
        case ops.Map(code):
            slope = code.slope(position)
            if slope.value == GRADIENT:
                return unbroadcast(g, arg.shape)
            known = {**dict(zip(code.args, t.args, strict=True)), RESULT: result, GRADIENT: g}
            return unbroadcast(pointwise(slope, *(known[s] for s in slope.args)), arg.shape)
        case ops.Sum():
            return expand(g, arg.shape)
        case ops.Repeat():
            return unbroadcast(g, arg.shape)
        case ops.Max():
            return scatter(g, argmax(arg), arg.shape, batch=arg.rank - 1)
        case ops.Rearrange(left, right, sizes, _):
            return Tensor(ops.Rearrange(right, left, sizes), (g,), arg.shape)
        case ops.Slice(axis, start, _):
            return pad(g, axis, start, arg.shape[axis])
        case ops.Pad(axis, start, _):
            return narrow(g, axis, start, arg.shape[axis])
        case ops.Windows(axis, stride, padding, dilation, _, past):
            return overlap(g, axis, arg.shape[axis], stride, padding, dilation, past)
        case ops.Overlap(axis, stride, padding, dilation, past):
            number, kernel = arg.shape[axis : axis + 2]
            return windows(g, axis, number, kernel, stride, padding, dilation, past=past)
        case ops.Join(axis):
            before: Expr = sum((x.shape[axis] for x in t.args[:position]), start=ONE * 0)
            return narrow(g, axis, before, arg.shape[axis])
        case ops.Gather(batch):
            return scatter(g, t.args[1], arg.shape, batch)
        case ops.Scatter(batch, "sum"):
            return gather(g, t.args[1], batch)
        case (
            ops.Input() | ops.Param() | ops.Const() | ops.MaxIndex() | ops.Scatter() | ops.Solve()
            | Call() | CallBack() | Result()
        ):  # fmt: skip
            raise DefinitionError(f"{t.op} has no pull-back here.")
        case _:
            assert_never(t.op)


def _contract(op: ops.Contract, t: Tensor, g: Tensor, position: int) -> Tensor:
    """A Contract over the same indices, at the same price, with result and argument swapped."""
    (left, right), mask = t.args[:2], t.args[2:]
    if position == 0:
        back, args = ops.Contract(op.out, op.right, op.left, op.pairs), (g, right, *mask)
    else:
        back, args = ops.Contract(op.left, op.out, op.right, op.pairs), (left, g, *mask)
    return Tensor(back, args, t.args[position].shape)


def zeros(y: Tensor) -> Tensor:
    """The gradient of a result that nothing uses; it mentions no value."""
    return expand(table("zero", lambda: ONE * 0, storage=floating(y)), y.shape)


def is_zero(g: Tensor) -> bool:
    """Whether a gradient is such a zero."""
    return any(isinstance(x.op, ops.Const) and x.op.name == "zero" for x in (g, *g.args))


def unbroadcast(g: Tensor, shape: Shape) -> Tensor:
    """Sum a gradient over the axes along which its tensor was broadcast."""
    if g.shape == shape:
        return g
    lead = g.rank - len(shape)
    kept = tuple(i for i in range(lead, g.rank) if shape[i - lead] is ONE and g.shape[i] is not ONE)
    if kept:
        g = total(g, kept)
    return reduce(g, tuple(range(lead))) if lead else g
