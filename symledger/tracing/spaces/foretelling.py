"""What a folded graph foretells of other points: which operations run there, on what lengths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sympy import Expr, Integer, Symbol

from symledger.traces.graph import Graph
from symledger.tracing.assemble import Assembler
from symledger.tracing.folds.fold import folded
from symledger.tracing.folds.graphs import live
from symledger.tracing.folds.observed import Observed, shape_of
from symledger.tracing.spaces.depth import (
    Line,
    OtherAtDepth,
    OtherLengths,
    at_depth,
    deepened,
    deeper,
    first_difference,
    observed_lines,
    period,
    unfolded,
)
from symledger.tracing.spaces.points import Sample
from symledger.tracing.spaces.space import Space

FURTHER = 2
"""By how many patterns of layers a module is made deeper to see whether they go on repeating."""


def showing(space: Space, depths: Sequence[int]) -> Iterator[int]:
    """Yield the depths at which a module shows how its layers repeat; the first one if none does.

    That takes some runs with all sizes as they are, where fitting lengths takes dozens.
    """
    base, shown = space.base, False
    for depth in depths:
        space.base = base
        if shows(space, depth):
            shown = True
            yield depth
    if not shown:
        yield depths[0]


def shows(space: Space, depth: int) -> bool:
    """Whether a module so deep does as its layers, folded, foretell of the depth asked for.

    Lengths are not compared: they are fitted where all sizes are changed.
    """
    try:
        deeper(space, depth)
        here = replace(space, sizes=[], steps={})
        graph = folded(Assembler(Sample(here, [space.observe_once(space.base)])).graph())
        graph = deepened(here, graph)
        more = {n: space.base[n] + FURTHER * period(graph) for n in space.depths}
        for depths in ({n: space.asked[n] for n in space.depths}, more):
            check(here, graph, {}, at_depth(space, depths))
    except OtherLengths:
        return True
    except OtherAtDepth:
        return False
    return True


def used(space: Space) -> set[str]:
    """Return the arguments and free lengths that are sizes."""
    return {*space.sizes, *space.depths}


def check(
    space: Space, graph: Graph, definitions: Mapping[Symbol, Expr], run: Observed
) -> None:
    """Compare every operation of a graph with a run.

    Raises:
        OtherLengths: the same operations make other lengths.
        OtherAtDepth: they are others.
    """
    lines = live_lines(observed_lines(run), Sample(space, [run.flat]))
    expected = unfolded(graph, valued(run.at, definitions), valued(space.base, definitions))
    said = first_difference(expected, lines)
    if said:
        here = ", ".join(f"{n} = {v}" for n, v in run.at.items() if n in used(space))
        said = f"at {here} this module does something else than where it was fitted: {said}."
        alike = [*map(form_of, expected)] == [*map(form_of, lines)]
        raise OtherLengths(said, run.at) if alike else OtherAtDepth(said)


def form_of(line: Line) -> tuple[object, ...]:
    """Return what a line says without any number."""
    operation, path, arguments, *_ = line
    return operation, path, shape_of(arguments)


def valued(at: Mapping[str, int], definitions: Mapping[Symbol, Expr]) -> dict[Expr, Expr]:
    """Return the values of all sizes at a point, those that others decide too."""
    values: dict[Expr, Expr] = {Symbol(n): Integer(v) for n, v in at.items()}
    for s, e in definitions.items():
        values.setdefault(s, e.xreplace(values))
    return values


def live_lines(lines: list[tuple[object, ...]], sample: Sample) -> list[tuple[object, ...]]:
    """Return the lines of a run without what nobody uses, as a folded graph is."""
    graph = live(Assembler(sample).graph())
    return unfolded(graph, {})
