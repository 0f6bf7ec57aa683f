"""A loop of a graph as a scan of ours: states carried, slices taken, results stacked.

What a round takes at its own number, out of a tensor that every round takes, is a slice. What it
writes there into a tensor that is carried, and that nothing else reads, is a result that is
stacked. PyTorch stacks copies: so do we.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from sympy import Expr, Integer

from symledger.errors import BadInput
from symledger.ir import scalars
from symledger.ir.building import inside, noting_idle
from symledger.ir.ops import Input
from symledger.ir.tensor import Call, Program, Result, Scope, Tensor, pointwise
from symledger.notation.verbs import join, narrow, table
from symledger.traces.graph import LEAVES, ROUND, TABLE, Argument, Graph, Node, Ref
from symledger.traces.rules.table import At, Complex, Value, axis_of
from symledger.traces.rules.views import reshaped
from symledger.traces.sequences import Sequence, moved
from symledger.traces.values import entered, tensors_of

TAKING = {"aten.select": "index", "aten.slice": "start"}
PUTTING = {"aten.select_scatter": "index", "aten.slice_scatter": "start"}
"""Operations that take, or put, what stands at a number: which argument that is."""


class NoScan(BadInput):
    """A loop that is no scan of ours: how many rounds it has stays as it is."""


@dataclass
class Slice:
    """What a round takes at its number: of which tensor, along which axis, from where on."""

    node: int
    whole: Tensor
    axis: int
    start: Expr
    step: int


class Looping:
    """One loop, on its way to a scan."""

    def __init__(self, around: Any, i: int, node: Node) -> None:
        assert node.body is not None
        assert node.times is not None
        self.around, self.i, self.node = around, i, node
        self.body, self.times = node.body, node.times
        self.states = refs(node.arguments["states"])
        self.each = listed(node.arguments["each"])
        self.same = refs(node.arguments["same"])
        self.users = users(self.body)
        self.operands: dict[tuple[int, str], Tensor] = {}
        self.written = {
            k: put for k in range(len(self.states)) if (put := self._put(k)) is not None
        }

    def refused(self, why: str) -> NoScan:
        """Return the refusal of this loop, with its place."""
        where = self.node.path or "the module's own forward"
        return NoScan(f"the loop in {where}, {self.node.line}: {why}")

    def _put(self, k: int) -> int | None:
        """Return the node that writes into state k, if the state is only written into."""
        r = self.body.outputs[k]
        end = self.body.nodes[r.node]
        if end.operation not in PUTTING or end.arguments["self"] != Ref(k):
            return None
        only = self.users[k] == {r.node}
        return r.node if only and is_round(end.arguments[PUTTING[end.operation]]) else None

    def _slices(self) -> Iterator[Slice]:
        """Yield what a round takes at its number."""
        known = len(self.states) + len(self.each)
        for j, node in enumerate(self.body.nodes):
            name = TAKING.get(node.operation, "")
            if not name or not is_round(node.arguments[name]):
                continue
            of = node.arguments["self"]
            assert isinstance(of, Ref)
            if not known <= of.node < known + len(self.same):
                raise self.refused(f"in {node.line} it takes a position of what it makes itself.")
            whole = self.around.value(self.same[of.node - known])
            if isinstance(whole, Complex):
                raise self.refused("it takes positions of complex numbers.")
            start, step = numbers(node.arguments[name])
            axis = axis_of(node.arguments.get("dim", 0), whole.rank)
            if node.operation == "aten.slice" and node.results[0].shape[axis] != 1:
                raise self.refused("it takes several positions at once, which is not understood.")
            yield Slice(j, whole, axis, start, step)

    def write(self) -> None:
        """Write the scan, and what it makes."""
        slices = list(self._slices())
        sequences = [self.around.sequence(a) for a in self.each]
        turned = {s.step < 0 for s in slices} | {s.reverse for s in sequences}
        turned |= {self._step(j) < 0 for j in self.written.values()}
        if len(turned) > 1:
            raise self.refused("it goes along one tensor from its start, along another from its "
                               "end, which is not understood.")  # fmt: skip
        self.reverse = any(turned)
        self.compared = [
            (j, n, a) for j, node in enumerate(self.body.nodes)
            if node.operation not in {**TAKING, **PUTTING}
            for n, a in node.arguments.items() if is_round(a)
        ]
        if self.compared and self.reverse:
            raise self.refused("it compares with its number while it goes along from an end.")
        self.axis = 0 if self.compared else self._axis(slices, sequences)
        self._body(slices, sequences)

    def _step(self, j: int) -> int:
        node = self.body.nodes[j]
        return numbers(node.arguments[PUTTING[node.operation]])[1]

    def _axis(self, slices: list[Slice], sequences: list[Sequence]) -> int:
        """The axis along which all slices and results lie: theirs if it is one, else the first."""
        axes = {s.axis for s in slices} | {s.axis for s in sequences}
        axis = axes.pop() if len(axes) == 1 else 0
        ranks = [len(self.body.kind(r).shape) for r in self.body.outputs]
        return axis if all(axis <= rank for rank in ranks) else 0

    def _whole(self, s: Slice) -> Tensor:
        """Return what is gone along, exactly as long as there are rounds, on the axis of all."""
        x = s.whole
        first = s.start if s.step > 0 else s.start - self.times + 1
        first = first + x.shape[s.axis] if first.could_extract_minus_sign() else first
        if x.shape[s.axis] != self.times:
            x = narrow(x, s.axis, first, self.times)
        return moved(x, s.axis, self.axis)

    def _body(self, slices: list[Slice], sequences: list[Sequence]) -> None:
        around = self.around
        scope, prefix = self._scope()
        kept = [k for k in range(len(self.states)) if k not in self.written]
        outer: list[Value] = [around.value(self.states[k]) for k in kept]
        formals: dict[int, Value] = {}
        entering: list[tuple[Tensor, Tensor]] = []
        with inside(scope):
            for k, x in zip(kept, outer, strict=True):
                formals[k] = entered(f"x{k}", x)
            states = [p for k, x in zip(kept, outer, strict=True)
                      for p in zip(tensors_of(formals[k]), tensors_of(x), strict=True)]  # fmt: skip
            if not states:
                none = table("none", lambda: Integer(0))
                states = [(Tensor(Input("none"), (), (), "index"), none)]
            for k, s in enumerate(sequences, len(self.states)):
                whole = s.along(self.axis)
                formals[k] = part = self._sliced(f"x{k}", whole)
                entering.append((part, whole))
            for taken in slices:
                whole = self._whole(taken)
                part = self._sliced(f"slice_{taken.node}", whole)
                entering.append((part, whole))
                made = self.body.nodes[taken.node].results[0]
                formals[taken.node] = reshaped(self._at(taken.node), part, made.shape)
            for j, name, a in self.compared:
                start, step = numbers(a)
                whole = table("number", row(start, step), self.times, storage="index")
                part = self._sliced(f"number_{j}", whole)
                entering.append((part, whole))
                self.operands[j, name] = part
            number = len(entering)
            first = len(self.states) + len(self.each)
            for k, ref in enumerate(self.same, first):
                if self.users[k] - {s.node for s in slices}:
                    x = around.value(ref)
                    formals[k] = entered(f"x{k}", x)
                    entering += zip(tensors_of(formals[k]), tensors_of(x), strict=True)
        outputs, stacked, idle, inner = self._run(scope, prefix, formals, kept)
        last = outputs or [states[0][0]]
        inputs = [*states, *entering]
        program = Program(scope, tuple(f for f, _ in inputs), (*last, *stacked), idle)
        shared = not self.node.beside
        op = Call(program, self.times, shared, len(states), number, self.axis, self.reverse)
        call = Tensor(op, tuple(x for _, x in inputs), last[0].shape)
        inner.call = call
        self._results(call, kept, outer, outputs, stacked)

    def _at(self, j: int) -> At:
        n = self.body.nodes[j]
        return At(n.operation, n.results, n.path, n.line, self.around.points)

    def _sliced(self, name: str, whole: Tensor) -> Tensor:
        shape = (*whole.shape[: self.axis], *whole.shape[self.axis + 1 :])
        return Tensor(Input(name), (), shape, whole.storage)

    def _run(
        self, scope: Scope, prefix: str, formals: dict[int, Value], kept: list[int]
    ) -> tuple[list[Tensor], list[Tensor], tuple[Tensor, ...], Any]:
        passed = {k for k in range(self._entering()) if k not in formals}
        body = self.around.body_of(
            self.i, self.body, scope, prefix, formals, {*passed, *self.written.values()}
        )
        body.operands = self.operands
        with inside(scope), noting_idle() as idle:
            body.write()
            outputs = [t for k in kept for t in tensors_of(body.value(self.body.outputs[k]))]
            sources = [self.body.nodes[j].arguments["src"] for j in self.written.values()]
            sources += self.body.outputs[len(self.states) :]
            stacked = [self._stacked(body.value(r), j) for r, j in zip(
                sources, [*self.written.values(), *[None] * (len(sources) - len(self.written))],
                strict=True,
            )]  # fmt: skip
        return outputs, stacked, tuple(idle), body.lowered

    def _entering(self) -> int:
        return len(self.states) + len(self.each) + len(self.same)

    def _stacked(self, x: Value, put: int | None) -> Tensor:
        """Return a copy of what is stacked, without the axis of length 1 that it is put along."""
        if isinstance(x, Complex):
            raise self.refused("it collects complex numbers.")
        if put is not None:
            node = self.body.nodes[put]
            place = axis_of(node.arguments.get("dim", 0), len(node.results[0].shape))
            shape = node.results[0].shape
            x = reshaped(self._at(put), x, (*shape[:place], *shape[place + 1 :]))
        return pointwise(scalars.COPY, x, storage=x.storage)

    def _results(
        self, call: Tensor, kept: list[int], outer: list[Value], outputs: list[Tensor],
        stacked: list[Tensor],
    ) -> None:  # fmt: skip
        made, i = self.around.made, self.i
        last = [
            call if k == 0 else Tensor(Result(y), (call,), y.shape, y.storage)
            for k, y in enumerate(outputs)
        ]
        for k, x in zip(kept, outer, strict=True):
            taken = [last.pop(0) for _ in tensors_of(x)]
            made[Ref(i, k)] = Complex(*taken) if isinstance(x, Complex) else taken[0]
        wholes = [
            Tensor(Result(y, self.axis), (call,),
                   (*y.shape[: self.axis], self.times, *y.shape[self.axis :]), y.storage)
            for y in stacked
        ]  # fmt: skip
        for (k, end), whole in zip(self.written.items(), wholes, strict=False):
            made[Ref(i, k)] = self._put_into(k, end, whole)
        for k, whole in enumerate(wholes[len(self.written) :], len(self.states)):
            self.around.sequences[Ref(i, k)] = Sequence(whole, self.axis, self.reverse)

    def _put_into(self, k: int, end: int, whole: Tensor) -> Tensor:
        """Return the tensor that was written into, round by round."""
        node = self.body.nodes[end]
        shape = node.results[0].shape
        place = axis_of(node.arguments.get("dim", 0), len(shape))
        start, step = numbers(node.arguments[PUTTING[node.operation]])
        x = moved(whole, self.axis, place)
        first = start if step > 0 else start - self.times + 1
        first = first + shape[place] if first.could_extract_minus_sign() else first
        after = shape[place] - first - self.times
        if first == 0 and after == 0:
            return x
        before = self.around.value(self.states[k])
        assert isinstance(before, Tensor)
        sides = [] if first == 0 else [narrow(before, place, 0, first)]
        rest = [] if after == 0 else [narrow(before, place, first + self.times, after)]
        return join([*sides, x, *rest], place)

    def _scope(self) -> tuple[Scope, str]:
        """Return the part that the loop is, and the path of its module.

        It is the module that runs again and again, if nothing else runs there; else a part of it.
        """
        around, path = self.around, self.node.path
        own = around.inner(path)
        others = any(
            (n.path == path or n.path.startswith(f"{path}.")) and n is not self.node
            and n.operation not in (*LEAVES, TABLE) for n in around.graph.nodes
        )  # fmt: skip
        if own and not others:
            parent, name = around.scopes.around(self.i, own)
            return Scope(name, None, parent), path
        return Scope("loop", None, around.scopes.at(self.i, own)), path


def refs(a: Argument) -> list[Ref]:
    """Return an argument that is a list of tensors."""
    return [r for r in listed(a) if isinstance(r, Ref)]


def listed(a: Argument) -> tuple[Argument, ...]:
    """Return an argument that is a list."""
    return a if isinstance(a, tuple) else ()


def is_round(a: Argument) -> bool:
    """Whether a number is another one in every round."""
    return isinstance(a, tuple) and a[:1] == (ROUND,)


def row(start: Expr, step: int) -> Callable[[Expr], Expr]:
    """Return what gives the number of each round."""
    return lambda i: start + step * i


def numbers(a: Argument) -> tuple[Expr, int]:
    """Return where a number of rounds starts, and by how much it grows."""
    match a:
        case (str(), Expr() as start, Expr() as step) if step.is_Integer:
            return start, int(step)
    raise BadInput("the number of a round is a start and a step.")


def users(graph: Graph) -> list[set[int]]:
    """Return which nodes use each node."""
    found: list[set[int]] = [set() for _ in graph.nodes]
    for i, node in enumerate(graph.nodes):
        for ref in node.refs:
            found[ref.node].add(i)
    return found
