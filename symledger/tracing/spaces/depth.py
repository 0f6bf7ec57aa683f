"""How often a repetition runs, as a formula in what deepens a module; and whether that holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import lcm
from typing import Any

from sympy import Expr, Integer, Symbol

from symledger.errors import BadInput
from symledger.traces.graph import EACH, LEAVES, ROUND, TABLE, Argument, Graph, Node, Ref
from symledger.tracing.folds.observed import Observed
from symledger.tracing.spaces.behind import behind, moved_behind, shifted
from symledger.tracing.spaces.fit import Points
from symledger.tracing.spaces.space import Space

FURTHER = (1, 3)
"""By how many layers a module is made deeper than its base, to see how often things repeat then."""


class OtherAtDepth(BadInput):
    """A module does something else at other depths or sizes than where it was looked at."""


def deeper(space: Space, depth: int) -> None:
    """Build the module so many layers deep from now on.

    Where there are several depths, each is another one if that goes: stages that are as deep as one
    another may look like layers of one kind.

    Raises:
        OtherAtDepth: it refuses that.
    """
    apart = {name: depth + i for i, name in enumerate(space.depths)}
    try:
        base = space.observe_once({**space.base, **apart}).at
    except BadInput:
        base = at_depth(space, dict.fromkeys(space.depths, depth)).at
    space.base = base


def at_depth(space: Space, depths: Mapping[str, int]) -> Observed:
    """Run a module at its base, but at other depths.

    Raises:
        OtherAtDepth: it refuses that.
    """
    try:
        return space.observe_once({**space.base, **depths})
    except BadInput as error:
        raise OtherAtDepth(str(error)) from error


def deepened(space: Space, graph: Graph) -> Graph:
    """Return a folded graph with formulas for how often each repetition runs.

    Raises:
        BadInput: the module changes otherwise than by more of the same.
    """
    if not space.depths:
        return graph
    runs = [space.observe_once(space.base)]
    pattern = period(graph)
    for name in space.depths:
        further = (space.base[name] + n * pattern for n in FURTHER)
        runs += [at_depth(space, {name: n}) for n in further]
    runs.append(at_depth(space, {n: space.base[n] + 2 * pattern for n in space.depths}))
    symbols = [Symbol(name) for name in space.depths]
    at = [{s: run.at[s.name] for s in symbols} for run in runs]
    points = Points(symbols, {s: s for s in symbols}, at, spare=1)
    return _with_times(graph, runs, points)


class OtherLengths(BadInput):
    """The same operations make other lengths at a point than was fitted."""

    def __init__(self, said: str, at: Mapping[str, int]) -> None:
        super().__init__(said)
        self.at = at


def period(graph: Graph) -> int:
    """Return by how many layers a module grows, so that whole patterns of layers are added."""
    return lcm(*(n.period for g in graph.bodies for n in g.nodes if n.operation == "repeat"))


def _with_times(graph: Graph, runs: list[Observed], points: Points) -> Graph:
    def timed(node: Node) -> Node:
        if node.body is None or node.times is None:
            return node
        if node.operation == "loop":
            return replace(node, body=_with_times(node.body, runs, points))
        there = [units(run, node.path) for run in runs]
        period = node.period
        rest = there[0] - int(node.times) * period
        numbers = tuple(n - rest for n in there)
        found = points.fit(numbers)
        if found is None or any(n % period for n in numbers):
            named = ", ".join(map(str, points.own.symbols))
            raise OtherAtDepth(
                f"how many of {node.path or 'the layers'} run does not follow from {named} as a "
                f"polynomial: {there} at {list(points.own.at)}."
            )
        return replace(node, times=found / period, body=_with_times(node.body, runs, points))

    return Graph(tuple(map(timed, graph.nodes)), graph.outputs)


def units(run: Observed, prefix: str) -> int:
    """Return how many numbered modules under a path run something."""
    start = f"{prefix}." if prefix else ""
    found = set()
    for step in run.recording.steps:
        if step.operation not in LEAVES and step.path.startswith(start):
            found.add(step.path[len(start) :].partition(".")[0])
    return sum(name.isdecimal() for name in found)


Line = tuple[Any, ...]


def unfolded(
    graph: Graph, at: Mapping[Expr, Expr], base: Mapping[Expr, Expr] | None = None
) -> list[Line]:
    """Write a folded graph out at a point: every operation that runs, on what, with numbers.

    Modules are called in the graph as they are at the ``base``.
    """
    return list(_written(graph, at, {}, lambda path: path, Counter(base or at)))


class Counter:
    """Counts the operations that were written, of all bodies together; knows where names are of."""

    def __init__(self, base: Mapping[Expr, Expr]) -> None:
        self.number, self.base = 0, base


def _written(
    graph: Graph, at: Mapping[Expr, Expr], place: dict[Ref, Any], path: Any, count: Counter,
    blocks: int = 0,
) -> Iterator[Line]:  # fmt: skip
    several = behind(graph, at, count.base)

    def called(name: str) -> str:
        return str(path(moved_behind(name, several)))

    for i, node in enumerate(graph.nodes):
        if Ref(i) in place:
            continue
        if node.operation in LEAVES:
            place[Ref(i)] = leaf_name(node.operation, called(str(node.arguments.get("name", ""))),
                                      called(node.path))  # fmt: skip
        elif node.operation == "loop":
            within = blocks + len(node.within)
            yield from _looped(node, i, at, place, called, count, within)
        elif node.body is None:
            arguments = tuple((n, _valued(a, at, place)) for n, a in node.arguments.items())
            shapes = tuple(tuple(int(n.xreplace(at)) for n in k.shape) for k in node.results)
            if node.operation == TABLE:
                place |= {Ref(i, r): (TABLE, called(node.path), s) for r, s in enumerate(shapes)}
                continue
            for r in range(len(node.results)):
                place[Ref(i, r)] = count.number, r
            count.number += 1
            within = blocks + len(node.within)
            yield node.operation, called(node.path), arguments, shapes, within
        else:
            lists = tuple(moved_behind(p, several) for p in (node.path, *node.beside))

            def moved(name: str, by: int, lists: tuple[str, ...] = lists) -> str:
                name = moved_behind(name, several)
                for prefix in lists:
                    name = shifted(name, prefix, by)
                return str(path(name))

            yield from _repeated(node, i, at, place, moved, count, blocks + len(node.within))


def _repeated(
    node: Node, i: int, at: Mapping[Expr, Expr], place: dict[Ref, Any], moved: Any, count: Counter,
    blocks: int,
) -> Iterator[Line]:  # fmt: skip
    """Write rounds of layers out; ``moved`` calls a name of the first as it is so much later."""
    assert node.body is not None
    assert node.times is not None
    entering = [place[a] for a in node.arguments.values() if isinstance(a, Ref)]
    states = len(node.results)
    for k in range(int(node.times.xreplace(at))):
        inner = {Ref(j): x for j, x in enumerate(entering)}

        def path(name: str, by: int = k * node.period) -> str:
            return str(moved(name, by))

        yield from _written(node.body, at, inner, path, count, blocks)
        entering[:states] = [inner[r] for r in node.body.outputs]
    for r in range(states):
        place[Ref(i, r)] = entering[r]


def tuple_of(a: Argument) -> tuple[Argument, ...]:
    """Return an argument that is a list."""
    assert isinstance(a, tuple)
    return a


@dataclass(frozen=True)
class Sequence:
    """What all rounds of a loop made, in order."""

    elements: tuple[Any, ...]


def _looped(
    node: Node, i: int, at: Mapping[Expr, Expr], place: dict[Ref, Any], path: Any, count: Counter,
    blocks: int,
) -> Iterator[Line]:  # fmt: skip
    assert node.body is not None
    assert node.times is not None
    states, same = (_valued(node.arguments[n], at, place) for n in ("states", "same"))
    each = [_valued((a,), at, place) for a in tuple_of(node.arguments["each"])]
    made: list[list[Any]] = [[] for _ in node.results]
    for k in range(int(node.times.xreplace(at))):
        entering = [*states, *(whole[k] for whole in each), *same]
        inner = {Ref(j): x for j, x in enumerate(entering)}

        def own(name: str, k: int = k) -> Any:
            for prefix in node.beside:
                name = shifted(name, prefix, k)
            return path(name)

        there = {**at, THE_ROUND: Integer(k)}
        yield from _written(node.body, there, inner, own, count, blocks)
        for found, r in zip(made, node.body.outputs, strict=True):
            found.append(inner[r])
        states = [found[-1] for found in made[: len(states)]]
    for k, each_made in enumerate(made):
        last = states[k] if k < len(states) else Sequence(tuple(each_made))
        place[Ref(i, k)] = last


THE_ROUND = Symbol("the round")
"""The number of the round that runs, which no size can be called."""


def leaf_name(operation: str, name: str, path: str) -> str:
    """Name a leaf: a fixed tensor without a name by the module that it is used in."""
    return f"{operation} {name or path}"


def _valued(a: Argument, at: Mapping[Expr, Expr], place: Mapping[Ref, Any]) -> Any:
    if isinstance(a, Ref):
        return place[a]
    if isinstance(a, tuple) and a[:1] == (ROUND,):
        _, start, step = a
        return _valued(start + step * THE_ROUND, at, place)
    if isinstance(a, tuple):
        found: list[Any] = []
        for each in a:
            if isinstance(each, tuple) and each[:1] == (EACH,):
                whole = place[each[1]].elements
                found += whole[::-1] if each[2] else whole
            else:
                found.append(_valued(each, at, place))
        return tuple(found)
    if isinstance(a, Expr):
        n = a.xreplace(at)
        return int(n) if n.is_Integer else float(n)
    return a


def observed_lines(run: Observed) -> list[Line]:
    """Write a run out in the same way."""
    steps = run.recording.steps
    place: dict[Ref, Any] = {}
    found: list[Line] = []
    for i, step in enumerate(steps):
        if step.operation in LEAVES:
            place[Ref(i)] = leaf_name(
                step.operation, str(step.arguments.get("name", "")), step.path
            )
            continue
        if step.operation == TABLE:
            place |= {Ref(i, r): (TABLE, step.path, s) for r, (s, _) in enumerate(step.results)}
            continue
        arguments = tuple((n, _numbered(a, place)) for n, a in step.arguments.items())
        for r in range(len(step.results)):
            place[Ref(i, r)] = len(found), r
        shapes = tuple(s for s, _ in step.results)
        found.append((step.operation, step.path, arguments, shapes, len(step.within)))
    return found


def _numbered(a: Any, place: Mapping[Ref, Any]) -> Any:
    if isinstance(a, Ref):
        return place[a]
    if isinstance(a, tuple):
        return tuple(_numbered(each, place) for each in a)
    return a


def renamed(graph: Graph, to: Mapping[Expr, Expr]) -> Graph:
    """Return a graph with its sizes in other symbols."""

    def argument(a: Argument) -> Argument:
        if isinstance(a, tuple):
            return tuple(argument(each) for each in a)
        return a.xreplace(dict(to)) if isinstance(a, Expr) else a

    def node(n: Node) -> Node:
        return replace(
            n, arguments={k: argument(a) for k, a in n.arguments.items()},
            results=tuple(
                replace(k, shape=tuple(x.xreplace(dict(to)) for x in k.shape)) for k in n.results
            ),
            times=None if n.times is None else n.times.xreplace(dict(to)),
            body=n.body and renamed(n.body, to),
        )  # fmt: skip

    return Graph(tuple(map(node, graph.nodes)), graph.outputs)


def first_difference(expected: list[Line], run: list[Line]) -> str:
    """Say where a graph and a run part; nothing where they are the same."""
    for mine, its in zip(expected, run, strict=False):
        if not same(mine, its):
            return f"{its[0]} in {its[1] or 'forward'}: {_told(mine)} where it is {_told(its)}"
    if len(expected) != len(run):
        return f"{len(run):,} operations, where {len(expected):,} were expected"
    return ""


def _told(line: Line) -> str:
    return (f"{line[0]} of {', '.join(f'{n} = {a}' for n, a in line[2])} giving {list(line[3])}"
            f"{', run again' if line[4] else ''}")


def same(a: Any, b: Any) -> bool:
    """Whether two lines are the same; floats that follow from sizes only nearly."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return a == b or abs(a - b) <= 1e-9 * abs(b)
    return bool(a == b)

