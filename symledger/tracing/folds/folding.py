"""The rounds of a pattern of layers put into one repetition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sympy import Integer

from symledger.traces.graph import LEAVES, Graph, Node, Ref
from symledger.tracing.folds.graphs import mapped
from symledger.tracing.folds.rounds import Rounds


class Folding(Rounds):
    """Rounds, and the graph in which they are a repetition."""

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
        around = tuple(b for b in self.graph.nodes[nodes[0]].within if self.is_around(b, nodes))
        given = [carried[s] for s in states]
        kinds = tuple(self.graph.nodes[nodes[k]].results[r] for k, r in given)
        repeat = Node(
            "repeat", {f"x{k}": r for k, r in enumerate(entering)}, kinds, self.prefix,
            self.graph.nodes[nodes[0]].line, body, Integer(self.times), self.period, around,
            self.used_beside(body),
        )  # fmt: skip
        ends = {(last[carried[s][0]], carried[s][1]): k for k, s in enumerate(states)}
        return self._put(inside, repeat, ends, max(r.node for r in entering))

    def _is_own(self, j: int, node: Node) -> bool:
        name = str(node.arguments.get("name", "")) or node.path
        return any(self._own(i)(name) for i in range(self.times))

    def used_beside(self, body: Graph) -> tuple[str, ...]:
        """Return the lists beside of which a round has modules or weights."""
        own = self._own(0)
        names = [name for n in body.nodes for name in (n.path, str(n.arguments.get("name", "")))]
        found = {which[1] for name in names if (which := own(name))}
        return tuple(path for n, path in enumerate(self.beside, 1) if n in found)

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
            within = tuple(b for b in node.within if not self.is_around(b, nodes))
            made.append(replace(node, arguments=arguments, within=within))
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
