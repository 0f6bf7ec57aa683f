"""A graph of PyTorch's operations, written in operations of ours: a program.

What depends on no data and no weight is a table, whatever made it. Every other operation is written
by its rule; one that has none is refused by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from sympy import Expr, Integer

from symledger.errors import BadInput, DefinitionError, nearest
from symledger.ir.building import inside, leave_idle, noting_idle
from symledger.ir.ops import Const, Input, Param, Storage
from symledger.ir.tensor import Call, Defining, Program, Result, Scope, Tensor
from symledger.traces.graph import LEAVES, TABLE, Argument, Graph, Node, Ref
from symledger.traces.rules.table import RULES, At
from symledger.traces.scopes import Scopes

STORAGE: Mapping[str, Storage] = {"float": "value", "int": "index", "bool": "mask"}
VARYING = ("float", "complex")
"""What has gradients."""
TOPICS = ("attention", "maps", "norms", "pointwise", "tables", "views")
Points = tuple[Mapping[Expr, int], ...]
"""Sizes at which the module was run: what divides what is seen there."""


def load_rules() -> None:
    """Fill the table of rules."""
    for topic in TOPICS:
        import_module(f"symledger.traces.rules.{topic}")


@dataclass
class Leaves:
    """Which leaf of a program stands for which tensor of the module, by name."""

    weights: dict[str, Tensor] = field(default_factory=dict)
    tables: dict[Tensor, tuple[Graph, Ref]] = field(default_factory=dict)


def program_of(
    graph: Graph, component: Defining | None, name: str, points: Points = ()
) -> Program:
    """Return the program of a graph.

    Raises:
        BadInput: something in it is not understood.
    """
    load_rules()
    scope = Scope(name, component)
    lowering = Lowering(graph, scope, "", {}, points)
    with noting_idle() as idle:
        outputs = lowering.run()
    scope.entered.update({str(getattr(x.op, "name", "x")): x for x in lowering.inputs})
    scope.steps.update(
        {f"y_{i}" if outputs[1:] else "y": y for i, y in enumerate(outputs, 1) if y.args}
    )
    return Program(scope, tuple(lowering.inputs), outputs, tuple(idle))


class Lowering:
    """Goes through a graph; ``prefix`` is the path of the module that it is the inside of."""

    def __init__(
        self, graph: Graph, scope: Scope, prefix: str, entering: Mapping[int, Tensor],
        points: Points,
    ) -> None:  # fmt: skip
        self.graph, self.prefix, self.points = graph, prefix, points
        self.scopes = Scopes(scope, [
            None if n.operation in LEAVES else self._inner(n.path) for n in graph.nodes
        ])  # fmt: skip
        self.made: dict[Ref, Tensor] = {Ref(i): x for i, x in entering.items()}
        self.fixed: set[int] = set()
        self.inputs: list[Tensor] = []
        self.pending: dict[int, Node] = {}
        self.users: dict[int, int] = {}
        for node in graph.nodes:
            for ref in node.refs:
                self.users[ref.node] = self.users.get(ref.node, 0) + 1

    def run(self) -> tuple[Tensor, ...]:
        """Write every node; return what comes out."""
        ends = {r.node for r in self.graph.outputs}
        for i, node in enumerate(self.graph.nodes):
            if Ref(i) in self.made:
                continue
            path = self._inner(node.path)
            where = self.scopes.around(i, path)[0] if node.body else self.scopes.at(i, path)
            with inside(where):
                self._node(i, node)
                if node.operation == "weight" and not self.users.get(i) and i not in ends:
                    leave_idle(self.made[Ref(i)])
        return tuple(self._tensor(r) for r in self.graph.outputs)

    def _node(self, i: int, node: Node) -> None:
        if node.operation in LEAVES:
            self._leaf(i, node)
        elif node.operation == "repeat":
            self._repeat(i, node)
        elif node.operation == TABLE or all(r.node in self.fixed for r in node.refs):
            self._table(i, node)
        else:
            self._ruled(i, node)

    def _leaf(self, i: int, node: Node) -> None:
        (kind,) = node.results
        name = str(node.arguments.get("name", ""))
        if node.operation == "weight":
            last = name.rpartition(".")[2]
            op = Param(last, bool(node.arguments.get("trainable", True)))
            self.made[Ref(i)] = Tensor(op, (), kind.shape)
        elif node.operation == "input":
            leaf = Input(name, None if kind.elements in VARYING else self._below(Ref(i)))
            storage = STORAGE.get(kind.elements, "value")
            self.made[Ref(i)] = Tensor(leaf, (), kind.shape, storage)
            self.inputs.append(self.made[Ref(i)])
        else:
            self._table(i, node)

    def _below(self, ref: Ref) -> Expr:
        """Return what whole numbers that enter lie below: the rows of a table that they pick from."""
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
            op = Const(name, len(kind.shape), unknown)
            self.made[Ref(i, r)] = Tensor(op, (), kind.shape, STORAGE.get(kind.elements, "value"))

    def _ruled(self, i: int, node: Node) -> None:
        at = At(node.operation, node.results, node.path, node.line, self.points)
        rule = RULES.get(node.operation)
        if rule is None:
            raise at.refused(f"this operation is not understood. {nearest(node.operation, RULES)}")
        arguments = {name: self._argument(a) for name, a in node.arguments.items()}
        try:
            found = rule(at, **arguments)
        except (DefinitionError, TypeError, AttributeError) as error:
            raise at.refused(f"this use of it is not understood: {error}") from error
        several = found if isinstance(found, tuple) else (found,)
        for r, made in enumerate(several):
            if made.shape != node.results[r].shape:
                raise at.refused(
                    f"its rule makes {list(made.shape)}, where {list(node.results[r].shape)} is "
                    "what came out."
                )
            self.made[Ref(i, r)] = made

    def _repeat(self, i: int, node: Node) -> None:
        assert node.body is not None and node.times is not None
        entering = [self._tensor(node.arguments[f"x{k}"]) for k in range(len(node.arguments))]
        prefix = node.path
        around, name = self.scopes.around(i, self._inner(prefix))
        scope = Scope(name or prefix.rpartition(".")[2], None, around)
        formals = {
            k: Tensor(Input(f"x{k}"), (), x.shape, x.storage) for k, x in enumerate(entering)
        }
        body = Lowering(node.body, scope, prefix, formals, self.points)
        with inside(scope), noting_idle() as idle:
            outputs = body.run()
        program = Program(scope, tuple(formals.values()), outputs, tuple(idle))
        op = Call(program, node.times, states=len(outputs))
        call = Tensor(op, tuple(entering), outputs[0].shape)
        for k, y in enumerate(outputs):
            self.made[Ref(i, k)] = call if k == 0 else Tensor(
                Result(y), (call,), y.shape, y.storage
            )

    def _argument(self, a: Argument) -> Any:
        if isinstance(a, Ref):
            return self._tensor(a)
        if isinstance(a, tuple):
            return tuple(self._argument(each) for each in a)
        return a

    def _tensor(self, a: Argument) -> Tensor:
        assert isinstance(a, Ref)
        if a not in self.made:
            node = self.graph.nodes[a.node]
            raise BadInput(f"result {a.result + 1} of {node.operation} in {node.path or 'forward'}"
                           f", {node.line}, is not understood.")  # fmt: skip
        return self.made[a]

    def _inner(self, path: str) -> str:
        """Return the path of a module from the one that this is the inside of."""
        if not self.prefix:
            return path
        if path == self.prefix or path.startswith(self.prefix + "."):
            return path[len(self.prefix) :].lstrip(".").partition(".")[2]
        return ""


def unknown(*places: Any) -> Expr:
    """Refuse to say what a table holds: it was recorded on tensors without elements."""
    raise BadInput("the elements of this table were not recorded.")


def short(operation: str) -> str:
    """The name of an operation without its namespace."""
    return operation.rpartition(".")[2]
