"""A graph of PyTorch's operations, written in operations of ours: a program.

What depends on no data and no weight is a table, whatever made it. Every other operation is written
by its rule; one that has none is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from sympy import Expr, Function, Integer

from symledger.errors import BadInput, DefinitionError
from symledger.ir.building import inside, leave_idle, noting_idle
from symledger.ir.ops import Const, Input, Leaf, Param, View
from symledger.ir.shapes import Shape, same
from symledger.ir.tensor import Call, Defining, Program, Result, Scope, Tensor
from symledger.traces import rules
from symledger.traces.graph import EACH, LEAVES, Argument, Graph, Kind, Node, Ref, makes_table
from symledger.traces.looping import Looping
from symledger.traces.rules.complex import complex_of
from symledger.traces.rules.table import (
    COMPLEX,
    PARTWISE,
    RULES,
    STORAGE,
    At,
    Complex,
    Made,
    Value,
    is_complex,
    parts,
)
from symledger.traces.scopes import Scopes
from symledger.traces.sequences import Sequence, put_together
from symledger.traces.values import entered, tensors_of

NO_RULE = (
    "no rule says what this operation computes. Write it in other operations, or trace the module "
    "without it."
)
VARYING = ("float", "complex")
"""What has gradients."""
Points = tuple[Mapping[Expr, Any], ...]
"""Sizes at which the module was run: what divides what is seen there."""


def load_rules() -> None:
    """Fill the table of rules."""
    for topic in iter_modules(rules.__path__):
        import_module(f"{rules.__name__}.{topic.name}")


@dataclass
class Lowered:
    """A graph beside what was made of it: which value of ours each of its tensors is.

    ``inner`` are the bodies of its repetitions, by the number of the node; of a body, ``parent`` is
    the graph around it, ``node`` its number there, and ``call`` what was made of it.
    """

    graph: Graph
    made: dict[Ref, Value]
    inner: dict[int, Lowered] = field(default_factory=dict)
    parent: Lowered | None = None
    node: int = 0
    call: Tensor | None = None


def program_of(
    graph: Graph, component: Defining | None, name: str, points: Points = ()
) -> Program:
    """Return the program of a graph.

    Raises:
        BadInput: something in it is not understood.
    """
    return lowered(graph, component, name, points)[0]


def lowered(
    graph: Graph, component: Defining | None, name: str, points: Points = (),
    tables_enter: bool = False,
) -> tuple[Program, Lowered]:  # fmt: skip
    """Return the program of a graph, and which tensor is which.

    With ``tables_enter`` fixed tables are inputs: whoever runs the program has their elements.

    Raises:
        BadInput: something in it is not understood.
    """
    load_rules()
    scope = Scope(name, component)
    exact = tuple({s: Integer(n) for s, n in p.items()} for p in points)
    lowering = Lowering(graph, scope, "", {}, exact, tables_enter)
    with noting_idle() as idle:
        outputs = lowering.run()
    scope.entered.update({str(getattr(x.op, "name", "x")): x for x in lowering.inputs})
    scope.steps.update(
        {f"y_{i}" if outputs[1:] else "y": y for i, y in enumerate(outputs, 1) if y.args}
    )
    program = Program(scope, tuple(lowering.inputs), outputs, tuple(idle))
    return program, lowering.lowered


class Lowering:
    """Goes through a graph; ``prefix`` is the path of the module that it is the inside of."""

    def __init__(
        self, graph: Graph, scope: Scope, prefix: str, entering: Mapping[int, Value],
        points: Points, tables_enter: bool = False, numbered: bool = True,
        beside: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        self.beside = beside
        self.graph, self.prefix, self.points = graph, prefix, points
        self.numbered = numbered
        self.tables_enter = tables_enter
        self.scopes = Scopes(scope, [
            None if n.operation in LEAVES else self.inner(n.path) for n in graph.nodes
        ], [n.within for n in graph.nodes], {i for i, n in enumerate(graph.nodes) if n.body})
        self.made: dict[Ref, Value] = {Ref(i): x for i, x in entering.items()}
        self.lowered = Lowered(graph, self.made)
        self.sequences: dict[Ref, Sequence] = {}
        self.passed: set[int] = set()
        self.operands: dict[tuple[int, str], Value] = {}
        self.fixed: set[int] = set()
        self.inputs: list[Tensor] = []
        self.missing: dict[int, Ref] = {}
        self.users: dict[int, int] = {}
        for node in graph.nodes:
            for ref in node.refs:
                self.users[ref.node] = self.users.get(ref.node, 0) + 1

    def run(self) -> tuple[Tensor, ...]:
        """Write every node; return what comes out."""
        self.write()
        return tuple(t for r in self.graph.outputs for t in tensors_of(self.value(r)))

    def write(self) -> None:
        """Write every node."""
        ends = {r.node for r in self.graph.outputs}
        for i, node in enumerate(self.graph.nodes):
            if Ref(i) in self.made or i in self.passed:
                continue
            path = self.inner(node.path)
            where = self.scopes.around(i, path)[0] if node.body else self.scopes.at(i, path)
            with inside(where):
                self._node(i, node)
                if not self.users.get(i) and i not in ends:
                    self._idle(i, node)

    def _idle(self, i: int, node: Node) -> None:
        """Keep what nothing uses: weights, and what is computed in vain."""
        for r in range(len(node.results)):
            for t in tensors_of(self.made[Ref(i, r)]) if Ref(i, r) in self.made else ():
                if node.operation == "weight" or not isinstance(t.op, Leaf | View):
                    leave_idle(t)

    def _node(self, i: int, node: Node) -> None:
        if node.operation in LEAVES:
            self._leaf(i, node)
        elif node.operation == "repeat":
            self._repeat(i, node)
        elif node.operation == "loop":
            Looping(self, i, node).write()
        elif makes_table(node.operation, all(r.node in self.fixed for r in node.refs)):
            self._table(i, node)
        else:
            self._ruled(i, node)

    def _leaf(self, i: int, node: Node) -> None:
        (kind,) = node.results
        name = str(node.arguments.get("name", ""))
        if node.operation == "weight":
            last = name.rpartition(".")[2]
            self.made[Ref(i)] = held(Param(last, bool(node.arguments.get("trainable", True))), kind)
        elif node.operation == "input":
            below = None if kind.elements in VARYING else self._below(Ref(i))
            leaf = held(Input(name, below), kind)
            self.made[Ref(i)] = leaf
            self.inputs += tensors_of(leaf)
        else:
            self._table(i, node)

    def _below(self, ref: Ref) -> Expr:
        """Return what whole numbers that enter lie below: the rows of the table they pick from."""
        for node in self.graph.nodes:
            if node.operation == "aten.embedding" and node.arguments.get("indices") == ref:
                table = node.arguments["weight"]
                if isinstance(table, Ref):
                    return self.graph.kind(table).shape[0]
        return Integer(2)

    def _table(self, i: int, node: Node) -> None:
        """A table: what it holds is asked for by nobody but the run in NumPy."""
        self.fixed.add(i)
        named = str(node.arguments.get("name", "")).rpartition(".")[2]
        name = named or short(str(node.arguments.get("of", node.operation)))
        for r, kind in enumerate(node.results):
            rank = len(kind.shape) + (kind.elements == "complex")
            op: Leaf = Const(name, rank, elements_of(Ref(i, r)))
            op = Input(name, drawn=True) if self.tables_enter else op
            self.made[Ref(i, r)] = held(op, kind)

    def _ruled(self, i: int, node: Node) -> None:
        at = At(node.operation, node.results, node.path, node.line, self.points)
        missing = [r for r in node.refs if r not in self.made and r not in self.sequences]
        if missing:
            self.missing[i] = self.missing.get(missing[0].node, missing[0])
            return
        arguments = {
            name: self.operands.get((i, name)) or self._argument(a)
            for name, a in node.arguments.items()
        }
        if any(kind.elements == "int" for kind in node.results):
            for x in arguments.values():  # what is chosen is told: all that it is chosen by runs
                if isinstance(x, Tensor) and x.storage == "value" and x.args:
                    leave_idle(x)
        try:
            found = put_together(at, arguments) or applied(at, arguments)
        except (DefinitionError, TypeError, AttributeError) as error:
            raise at.refused(f"this use of it is not understood: {error}") from error
        several = found if isinstance(found, tuple) else (found,)
        for r, made in enumerate(several):
            if not alike(made.shape, node.results[r].shape):
                raise at.refused(
                    f"its rule makes {list(made.shape)}, where {list(node.results[r].shape)} is "
                    "what came out."
                )
            self.made[Ref(i, r)] = made

    def _repeat(self, i: int, node: Node) -> None:
        assert node.body is not None
        assert node.times is not None
        entering = [self.value(node.arguments[f"x{k}"]) for k in range(len(node.arguments))]
        prefix = node.path
        around, name = self.scopes.around(i, self.inner(prefix))
        scope = Scope(name or prefix.rpartition(".")[2], None, around)
        formals = {k: entered(f"x{k}", x) for k, x in enumerate(entering)}
        body = Lowering(
            node.body, scope, prefix, formals, self.points, self.tables_enter, beside=node.beside
        )
        body.lowered.parent, body.lowered.node = self.lowered, i
        self.lowered.inner[i] = body.lowered
        with inside(scope), noting_idle() as idle:
            outputs = body.run()
        inputs = (t for x in formals.values() for t in tensors_of(x))
        program = Program(scope, tuple(inputs), outputs, tuple(idle))
        op = Call(program, node.times, states=len(outputs))
        call = Tensor(op, tuple(t for x in entering for t in tensors_of(x)), outputs[0].shape)
        body.lowered.call = call
        results = [
            call if k == 0 else Tensor(Result(y), (call,), y.shape, y.storage)
            for k, y in enumerate(outputs)
        ]
        for k, x in enumerate(entering[: len(node.results)]):
            taken = [results.pop(0) for _ in tensors_of(x)]
            self.made[Ref(i, k)] = Complex(*taken) if isinstance(x, Complex) else taken[0]

    def body_of(
        self, i: int, graph: Graph, scope: Scope, prefix: str, entering: Mapping[int, Value],
        passed: set[int],
    ) -> Lowering:  # fmt: skip
        """Return the lowering of a loop's body; some of its nodes are passed over."""
        beside = self.graph.nodes[i].beside
        body = Lowering(
            graph, scope, prefix, entering, self.points, self.tables_enter, False, beside
        )
        body.passed, body.lowered.parent, body.lowered.node = passed, self.lowered, i
        self.lowered.inner[i] = body.lowered
        return body

    def _argument(self, a: Argument) -> Any:
        if isinstance(a, Ref):
            return self.value(a)
        if isinstance(a, tuple) and a[:1] == (EACH,):
            return self.sequence(a)
        if isinstance(a, tuple):
            return tuple(self._argument(each) for each in a)
        return a

    def sequence(self, a: tuple[Argument, ...]) -> Sequence:
        """Return all elements of a sequence that a loop made, maybe the last one first."""
        _, ref, turned = a
        found = self.sequences.get(ref) if isinstance(ref, Ref) else None
        if found is None:
            raise BadInput("all that a loop made is asked for of what is no loop.")
        return found.turned() if turned else found

    def value(self, a: Argument) -> Value:
        """Return what was made of a tensor.

        Raises:
            BadInput: its operation is not understood.
        """
        assert isinstance(a, Ref)
        if a not in self.made:
            a = self.missing.get(a.node, a)
            node = self.graph.nodes[a.node]
            raise BadInput(f"result {a.result + 1} of {node.operation} in {node.path or 'forward'}"
                           f", {node.line}, is not understood.")  # fmt: skip
        return self.made[a]

    def inner(self, path: str) -> str:
        """Return the path of a module from the one that this is the inside of."""
        if not self.prefix and self.numbered:
            return path
        lists = (self.prefix, *self.beside) if self.numbered and self.beside else self.beside
        for each in lists:
            if path.startswith(each + "."):  # lists side by side: each is a part of the round
                rest = path[len(each) :].lstrip(".").partition(".")[2]
                return f"{each.rpartition('.')[2]}.{rest}".rstrip(".")
        if not self.prefix:
            return path
        if path == self.prefix or path.startswith(self.prefix + "."):
            rest = path[len(self.prefix) :].lstrip(".")
            return rest.partition(".")[2] if self.numbered else rest
        return ""


def alike(a: Shape, b: Shape) -> bool:
    """Whether two shapes are the same."""
    return a == b or (len(a) == len(b) and all(map(same, a, b)))


def applied(at: At, arguments: Mapping[str, Any]) -> Made:
    """Apply the rule of an operation, to each part of complex numbers where that is what it does.

    Raises:
        BadInput: there is none.
    """
    rule, name = RULES.get(at.operation), at.operation
    if any(map(is_complex, arguments.values())):
        if name in COMPLEX:
            return COMPLEX[name](at, **arguments)
        if rule is None or name not in PARTWISE:
            raise at.refused("this operation is not understood of complex numbers.")
        real, imaginary = (
            rule(at, **{n: parts(a, part) for n, a in arguments.items()})
            for part in ("real", "imaginary")
        )
        if isinstance(real, tuple) and isinstance(imaginary, tuple):
            return tuple(map(Complex, real, imaginary))  # type: ignore[arg-type]
        return Complex(real, imaginary)  # type: ignore[arg-type]
    if rule is None:
        raise at.refused(NO_RULE)
    return rule(at, **arguments)


def held(leaf: Leaf, kind: Kind) -> Value:
    """Return what comes from outside; complex numbers have their parts along a last axis of 2."""
    if kind.elements == "complex":
        return complex_of(Tensor(leaf, (), (*kind.shape, Integer(2))))
    return Tensor(leaf, (), kind.shape, STORAGE.get(kind.elements, "value"))


def elements_of(ref: Ref) -> Callable[..., Expr]:
    """Return what a table holds: it was recorded without elements, and only is what it is."""

    def element(*places: Expr) -> Expr:
        return Function(f"table_{ref.node}_{ref.result}")(*places)

    return element


def short(operation: str) -> str:
    """The name of an operation without its namespace."""
    return operation.rpartition(".")[2]
