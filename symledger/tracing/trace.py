"""A PyTorch module traced: explored, run at many points, fitted, folded, deepened, verified."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import torch
from sympy import Expr, Integer, Symbol

from symledger.errors import BadInput
from symledger.sizes import named
from symledger.traces.graph import Argued, Graph, Traced
from symledger.tracing.assemble import Assembler
from symledger.tracing.bounds import bounded
from symledger.tracing.depth import (
    OtherAtDepth,
    deepened,
    first_difference,
    observed_lines,
    period,
    renamed,
    unfolded,
)
from symledger.tracing.fold import folded, live
from symledger.tracing.names import symbols_for
from symledger.tracing.points import Sample, sampled
from symledger.tracing.space import Space, deeper, explored
from symledger.tracing.subject import Subject

Told = Callable[[str], None]
DEPTHS = (3, 4, 6, 8, 12)
"""How many layers deep a module is looked at, until all depths are as one of these shows."""


def trace(
    subject: Subject, asked: Mapping[str, str] | None = None, told: Told = lambda said: None,
    lengths: Mapping[str, int] | None = None,
) -> tuple[Traced, Space]:
    """Trace a module.

    Args:
        subject: what is traced.
        asked: the symbols that were asked for, by argument.
        told: is told what goes on.
        lengths: how long what enters is to be, by axis.

    Raises:
        BadInput: the module cannot be traced; why, and where.
    """
    told("exploring its arguments")
    space = explored(subject)
    space.asked |= lengths or {}
    graph, definitions, points = _at_some_depth(space, told)
    own = space.asked
    symbols = symbols_for([n for n in own if n in used(space)], (), asked or {})
    to = {Symbol(n): named(s) for n, s in symbols.items()}
    to |= {s: named(s.name) for s in definitions}
    fixed = tuple(
        Argued(n, str(v)) for n, v in subject.arguments.items()
        if n not in used(space) and f"{n}.0" not in space.base
    )
    made = Traced(
        name=subject.name, source=subject.source, graph=renamed(bounded(graph), to),
        sizes={symbols[n]: own[n] for n in symbols},
        names={symbols[n]: n for n in symbols},
        definitions={to[s].name: e.xreplace(to) for s, e in definitions.items()},
        fixed=fixed, training=subject.training,
        points=tuple({symbols[n]: v for n, v in p.items() if n in symbols} for p in points),
        torch=torch.__version__,
    )
    return made, space


def _at_some_depth(
    space: Space, told: Told
) -> tuple[Graph, dict[Symbol, Expr], list[dict[str, int]]]:
    """Fit, fold and verify a module as few layers deep as shows how its layers repeat.

    A pattern of several layers shows only where it is there twice; what a shallow module does not
    show is found where it is verified, and looked for in a deeper one then.
    """
    refusal: BadInput | None = None
    for depth in DEPTHS if space.depths else (0,):
        try:
            if space.depths:
                deeper(space, depth)
            told(f"running it at other sizes{f', {depth} layers deep' if depth else ''}")
            assembler = Assembler(sampled(space))
            graph = deepened(space, folded(assembler.graph()))
            points = verified(space, graph, assembler.definitions, told)
        except OtherAtDepth as error:
            refusal = error
            continue
        return graph, assembler.definitions, points
    assert refusal
    raise refusal


def used(space: Space) -> set[str]:
    """Return the arguments and free lengths that are sizes."""
    return {*space.sizes, *space.depths}


def verified(
    space: Space, graph: Graph, definitions: Mapping[Symbol, Expr], told: Told
) -> list[dict[str, int]]:
    """Run the module at points that nothing was fitted on, and compare every operation.

    Raises:
        BadInput: it does something else there.
    """
    points = held_out(space, period(graph))
    for at in points:
        told("checking it at " + ", ".join(f"{n} = {v}" for n, v in at.items() if n in used(space)))
        check(space, graph, definitions, at)
    return points


def check(
    space: Space, graph: Graph, definitions: Mapping[Symbol, Expr], at: Mapping[str, int]
) -> None:
    """Compare every operation of a graph with a run at a point.

    Raises:
        BadInput: they differ; where first.
    """
    values: dict[Expr, Expr] = {Symbol(n): Integer(v) for n, v in at.items()}
    for s, e in definitions.items():
        values[s] = e.xreplace(values)
    run = space.observe(at)
    numeric = Sample(space, [run])
    lines = observed_lines(run)
    expected = unfolded(graph, values)
    said = first_difference(expected, live_lines(lines, numeric))
    if said:
        here = ", ".join(f"{n} = {v}" for n, v in at.items() if n in used(space))
        raise OtherAtDepth(
            f"at {here} this module does something else than where it was fitted: {said}."
        )


def live_lines(lines: list[tuple[object, ...]], sample: Sample) -> list[tuple[object, ...]]:
    """Return the lines of a run without what nobody uses, as a folded graph is."""
    graph = live(Assembler(sample).graph())
    return unfolded(graph, {})


def held_out(space: Space, pattern: int) -> list[dict[str, int]]:
    """Return points to verify at: that which was asked for, and others of other depths."""
    import random

    from symledger.tracing.points import drawn

    rng = random.Random(20260202)  # noqa: S311  # points, no secrets
    found = [{**space.base, **space.asked}]
    tries = 0
    while len(found) < 5 and tries < 60:
        tries += 1
        at = drawn(space, rng)
        for name in space.depths:
            at[name] = space.base[name] + (len(found) % 3) * 2 * pattern
        try:
            space.observe(at)
        except BadInput:
            continue
        found.append(at)
    return found


__all__ = ["check", "replace", "trace", "verified"]
