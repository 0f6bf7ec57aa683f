"""The graph of a trace read from JSON: references lead backwards only, and nodes are counted."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sympy import Expr, Integer

from symledger.errors import BadInput, shown
from symledger.traces.formulas import Formulas
from symledger.traces.graph import (
    EACH,
    LEAVES,
    Argument,
    Block,
    Graph,
    Kind,
    Node,
    Ref,
)
from symledger.traces.places import Place

ELEMENTS = ("float", "int", "bool", "complex")
OPERATION = re.compile(r"[A-Za-z_][\w.]{0,99}", re.ASCII)
MOST_NODES, MOST_SIZES, MOST_AXES = 20_000, 100, 16
DEEPEST = 8
"""How deep repetitions may stand in one another, and lists in an argument."""
INT64 = 2**63
FLOATS = {"inf": float("inf"), "-inf": -float("inf"), "nan": float("nan")}


def several(top: Place, key: str) -> list[Place]:
    """Read a list that need not be there."""
    return top[key].list(MOST_SIZES) if top.has(key) else []


def formula(place: Place, formulas: Formulas) -> Expr:
    """Read a formula, and say where it stands if it is none."""
    try:
        return formulas.read(place.data)
    except BadInput as error:
        place.refuse(str(error))


class Reader:
    """Reads graphs, and counts their nodes."""

    def __init__(self, formulas: Formulas) -> None:
        self.formulas = formulas
        self.nodes = 0

    def graph(self, place: Place, entering: Sequence[Kind], depth: int = 0) -> Graph:
        """Read a graph; its first nodes are what enters it, if it is the body of a repetition."""
        place.only("nodes", "outputs")
        if depth > DEEPEST:
            place.refuse(f"repetitions stand at most {DEEPEST} deep in one another.")
        nodes: list[Node] = []
        for each in place["nodes"].list(MOST_NODES):
            self.nodes += 1
            if self.nodes > MOST_NODES:
                each.refuse(f"there are more than {MOST_NODES:,} operations.")
            nodes.append(self._node(each, nodes, depth))
        for i, kind in enumerate(entering):
            there = place["nodes"].data[i : i + 1] and nodes[i]
            if not there or there.operation != "input" or there.results != (kind,):
                place["nodes"].refuse(f"entry {i} is not the input of this repetition's x{i}.")
        outputs = [self._ref(r, nodes) for r in place["outputs"].list(MOST_SIZES)]
        return Graph(tuple(nodes), tuple(outputs))

    def _node(self, place: Place, before: Sequence[Node], depth: int) -> Node:
        place.only("op", "arguments", "results", "path", "line", "times", "period", "body",
                   "within", "beside")  # fmt: skip
        operation = place["op"].text()
        if not OPERATION.fullmatch(operation):
            place["op"].refuse(f"{shown(operation)} is no name of an operation.")
        arguments = {
            name: self._argument(a, before, 0) for name, a in place["arguments"].items(MOST_SIZES)
        }
        results = tuple(map(self._kind, place["results"].list(MOST_SIZES)))
        path = place["path"].text(500) if place.has("path") else ""
        line = place["line"].text(500) if place.has("line") else ""
        blocks = place["within"].list(DEEPEST) if place.has("within") else []
        within = tuple(map(self._block, blocks))
        node = Node(operation, arguments, results, path, line, within=within)
        if operation == "repeat":
            return self._repeat(place, node, before, depth)
        if operation == "loop":
            return self._loop(place, node, before, depth)
        if any(map(place.has, ("body", "times", "period", "beside"))):
            place.refuse("a body is that of a repetition, and of no other operation.")
        if operation in LEAVES:
            self._leaf(place, node)
        return node

    def _leaf(self, place: Place, node: Node) -> None:
        if len(node.results) != 1:
            place["results"].refuse(f"one tensor is expected of an operation {node.operation}.")
        if not isinstance(node.arguments.get("name"), str):
            place["arguments"].refuse("a name is expected.")
        if next(node.refs, None):
            place["arguments"].refuse(f"no tensor enters an operation {node.operation}.")
        if node.operation == "input" and node.path:
            place["path"].refuse("what enters is of no module.")

    def _repeat(
        self, place: Place, node: Node, before: Sequence[Node], depth: int
    ) -> Node:
        entering: list[Kind] = []
        for i, (name, a) in enumerate(node.arguments.items()):
            if name != f"x{i}" or not isinstance(a, Ref):
                place["arguments"].refuse(f"a tensor called x{i} is expected, not {shown(name)}.")
            entering.append(before[a.node].results[a.result])
        body = self.graph(place["body"], entering, depth + 1)
        coming = tuple(body.kind(r) for r in body.outputs)
        if not coming or coming != node.results or coming != tuple(entering[: len(coming)]):
            place["results"].refuse("what a repetition gives is what its body makes of what enters "
                                    "it first, of the same shapes.")  # fmt: skip
        return Node(
            node.operation, node.arguments, node.results, node.path, node.line, body,
            formula(place["times"], self.formulas), place["period"].whole(1, 1_000), node.within,
            tuple(x.text(500) for x in several(place, "beside")),
        )  # fmt: skip

    def _block(self, place: Place) -> Block:
        parts = place.list(2)
        if len(parts) != 2:
            place.refuse("the number of a block, and whether it stops early, are expected.")
        return Block(parts[0].whole(), parts[1].truth())

    def _loop(self, place: Place, node: Node, before: Sequence[Node], depth: int) -> Node:
        if [*node.arguments] != ["states", "each", "same"]:
            place["arguments"].refuse("states, each and same are expected, in this order.")
        for name, a in node.arguments.items():
            if not isinstance(a, tuple) or not all(is_entering(x, name) for x in a):
                place["arguments"][name].refuse("a list of tensors is expected.")
        entering = [before[r.node].results[r.result] for r in node.refs]
        body = self.graph(place["body"], entering, depth + 1)
        coming = tuple(body.kind(r) for r in body.outputs)
        states = node.arguments["states"]
        assert isinstance(states, tuple)
        if not coming or coming != node.results or coming[: len(states)] != tuple(
            entering[: len(states)]
        ):  # fmt: skip
            place["results"].refuse("what a loop gives is what its body makes: first its states, "
                                    "of the shapes with which they enter.")  # fmt: skip
        return Node(
            node.operation, node.arguments, node.results, node.path, node.line, body,
            formula(place["times"], self.formulas), place["period"].whole(1, 1),
            beside=tuple(x.text(500) for x in several(place, "beside")),
        )  # fmt: skip

    def _kind(self, place: Place) -> Kind:
        first, *axes = place.list(1 + MOST_AXES) or [place]
        if first.data not in ELEMENTS:
            first.refuse(f"what its elements are is expected first: {', '.join(ELEMENTS)}.")
        return Kind(tuple(formula(n, self.formulas) for n in axes), first.data)

    def _ref(self, place: Place, before: Sequence[Node]) -> Ref:
        parts = place.list(2)
        if len(parts) != 2:
            place.refuse("the numbers of an operation and of its result are expected.")
        node = parts[0].whole()
        if node >= len(before):
            parts[0].refuse(f"operation {node} does not come before this.")
        result = parts[1].whole()
        if result >= len(before[node].results):
            parts[1].refuse(f"operation {node} has {len(before[node].results)} results.")
        return Ref(node, result)

    def _argument(self, place: Place, before: Sequence[Node], depth: int) -> Argument:
        match place.data:
            case None | bool() | float():
                return place.data
            case str():
                return place.text(1_000)
            case int():
                return Integer(place.whole(-INT64, INT64))
            case list() if depth < DEEPEST:
                return tuple(self._argument(x, before, depth + 1) for x in place.list(1_000))
            case {"tensor": _} if len(place.data) == 1:
                return self._ref(place["tensor"], before)
            case {"size": _} if len(place.data) == 1:
                return formula(place["size"], self.formulas)
            case {"float": str() as written} if len(place.data) == 1 and written in FLOATS:
                return FLOATS[written]
            case _:
                pass
        return place.refuse(
            'an argument is a number, a text, true, false, null, a list, {"tensor": …}, '
            '{"size": …} or {"float": "inf"}.'
        )


def is_entering(a: Argument, name: str) -> bool:
    """Whether something may enter a loop: a tensor, or a sequence of which a round takes one."""
    if name != "each":
        return isinstance(a, Ref)
    return (
        isinstance(a, tuple) and len(a) == 3 and a[0] == EACH and isinstance(a[1], Ref)
        and isinstance(a[2], bool)
    )  # fmt: skip
