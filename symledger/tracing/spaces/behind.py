"""Modules numbered behind layers that repeat, as a norm that ends a list: at other depths, others.

In ``Sequential(*blocks, norm)`` the norm is ``net.3`` where there are three blocks, and ``net.8``
where there are eight.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sympy import Expr

from symledger.traces.graph import Graph, Node


@dataclass(frozen=True)
class Behind:
    """What stands behind a repetition: numbers from ``first`` on under a path, and so much more."""

    path: str
    first: int
    more: int


def behind(
    graph: Graph, at: Mapping[Expr, Expr], base: Mapping[Expr, Expr]
) -> tuple[Behind, ...]:
    """Return what stands behind each repetition of a graph, as it is numbered at a base."""
    found = []
    for node in graph.nodes:
        if node.operation != "repeat" or node.times is None:
            continue
        times, before = (int(node.times.xreplace(dict(there))) for there in (at, base))
        for path in (node.path, *node.beside):
            first = first_number(node, path)
            if first is not None and times != before:
                end = first + before * node.period
                found.append(Behind(path, end, (times - before) * node.period))
    return tuple(sorted(found, key=lambda b: -b.path.count(".")))


def first_number(repeat: Node, path: str) -> int | None:
    """Return the number of the first layer of a repetition in a list, as its body is called."""
    assert repeat.body is not None
    names = (name for n in repeat.body.nodes for name in (n.path, str(n.arguments.get("name", ""))))
    numbers = [n for name in names if (n := number(name, path)) is not None]
    return min(numbers, default=None)


def number(name: str, prefix: str) -> int | None:
    """Return the number that follows a path in a dotted name, if one does."""
    start = f"{prefix}." if prefix else ""
    found = name[len(start) :].partition(".")[0] if name.startswith(start) else ""
    return int(found) if found.isdecimal() else None


def shifted(name: str, prefix: str, by: int) -> str:
    """Return a dotted name with the number under a path so much higher."""
    found = number(name, prefix)
    if found is None or not by:
        return name
    start = f"{prefix}." if prefix else ""
    _, dot, rest = name[len(start) :].partition(".")
    return f"{start}{found + by}{dot}{rest}"


def moved_behind(name: str, several: tuple[Behind, ...]) -> str:
    """Return a name as it is where repetitions before it run more or less often."""
    for path in dict.fromkeys(b.path for b in several):
        here = number(name, path)
        if here is not None:
            more = sum(b.more for b in several if b.path == path and here >= b.first)
            name = shifted(name, path, more)
    return name


def numbered(graph: Graph, at: Mapping[Expr, Expr], base: Mapping[Expr, Expr]) -> Graph:
    """Return a graph of which what stands behind repetitions is called as it is at a point."""
    several = behind(graph, at, base)
    nodes = tuple(_renamed(node, several) for node in graph.nodes) if several else graph.nodes
    inner = (replace(n, body=numbered(n.body, at, base)) if n.body else n for n in nodes)
    return Graph(tuple(inner), graph.outputs)


def _renamed(node: Node, several: tuple[Behind, ...]) -> Node:
    arguments = dict(node.arguments)
    if isinstance(name := arguments.get("name"), str):
        arguments["name"] = moved_behind(name, several)
    body = node.body and Graph(
        tuple(_renamed(n, several) for n in node.body.nodes), node.body.outputs
    )
    return replace(node, arguments=arguments, path=moved_behind(node.path, several), body=body,
                   beside=tuple(moved_behind(path, several) for path in node.beside))  # fmt: skip
