"""A trace written as JSON: one operation a line, the same bytes for the same trace."""

from __future__ import annotations

import json
import math
from typing import Any

from sympy import Expr, Integer

from symledger.traces.alive import Eager
from symledger.traces.formulas import written
from symledger.traces.graph import Argument, Graph, Kind, Node, Ref, Traced
from symledger.traces.seal import seal
from symledger.version import VERSION

SCHEMA = "symledger.trace/1"


def dumped(traced: Traced) -> str:
    """Return a trace as the text of a file."""
    data = to_data(traced)
    data["seal"] = seal(data)
    lines = [f"  {json.dumps(key)}: {_laid_out(key, value)}" for key, value in data.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _laid_out(key: str, value: Any) -> str:
    """Write one entry: the graph with a line for each operation, all else on one line."""
    if key != "graph":
        return _line(value)
    nodes = ",\n".join(f"    {_line(node)}" for node in value["nodes"])
    return f'{{"nodes": [\n{nodes}\n  ], "outputs": {_line(value["outputs"])}}}'


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def to_data(traced: Traced) -> dict[str, Any]:
    """Return a trace as JSON data, without its seal."""
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "torch": traced.torch,
        "name": traced.name,
        "source": traced.source,
        "training": traced.training,
        "sizes": dict(traced.sizes),
        "names": dict(traced.names),
        "definitions": {name: written(e) for name, e in traced.definitions.items()},
        "fixed": {a.name: a.value for a in traced.fixed},
        "points": [dict(point) for point in traced.points],
        "checks": [
            {"quantity": c.quantity, "claim": c.claim, "points": c.points, "worst": c.worst,
             "passed": c.passed, "detail": c.detail}
            for c in traced.checks
        ],
        **{
            key: [[a.name, a.value] for a in noted]
            for key, noted in (("effects", traced.effects), ("custom", traced.custom)) if noted
        },
        **({"conditions": [[c.left, c.relation, c.right] for c in traced.conditions]}
           if traced.conditions else {}),
        **({"eager": [eager_data(e) for e in traced.eager]} if traced.eager else {}),
        "graph": _graph(traced.graph),
    }  # fmt: skip


def eager_data(eager: Eager) -> dict[str, Any]:
    """Return what is in memory when as JSON data."""
    return {
        "input_gradient": eager.how.input_gradient,
        **({"accumulate": True} if eager.how.accumulate else {}),
        **({"dtype": eager.how.dtype} if eager.how.dtype != "fp32" else {}),
        **({"serving": eager.how.serving} if eager.how.serving else {}),
        **({"cache": eager.how.cache} if eager.how.cache else {}),
        "least": dict(eager.least),
        "apart": [list(pair) for pair in eager.apart],
        **({"every": {n: list(of) for n, of in eager.every.items()}} if eager.every else {}),
        "moments": [
            [m.way, m.operation, m.path, m.which, {k: written(e) for k, e in m.bytes.items()}]
            for m in eager.moments
        ],
    }


def _graph(graph: Graph) -> dict[str, Any]:
    return {"nodes": [_node(n) for n in graph.nodes], "outputs": [_ref(r) for r in graph.outputs]}


def _node(node: Node) -> dict[str, Any]:
    found: dict[str, Any] = {
        "op": node.operation,
        "arguments": {name: _argument(a) for name, a in node.arguments.items()},
        "results": [_kind(k) for k in node.results],
    }
    if node.path:
        found["path"] = node.path
    if node.line:
        found["line"] = node.line
    if node.within:
        found["within"] = [[b.number, b.early] for b in node.within]
    if node.beside:
        found["beside"] = list(node.beside)
    if node.body is not None and node.times is not None:
        found |= {"times": written(node.times), "period": node.period, "body": _graph(node.body)}
    return found


def _kind(kind: Kind) -> list[Any]:
    return [kind.elements, *(written(n) for n in kind.shape)]


def _ref(ref: Ref) -> list[int]:
    return [ref.node, ref.result]


def _argument(a: Argument) -> Any:
    """Write an argument: tensors, formulas and what JSON has no number for are objects."""
    if isinstance(a, Ref):
        return {"tensor": _ref(a)}
    if isinstance(a, tuple):
        return [_argument(each) for each in a]
    if isinstance(a, Expr):
        return int(a) if isinstance(a, Integer) else {"size": written(a)}
    if isinstance(a, float) and not math.isfinite(a):
        return {"float": str(a)}
    return a
