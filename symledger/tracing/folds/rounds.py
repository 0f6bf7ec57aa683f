"""A pattern of layers, one round after the other: whether each is the first one again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from symledger.traces.graph import LEAVES, Block, Graph, Ref
from symledger.tracing.folds.graphs import mapped, members, needed, users

Form = tuple[Any, ...]


@dataclass
class Unit:
    """What runs from where one layer begins to where the next one does."""

    index: int
    start: int
    end: int


class Rounds:
    """A pattern of layers, and how often it is there.

    The nodes between the last layer and the next one belong to it where they do in every other
    round; ``trailing`` says whether they do.
    """

    def __init__(
        self, graph: Graph, prefix: str, units: list[Unit], first: int, period: int, times: int,
        trailing: bool, beside: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        self.beside = beside
        self.graph, self.prefix, self.units = graph, prefix, units
        self.first, self.period, self.times, self.trailing = first, period, times, trailing
        self.length = self._between(0)
        self.users = users(graph)
        self.members = members(graph)
        self.needed = needed(graph)

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
            beside = tuple(own(path) or path for path in node.beside)
            idle = j not in self.needed  # no gradient comes back there: the last layer may differ
            forms.append((node.operation, own(node.path) or node.path, arguments, node.results,
                          node.times, body, self._blocks(j, nodes), beside, idle))  # fmt: skip
        unread = (self.graph.nodes[j] for j in self._idle(i))
        forms += [("idle", own(str(n.arguments["name"])), n.results) for n in unread]
        return forms, list(outside)

    def _blocks(self, j: int, nodes: list[int]) -> Form:
        """Say where in a round the blocks of a node begin; of a block around it, which it is."""
        found: list[Any] = []
        for b in self.graph.nodes[j].within:
            first, last = self.members[b.number][0], self.members[b.number][-1]
            if nodes[0] <= first and last <= nodes[-1]:
                found.append((first - nodes[0], b.early))
            elif self.is_around(b, nodes):
                found.append((b, ""))
            else:
                found.append((b, nodes[0]))  # like no other round
        return tuple(found)

    def is_around(self, b: Block, nodes: list[int]) -> bool:
        """Whether a block holds all nodes of a round, and others."""
        first, last = self.members[b.number][0], self.members[b.number][-1]
        return first <= nodes[0] and nodes[-1] <= last and (first, last) != (nodes[0], nodes[-1])

    def _own(self, i: int) -> Callable[[str], Form | None]:
        """Return what tells names under the layers of round ``i``: which layer, and the rest.

        Layers of the same numbers in lists beside are of the round, too.
        """
        several = (self.prefix, *self.beside)
        bases = {
            f"{path}.{self.units[self.first + i * self.period + k].index}".lstrip("."): (k, n)
            for n, path in enumerate(several) for k in range(self.period)
        }

        def own(name: str) -> Form | None:
            for base, which in bases.items():
                if name == base or name.startswith(base + "."):
                    return *which, name[len(base) :]
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


def form_of(body: Graph, own: Any) -> Form:
    """Return what a body does, with its leaves under names of their own layer."""
    firsts = members(body)
    return tuple(
        (n.operation, own(n.path) or n.path,
         tuple((k, own(a) or a if k == "name" and isinstance(a, str) else a)
               for k, a in n.arguments.items()),
         n.results, n.times, n.body and form_of(n.body, own),
         tuple((firsts[b.number][0], b.early) for b in n.within),
         tuple(own(path) or path for path in n.beside))
        for n in body.nodes
    ), body.outputs  # fmt: skip
