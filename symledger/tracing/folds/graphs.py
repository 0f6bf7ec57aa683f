"""Graphs made into others: some of their nodes, other references, who uses what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from sympy import Expr

from symledger.traces.graph import Argument, Graph, Node, Ref


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


def users(graph: Graph) -> list[set[int]]:
    """Return which nodes use each node."""
    found: list[set[int]] = [set() for _ in graph.nodes]
    for i, node in enumerate(graph.nodes):
        for ref in node.refs:
            found[ref.node].add(i)
    return found


def needed(graph: Graph) -> set[int]:
    """Return the nodes that a result is made of, and those that make no floats."""
    found = {ref.node for ref in graph.outputs}
    for i in range(len(graph.nodes) - 1, -1, -1):
        if i in found:
            found.update(ref.node for ref in graph.nodes[i].refs)
    return found.union(
        i for i, n in enumerate(graph.nodes)
        if all(k.elements not in ("float", "complex") for k in n.results)
    )  # fmt: skip


def members(graph: Graph) -> dict[int, list[int]]:
    """Return the nodes of each block of operations that are run again, by its number."""
    found: dict[int, list[int]] = {}
    for i, node in enumerate(graph.nodes):
        for block in node.within:
            found.setdefault(block.number, []).append(i)
    return found


def times_of(graph: Graph) -> Iterator[Expr]:
    """Yield how often each repetition runs, in order, those in bodies too."""
    for node in graph.nodes:
        if node.times is not None:
            yield node.times
        if node.body:
            yield from times_of(node.body)
