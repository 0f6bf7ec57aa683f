"""Equal layers, one after the other, folded into a repetition of one.

Layers are what runs in modules ``path.0``, ``path.1``, …, together with what their parent does
between them. Two are equal if they do the same on the same: what one takes from before it is what
the layer before has made (it is carried), or what every layer takes. Weights are named, and those
under the layer's own name are its own.
"""

from __future__ import annotations

import re
from dataclasses import replace

from symledger.traces.graph import LEAVES, Graph
from symledger.tracing.folds.folding import Folding
from symledger.tracing.folds.graphs import live
from symledger.tracing.folds.rounds import Unit

MOST_IN_A_PATTERN = 12


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


def prefixes(graph: Graph) -> list[str]:
    """Return the paths under which modules are numbered, the deepest first, weights alone last."""
    found: dict[str, set[int]] = {}
    weights = {str(n.arguments.get("name", "")) for n in graph.nodes if n.operation in LEAVES}
    alone: set[str] = set()
    for node in graph.nodes:
        if node.operation in LEAVES:
            continue
        parts = node.path.split(".")
        if node.path in weights:
            alone.add(".".join(parts[:-1]))
        for i, part in enumerate(parts):
            if part.isdecimal():
                found.setdefault(".".join(parts[:i]), set()).add(int(part))
    several = [p for p, numbers in found.items() if len(numbers) > 1]
    return sorted(several, key=lambda p: (-p.count("."), p in alone, p))


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
    others = lists_beside(graph, prefix)
    for period in range(1, min(len(units) // 2, MOST_IN_A_PATTERN) + 1):
        for first in range(len(units) - 2 * period + 1):
            for trailing in (True, False):
                times = _equal(graph, prefix, units, first, period, trailing, others)
                if times > 1:
                    found = times * period, -period, times, first * 2 + (not trailing)
                    best = max(best, found) if best else found
        if best and best[0] >= len(units) - 1:
            break
    if best is None:
        return None
    _, period, times, place = best
    trailing = not place % 2
    return Folding(graph, prefix, units, place // 2, -period, times, trailing, others).result()


def lists_beside(graph: Graph, prefix: str) -> tuple[str, ...]:
    """Return the paths of other lists of modules and weights that may be gone along as well.

    They are in the same layers of the lists around, and none of them stands in another.
    """
    around = NUMBERED.match(prefix)
    start = around[0] if around else ""
    found: set[str] = set()
    for node in graph.nodes:
        for name in {node.path, str(node.arguments.get("name", ""))}:
            of = FIRST_NUMBER.match(name[len(start) :]) if name.startswith(start) else None
            if of:
                found.add(start + of[1])
    return tuple(sorted(p for p in found if prefix and not f"{prefix}.".startswith(f"{p}.")))


NUMBERED = re.compile(r".*\.\d+\.")
FIRST_NUMBER = re.compile(r"(\D(?:[^.]|\.(?!\d+(?:\.|$)))*)\.\d+(?:\.|$)")


def _equal(
    graph: Graph, prefix: str, units: list[Unit], first: int, period: int, trailing: bool,
    beside: tuple[str, ...],
) -> int:  # fmt: skip
    """Return how often a pattern of layers that begins at one of them is there, without a gap."""
    one = Folding(graph, prefix, units, first, period, 1, trailing, beside)
    times = 1
    while first + (times + 1) * period <= len(units):
        if not one.follows(times):
            break
        times += 1
    return times
