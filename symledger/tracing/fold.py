"""Equal layers, one after the other, folded into a repetition of one.

Layers are what runs in modules ``path.0``, ``path.1``, …, together with what their parent does
between them. Two are equal if they do the same on the same: what one takes from before it is what
the layer before has made (it is carried), or what every layer takes. Weights are named, and those
under the layer's own name are its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sympy import Expr, Integer

from symledger.traces.graph import LEAVES, Argument, Graph, Node, Ref

Form = tuple[Any, ...]
MOST_IN_A_PATTERN = 12


@dataclass(frozen=True)
class Named:
    """A weight, buffer or fixed tensor, by its name, in place of a reference."""

    name: str


def folded(graph: Graph) -> Graph:
    """Return a graph in which equal layers are repetitions, the innermost folded first."""
    graph = live(graph)
    graph = replace(graph, nodes=tuple(
        replace(n, body=folded(n.body)) if n.body else n for n in graph.nodes
    ))  # fmt: skip
    while True:
        for prefix in prefixes(graph):
            found = _fold(graph, prefix)
            if found is not None:
                graph = found
                break
        else:
            return graph


def live(graph: Graph) -> Graph:
    """Leave out what only passes a tensor on, or looks at it, and is not used."""
    return kept(graph, lasting(graph))


def lasting(graph: Graph) -> list[int]:
    """Return the numbers of the nodes that are not left out."""
    used = {ref.node for ref in graph.outputs}
    for i in range(len(graph.nodes) - 1, -1, -1):
        node = graph.nodes[i]
        if i in used or node.operation not in PASSING:
            used.update(ref.node for ref in node.refs)
            used.add(i)
    return sorted(used)


PASSING = ("aten.detach", "aten.alias", "aten.view", "aten.expand", "aten.t", "aten.transpose",
           "aten.select", "aten.slice", "constant", "buffer", "table")  # fmt: skip
"""Operations that compute nothing: where nobody uses their result, they are not there."""


def kept(graph: Graph, numbers: list[int]) -> Graph:
    """Return a graph of some of its nodes."""
    place = {old: new for new, old in enumerate(numbers)}
    move = {old: Ref(place[old]) for old in numbers}
    nodes = tuple(_moved(graph.nodes[i], move) for i in numbers)
    return Graph(nodes, tuple(Ref(place[r.node], r.result) for r in graph.outputs))


def _moved(node: Node, place: Mapping[int, Ref]) -> Node:
    return replace(node, arguments={
        n: mapped(a, lambda r: Ref(place[r.node].node, r.result)) for n, a in node.arguments.items()
    })  # fmt: skip


def mapped(argument: Argument, to: Any) -> Argument:
    """Return an argument with other references."""
    if isinstance(argument, Ref):
        return to(argument)
    if isinstance(argument, tuple):
        return tuple(mapped(each, to) for each in argument)
    return argument


def prefixes(graph: Graph) -> list[str]:
    """Return the paths under which modules are numbered, the deepest first."""
    found: dict[str, set[int]] = {}
    for node in graph.nodes:
        if node.operation in LEAVES:
            continue
        parts = node.path.split(".")
        for i, part in enumerate(parts):
            if part.isdecimal():
                found.setdefault(".".join(parts[:i]), set()).add(int(part))
    several = [p for p, numbers in found.items() if len(numbers) > 1]
    return sorted(several, key=lambda p: (-p.count("."), p))


@dataclass
class Unit:
    """What runs from where one layer begins to where the next one does."""

    index: int
    start: int
    end: int


def _units(graph: Graph, prefix: str) -> list[Unit]:
    """Return the layers of a list; none if they run in another order, or more than once."""
    of = re.compile((re.escape(prefix) + r"\." if prefix else "") + r"(\d+)(\.|$)")
    runs: list[list[int]] = []
    for i, node in enumerate(graph.nodes):
        found = of.match(node.path) if node.operation not in LEAVES else None
        if found:
            index = int(found[1])
            if not runs or runs[-1][0] != index:
                runs.append([index, i, i + 1])
            runs[-1][2] = i + 1
    if [r[0] for r in runs] != sorted({r[0] for r in runs}):
        return []
    starts = [r[1] for r in runs]
    ends = [*starts[1:], runs[-1][2]] if runs else []
    return [Unit(r[0], r[1], e) for r, e in zip(runs, ends, strict=True)]


def _fold(graph: Graph, prefix: str) -> Graph | None:
    """Fold the longest run of equal layers, or of equal patterns of layers, of one list."""
    units = _units(graph, prefix)
    best: tuple[int, int, int, int] | None = None
    for period in range(1, min(len(units) // 2, MOST_IN_A_PATTERN) + 1):
        for first in range(len(units) - 2 * period + 1):
            for trailing in (True, False):
                times = _equal(graph, prefix, units, first, period, trailing)
                if times > 1:
                    found = times * period, -period, times, first * 2 + (not trailing)
                    best = max(best, found) if best else found
        if best and best[0] >= len(units) - 1:
            break
    if best is None:
        return None
    _, period, times, place = best
    return Folding(graph, prefix, units, place // 2, -period, times, not place % 2).result()


def _equal(
    graph: Graph, prefix: str, units: list[Unit], first: int, period: int, trailing: bool
) -> int:
    """Return how often a pattern of layers that begins at one of them is there, without a gap."""
    one = Folding(graph, prefix, units, first, period, 1, trailing)
    times = 1
    while first + (times + 1) * period <= len(units):
        if not one.follows(times):
            break
        times += 1
    return times


class Folding:
    """A pattern of layers, and how often it is there.

    The nodes between the last layer and the next one belong to it where they do in every other
    round; ``trailing`` says whether they do.
    """

    def __init__(
        self, graph: Graph, prefix: str, units: list[Unit], first: int, period: int, times: int,
        trailing: bool,
    ) -> None:  # fmt: skip
        self.graph, self.prefix, self.units = graph, prefix, units
        self.first, self.period, self.times, self.trailing = first, period, times, trailing
        self.length = self._between(0)
        self.users = users(graph)

    def _between(self, i: int) -> list[int]:
        """The nodes of round ``i``, leaves left out."""
        begin = self.first + i * self.period
        last = self.units[begin + self.period - 1]
        start, end = self.units[begin].start, last.end
        if not self.trailing:
            end = max(
                j + 1 for j in range(last.start, last.end)
                if self.graph.nodes[j].path.startswith(f"{self.prefix}.{last.index}".lstrip("."))
                and self.graph.nodes[j].operation not in LEAVES
            )  # fmt: skip
        if self.trailing and begin + self.period == len(self.units) and i:
            end = self._same_length(start, end)
        return [j for j in range(start, end) if self.graph.nodes[j].operation not in LEAVES]

    def _same_length(self, start: int, end: int) -> int:
        """Let the last round reach as far as the others do."""
        wanted, j, found = len(self.length), start, 0
        while j < len(self.graph.nodes) and found < wanted:
            found += self.graph.nodes[j].operation not in LEAVES
            j += 1
        return max(j, end) if found == wanted else end

    def _form(self, i: int) -> tuple[list[Form], list[Ref]]:
        """What round ``i`` does, and the tensors that enter it in the order of their first use."""
        nodes = self._between(i)
        place = {j: k for k, j in enumerate(nodes)}
        outside: dict[Ref, int] = {}
        own = self._own(i)

        def ref(r: Ref) -> Any:
            node = self.graph.nodes[r.node]
            if r.node in place:
                return "in", place[r.node], r.result
            if node.operation in LEAVES and node.operation != "input":
                name = str(node.arguments.get("name", ""))
                mine = own(name or node.path) if name or node.operation == "constant" else None
                if mine is not None and self._alone(r.node, nodes):
                    trainable = node.arguments.get("trainable")
                    return "own", node.operation, *mine, node.results, trainable
            outside.setdefault(r, len(outside))
            return "out", outside[r]

        forms: list[Form] = []
        for j in nodes:
            node = self.graph.nodes[j]
            arguments = tuple((n, mapped(a, ref)) for n, a in node.arguments.items())
            body = node.body and form_of(node.body, own)
            forms.append((node.operation, own(node.path) or node.path, arguments, node.results,
                          node.times, body))  # fmt: skip
        idle = (self.graph.nodes[j] for j in self._idle(i))
        forms += [("idle", own(str(n.arguments["name"])), n.results) for n in idle]
        return forms, list(outside)

    def _own(self, i: int) -> Callable[[str], tuple[int, str] | None]:
        """Return what tells names under the layers of round ``i``: which layer, and the rest."""
        bases = {
            f"{self.prefix}.{self.units[self.first + i * self.period + k].index}".lstrip("."): k
            for k in range(self.period)
        }

        def own(name: str) -> tuple[int, str] | None:
            for base, k in bases.items():
                if name == base or name.startswith(base + "."):
                    return k, name[len(base) :]
            return None

        return own

    def _idle(self, i: int) -> list[int]:
        """The weights of round ``i`` that nothing uses."""
        own = self._own(i)
        return [
            j for j, n in enumerate(self.graph.nodes)
            if n.operation == "weight" and not self.users[j]
            and own(str(n.arguments["name"]))
        ]  # fmt: skip

    def _alone(self, leaf: int, nodes: list[int]) -> bool:
        """Whether a leaf is used nowhere but in some nodes."""
        return self.users[leaf] <= set(nodes)

    def follows(self, i: int) -> bool:
        """Whether round ``i`` is the first one again, on what the round before it has made."""
        forms, outside = self._form(0)
        others, its = self._form(i)
        if forms != others or len(outside) != len(its):
            return False
        return self._entering(i, outside, its) and self._left(i)

    def _entering(self, i: int, outside: list[Ref], its: list[Ref]) -> bool:
        before = {j: k for k, j in enumerate(self._between(i - 1))}
        first_carried = self._carried
        for k, (mine, other) in enumerate(zip(outside, its, strict=True)):
            if other.node in before:
                if first_carried.setdefault(k, (before[other.node], other.result)) != (
                    before[other.node], other.result,
                ):  # fmt: skip
                    return False
            elif mine != other or k in first_carried:
                return False
        return True

    @property
    def _carried(self) -> dict[int, tuple[int, int]]:
        """Which entering tensor is which result of the round before."""
        if not hasattr(self, "_known"):
            self._known: dict[int, tuple[int, int]] = {}
        return self._known

    def _left(self, i: int) -> bool:
        """Whether of the round before nothing is used later but what is carried."""
        nodes = self._between(i - 1)
        mine = set(nodes) | set(self._between(i))
        carried = {nodes[k] for k, _ in self._carried.values()}
        ends = {r.node for r in self.graph.outputs}
        return all(
            (self.users[j] <= mine and j not in ends) or (j in carried and j not in ends
             and self.users[j] <= mine)
            for j in nodes
        )  # fmt: skip

    def result(self) -> Graph:
        """Return the graph with a repetition in place of the rounds."""
        for i in range(1, self.times):
            self.follows(i)
        _, outside = self._form(0)
        nodes = self._between(0)
        last = self._between(self.times - 1)
        carried = self._carried
        states = sorted(carried)
        entering = [outside[k] for k in states] + [
            r for k, r in enumerate(outside) if k not in carried
        ]
        body = self._body([*nodes, *self._idle(0)], nodes, entering, [carried[k] for k in states])
        inside = {j for i in range(self.times) for j in (*self._between(i), *self._idle(i))}
        inside |= {
            j for j, n in enumerate(self.graph.nodes)
            if n.operation in LEAVES and n.operation != "input" and self.users[j]
            and self.users[j] <= inside and self._is_own(j, n)
        }  # fmt: skip
        given = [carried[s] for s in states]
        kinds = tuple(self.graph.nodes[nodes[k]].results[r] for k, r in given)
        repeat = Node(
            "repeat", {f"x{k}": r for k, r in enumerate(entering)}, kinds, self.prefix,
            self.graph.nodes[nodes[0]].line, body, Integer(self.times), self.period,
        )  # fmt: skip
        ends = {(last[carried[s][0]], carried[s][1]): k for k, s in enumerate(states)}
        return self._put(inside, repeat, ends, max(r.node for r in entering))

    def _is_own(self, j: int, node: Node) -> bool:
        name = str(node.arguments.get("name", "")) or node.path
        for u in self.units[self.first : self.first + self.times * self.period]:
            base = f"{self.prefix}.{u.index}".lstrip(".")
            if name == base or name.startswith(base + "."):
                return True
        return False

    def _body(
        self, own: list[int], nodes: list[int], entering: list[Ref],
        states: list[tuple[int, int]],
    ) -> Graph:  # fmt: skip
        leaves = sorted(
            {r.node for j in nodes for r in self.graph.nodes[j].refs}
            - set(nodes) - {r.node for r in entering}
        )  # fmt: skip
        made: list[Node] = [
            Node("input", {"name": f"x{k}"}, (self.graph.kind(r),)) for k, r in enumerate(entering)
        ]
        place: dict[Ref, Ref] = {r: Ref(k) for k, r in enumerate(entering)}
        for j in sorted([*leaves, *own]):
            node = self.graph.nodes[j]
            arguments = {
                n: mapped(a, lambda r: place.get(r, r)) for n, a in node.arguments.items()
            }
            for k in range(len(node.results)):
                place[Ref(j, k)] = Ref(len(made), k)
            made.append(replace(node, arguments=arguments))
        return Graph(tuple(made), tuple(place[Ref(nodes[k], r)] for k, r in states))

    def _put(
        self, inside: set[int], repeat: Node, ends: Mapping[tuple[int, int], int], latest: int
    ) -> Graph:
        """Put the repetition where its first round began, after all that enters it."""
        start = max(min(j for j in inside if self.graph.nodes[j].operation not in LEAVES), latest)
        made: list[Node] = []
        place: dict[Ref, Ref] = {}

        def add(node: Node, number: int | None) -> None:
            arguments = {n: mapped(a, lambda r: place[r]) for n, a in node.arguments.items()}
            for k in range(len(node.results)):
                if number is not None:
                    place[Ref(number, k)] = Ref(len(made), k)
            made.append(replace(node, arguments=arguments))

        waiting = True
        for j, node in enumerate(self.graph.nodes):
            if waiting and j >= start and (j not in inside or j > start) and j > latest:
                add(repeat, None)
                for (n, r), k in ends.items():
                    place[Ref(n, r)] = Ref(len(made) - 1, k)
                waiting = False
            if j not in inside:
                add(node, j)
        if waiting:
            add(repeat, None)
            for (n, r), k in ends.items():
                place[Ref(n, r)] = Ref(len(made) - 1, k)
        return Graph(tuple(made), tuple(place[r] for r in self.graph.outputs))


def users(graph: Graph) -> list[set[int]]:
    """Return which nodes use each node."""
    found: list[set[int]] = [set() for _ in graph.nodes]
    for i, node in enumerate(graph.nodes):
        for ref in node.refs:
            found[ref.node].add(i)
    return found


def form_of(body: Graph, own: Any) -> Form:
    """Return what a body does, with its leaves under names of their own layer."""
    return tuple(
        (n.operation, own(n.path) or n.path,
         tuple((k, own(a) or a if k == "name" and isinstance(a, str) else a)
               for k, a in n.arguments.items()),
         n.results, n.times, n.body and form_of(n.body, own))
        for n in body.nodes
    ), body.outputs  # fmt: skip


def times_of(graph: Graph) -> Iterator[Expr]:
    """Yield how often each repetition runs, in order, those in bodies too."""
    for node in graph.nodes:
        if node.times is not None:
            yield node.times
        if node.body:
            yield from times_of(node.body)
