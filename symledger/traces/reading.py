"""A trace read from JSON that anybody may have written: every piece is checked, none evaluated.

References lead backwards only, formulas are parsed by our own parser over the sizes that the file
names, and there is a bound on how many of anything there may be. What an operation means is for the
rules to say, when the trace is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sympy import Expr, Integer

from symledger.errors import BadInput, nearest, shown
from symledger.sizes import Size, named
from symledger.traces.alive import FIRST, KINDS, LAST, WAYS, AliveAt, Eager, How
from symledger.traces.checked import WITHHELD, Checked
from symledger.traces.formulas import Formulas
from symledger.traces.graph import (
    EACH,
    LEAVES,
    RELATIONS,
    Argued,
    Argument,
    Block,
    Condition,
    Graph,
    Kind,
    Node,
    Ref,
    Traced,
)
from symledger.traces.places import NAME, Place, parsed
from symledger.traces.seal import check_seal
from symledger.traces.writing import SCHEMA

ELEMENTS = ("float", "int", "bool", "complex")
OPERATION = re.compile(r"[A-Za-z_][\w.]{0,99}", re.ASCII)
MOST_NODES, MOST_SIZES, MOST_POINTS, MOST_AXES = 20_000, 100, 1_000, 16
MOST_MOMENTS = 5_000
DEEPEST = 8
"""How deep repetitions may stand in one another, and lists in an argument."""
INT64 = 2**63
FLOATS = {"inf": float("inf"), "-inf": -float("inf"), "nan": float("nan")}
KEYS = ("schema", "version", "torch", "name", "source", "training", "sizes", "names", "definitions",
        "fixed", "points", "checks", "effects", "custom", "conditions", "eager",
        "graph", "seal")  # fmt: skip


def loaded(content: bytes, where: str) -> Traced:
    """Read a trace.

    Raises:
        BadInput: it is damaged, was edited, or is no trace; the message says where in it.
    """
    try:
        return _traced(Place(parsed(content)))
    except BadInput as error:
        raise BadInput(f"{shown(where)} cannot be read as a trace: {error}") from error


def _traced(top: Place) -> Traced:
    schema = top["schema"].text()
    if schema != SCHEMA:
        top["schema"].refuse(f"{shown(schema)} is not {SCHEMA}: another version wrote this file, "
                             "or it is no trace.")  # fmt: skip
    top.only(*KEYS)
    check_seal(top.object())
    sizes = {name: x.whole(1) for name, x in top["sizes"].items(MOST_SIZES)}
    defined = [name for name, _ in top["definitions"].items(MOST_SIZES)]
    for name in defined:
        if name in sizes:
            top["definitions"][name].refuse("it has a value of its own among the sizes.")
    symbols = {name: symbol(top, name) for name in (*sizes, *defined)}
    formulas = Formulas(symbols)
    return Traced(
        name=_name(top["name"]),
        source=top["source"].text(1_000),
        graph=Reader(formulas).graph(top["graph"], ()),
        sizes=sizes,
        names={k: x.text() for k, x in top["names"].items(MOST_SIZES) if _known(x, k, sizes)},
        definitions=_definitions(top["definitions"], sizes, formulas),
        fixed=tuple(Argued(*_fixed(x)) for x in _pairs(top["fixed"])),
        training=top["training"].truth(),
        points=tuple(_point(p, sizes) for p in top["points"].list(MOST_POINTS)),
        torch=top["torch"].text(),
        checks=tuple(map(_checked, top["checks"].list(MOST_SIZES))),
        effects=_noted(top, "effects"), custom=_noted(top, "custom"),
        conditions=tuple(_conditions(top, sizes)),
        eager=tuple(_eager(x, sizes, formulas) for x in several(top, "eager")),
    )


def several(top: Place, key: str) -> list[Place]:
    """Read a list that need not be there."""
    return top[key].list(MOST_SIZES) if top.has(key) else []


def eager_of(data: Any, sizes: Mapping[str, Any], formulas: Formulas) -> Eager:
    """Read what is in memory when from JSON data, of some sizes.

    Raises:
        BadInput: it is not written as such.
    """
    return _eager(Place(data), sizes, formulas)


def _eager(place: Place, sizes: Mapping[str, int], formulas: Formulas) -> Eager:
    """Read what is in memory when."""
    place.only("input_gradient", "accumulate", "dtype", "serving", "least", "apart", "every",
               "moments")  # fmt: skip
    least = {k: x.whole(0) for k, x in place["least"].items(MOST_SIZES) if _known(x, k, sizes)}
    moments = tuple(_moment(x, formulas) for x in place["moments"].list(MOST_MOMENTS))
    apart = tuple(_pair(x, sizes) for x in place["apart"].list(MOST_SIZES))
    how = How(
        place["input_gradient"].truth(),
        place.has("accumulate") and place["accumulate"].truth(),
        place["dtype"].text() if place.has("dtype") else "fp32",
        place["serving"].text() if place.has("serving") else "",
    )
    every = place["every"].items(MOST_SIZES) if place.has("every") else ()
    return Eager(how, moments, least, apart,
                 {k: _one_of(x) for k, x in every if _known(x, k, sizes)})  # fmt: skip


def _one_of(place: Place) -> tuple[int, int]:
    parts = [part.whole(0) for part in place.list(2)]
    if len(parts) != 2 or parts[0] <= parts[1]:
        place.refuse("how many depths one is meant of, and which, are expected.")
    return parts[0], parts[1]


def _pair(place: Place, sizes: Mapping[str, int]) -> tuple[str, str]:
    parts = [part.text() for part in place.list(2)]
    if len(parts) != 2 or not set(parts) <= sizes.keys():
        place.refuse("two sizes of this trace are expected.")
    return parts[0], parts[1]


def _moment(place: Place, formulas: Formulas) -> AliveAt:
    parts = place.list(5)
    if len(parts) != 5:
        place.refuse("a pass, an operation, a path, which round, and bytes by kind are expected.")
    way, operation, path, which = (part.text(500) for part in parts[:4])
    if way not in WAYS or which not in ("", FIRST, LAST) or not OPERATION.fullmatch(operation):
        place.refuse("that is no moment of a step.")
    kinds = {k: formula(x, formulas) for k, x in parts[4].items(len(KINDS))}
    if not kinds.keys() <= set(KINDS):
        parts[4].refuse(f"the kinds of what is in memory are {', '.join(KINDS)}.")
    return AliveAt(way, operation, path, which, kinds)


def _conditions(top: Place, sizes: Mapping[str, int]) -> Iterator[Condition]:
    """Read how sizes stand to others, where that matters."""
    for place in top["conditions"].list(MOST_SIZES) if top.has("conditions") else ():
        parts = [part.text() for part in place.list(3)]
        if len(parts) != 3 or not {parts[0], parts[2]} <= sizes.keys():
            place.refuse("two sizes of this trace are expected, and what stands between them.")
        if parts[1] not in RELATIONS:
            place.refuse(f"{shown(parts[1])} is none of {', '.join(RELATIONS)}.")
        found = Condition(*parts)
        if not found.holds(sizes):
            place.refuse(f"{found} does not hold of the sizes of this trace.")
        yield found


def _noted(top: Place, key: str) -> tuple[Argued, ...]:
    """Read names with what goes with them, where there are any."""
    found = []
    for place in top[key].list(1_000) if top.has(key) else ():
        parts = place.list(2)
        if len(parts) != 2:
            place.refuse("a name, and what goes with it, are expected.")
        found.append(Argued(parts[0].text(500), parts[1].text(500)))
    return tuple(found)


def symbol(top: Place, name: str) -> Size:
    """Return the symbol of a size."""
    if name in ("None", "True", "False"):
        top["sizes"].refuse(f"{name} is no name of a size.")
    return named(name)


def _name(place: Place) -> str:
    if not NAME.fullmatch(place.text()):
        place.refuse("the name of a class is expected.")
    return place.text()


def _pairs(place: Place) -> list[tuple[str, Place]]:
    """The arguments that are no sizes: their names may have dots."""
    if len(place.object()) > 1_000:
        place.refuse("it holds more than 1,000 entries.")
    return [(key, place[key]) for key in place.data]


def _fixed(pair: tuple[str, Place]) -> tuple[str, str]:
    name, place = pair
    if len(name) > 200 or not name.isprintable():
        place.refuse("that is no name of an argument.")
    return name, place.text(100_000)


def _known(place: Place, name: str, sizes: Mapping[str, int]) -> bool:
    if name not in sizes:
        place.refuse(f"{name} is no size of this trace. {nearest(name, sizes)}")
    return True


def _definitions(
    place: Place, sizes: Mapping[str, int], formulas: Formulas
) -> dict[str, Expr]:
    """Read the sizes that others decide: each by those that have values, or were defined before."""
    found: dict[str, Expr] = {}
    for name, inner in place.items(MOST_SIZES):
        found[name] = e = formula(inner, formulas)
        early = {s.name for s in e.free_symbols} - sizes.keys() - found.keys() | (
            {name} & {s.name for s in e.free_symbols}
        )
        if early:
            inner.refuse(f"it is defined by {', '.join(sorted(early))}, which is not known before.")
    return found


def _point(place: Place, sizes: Mapping[str, int]) -> dict[str, int]:
    found = {name: x.whole(0) for name, x in place.items(MOST_SIZES) if _known(x, name, sizes)}
    lacking = sorted(sizes.keys() - found.keys())
    if lacking:
        place.refuse(f"it has no value for {', '.join(lacking)}.")
    return found


def _checked(place: Place) -> Checked:
    place.only("quantity", "claim", "points", "worst", "passed", "detail")
    quantity = place["quantity"].text()
    if quantity not in WITHHELD:
        place["quantity"].refuse(f"{shown(quantity)} is not checked. {nearest(quantity, WITHHELD)}")
    return Checked(
        quantity, place["claim"].text(1_000), place["points"].whole(), place["worst"].text(),
        place["passed"].truth(), place["detail"].text(2_000),
    )  # fmt: skip


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
