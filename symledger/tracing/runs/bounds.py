"""Below what the whole numbers that enter stay: the length of the shortest table they index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sympy import Expr, Integer

from symledger.traces.graph import Argument, Graph, Node, Ref, refs_of
from symledger.tracing.runs.torch_version import SAME_NUMBERS

TABLES: Mapping[str, tuple[str, str]] = {
    "aten.embedding": ("indices", "weight"), "aten.index_select": ("index", "self"),
    "aten.gather": ("index", "self"), "aten.index": ("indices", "self"),
    "aten.nll_loss_forward": ("target", "self"), "aten.nll_loss2d_forward": ("target", "self"),
    "cross_entropy": ("target", "input"), "embedding_bag": ("input", "weight"),
    "aten.scatter": ("index", "self"), "aten.scatter_add": ("index", "self"),
    "aten.index_add": ("index", "self"), "aten.index_copy": ("index", "self"),
    "aten.index_put": ("indices", "self"),
}  # fmt: skip
"""Operations that pick by whole numbers: which argument they are, and out of what they pick."""
SMALLEST = Integer(2)
"""Of numbers that index nothing, and of truths."""


def bounded(graph: Graph) -> Graph:
    """Return a graph that says of every whole number that enters what it stays below."""
    found = list(graph.nodes)
    for i, node in graph.of("input"):
        kind = node.results[0]
        if kind.elements in ("int", "bool"):
            limits = list(_limits(graph, Ref(i))) if kind.elements == "int" else []
            found[i] = replace(node, arguments={**node.arguments, "below": smallest(limits)})
    return replace(graph, nodes=tuple(found))


def smallest(limits: list[Expr]) -> Argument:
    """Return the least of some lengths; all that may be it, where sizes decide."""
    fixed = [n for n in limits if n.is_Integer]
    others = [n for n in dict.fromkeys(limits) if not n.is_Integer]
    several = (*others, *([min(fixed)] if fixed else []))
    return several if len(several) > 1 else several[0] if several else SMALLEST


def least(below: Argument, sizes: Mapping[Expr, Expr]) -> int:
    """Return the value of what was said to be smallest."""
    several = below if isinstance(below, tuple) else (below,)
    return min(int(e.xreplace(dict(sizes))) for e in several if isinstance(e, Expr))


def _limits(graph: Graph, ref: Ref) -> Iterator[Expr]:
    """Yield the lengths of the tables that a tensor indexes."""
    for i, node in enumerate(graph.nodes):
        if ref not in node.refs:
            continue
        picks, table = TABLES.get(node.operation, ("", ""))
        if picks and ref in refs_of(node.arguments[picks]):
            yield _length(graph, node, table, ref)
        elif node.operation in SAME_NUMBERS:
            for r in range(len(node.results)):
                yield from _limits(graph, Ref(i, r))
        elif node.body:
            for k, entering in enumerate(node.refs):
                if entering == ref:
                    yield from _limits(node.body, Ref(k))


def _length(graph: Graph, node: Node, table: str, ref: Ref) -> Expr:
    """The length of the axis that is picked from."""
    whole = node.arguments[table]
    assert isinstance(whole, Ref)
    shape = graph.kind(whole).shape
    return shape[min(_axis(node, ref), len(shape) - 1)]


def _axis(node: Node, ref: Ref) -> int:
    if node.operation in ("aten.index", "aten.index_put"):
        picks: Argument = node.arguments["indices"]
        return picks.index(ref) if isinstance(picks, tuple) else 0
    if "dim" in node.arguments:
        return int(node.arguments["dim"])  # type: ignore[arg-type]  # a number
    if "loss" in node.operation or node.operation == "cross_entropy":
        whole = node.arguments["self" if "self" in node.arguments else "input"]
        return 1 if isinstance(whole, Ref) and node.operation != "cross_entropy" else -1
    return 0
