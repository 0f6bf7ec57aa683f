"""A PyTorch module traced: explored, run at many points, fitted, folded, deepened, verified."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import chain

import torch
from sympy import Expr, Symbol

from symledger.errors import BadInput
from symledger.sizes import named
from symledger.traces.alive import Eager
from symledger.traces.checked import Checked
from symledger.traces.component import TracedModule
from symledger.traces.graph import AS, ENTERS, Argued, Graph, Traced
from symledger.tracing.assemble import Assembler, TwoSided, Unfitted
from symledger.tracing.eager.moments import Looking, eager
from symledger.tracing.folds.fold import folded
from symledger.tracing.folds.observed import Observed
from symledger.tracing.modules.names import symbols_for
from symledger.tracing.modules.subject import Subject
from symledger.tracing.runs.bounds import bounded
from symledger.tracing.spaces.behind import numbered
from symledger.tracing.spaces.depth import (
    OtherAtDepth,
    OtherLengths,
    deepened,
    deeper,
    period,
    renamed,
)
from symledger.tracing.spaces.exploring import explored
from symledger.tracing.spaces.foretelling import check, showing, used, valued
from symledger.tracing.spaces.points import MORE, MOST_BORDERS, RANDOM, drawn, far_away, sampled
from symledger.tracing.spaces.sides import conditions
from symledger.tracing.spaces.space import Space

Told = Callable[[str], None]
NUMBER = re.compile(r"(?<![^.])\d+(?![^.])")
"""The number of a layer in a dotted name."""
MOST_FURTHER = 3
"""How often what was fitted is fitted anew, with a point more."""
MOST_DEPTHS = 2
"""At how many depths lengths may be others than at the one that they were fitted at."""
UNLIKE = "other depths are not more or fewer equal layers"
"""Why a depth keeps its value."""
HELD_OUT, TRIES = 4, 60
DEPTHS, OF_SEVERAL = (3, 4, 6, 8, 12), 2
"""How many layers deep a module is looked at, until all depths are as one of these shows; where
there are several depths, so many of these are tried before one of them is kept as it is."""


def trace(
    subject: Subject, asked: Mapping[str, str] | None = None, told: Told = lambda said: None,
    lengths: Mapping[str, int] | None = None, peaks: bool = False,
) -> tuple[Traced, Space]:  # fmt: skip
    """Trace a module.

    Args:
        subject: what is traced.
        asked: the symbols that were asked for, by argument.
        told: is told what goes on.
        lengths: how long what enters is to be, by axis.
        peaks: whether it is looked at what is in memory when.

    Raises:
        BadInput: the module cannot be traced; why, and where.
    """
    said = asked or {}
    try:
        return _traced(subject, said, told, lengths or {}, peaks)
    except BadInput:
        if not subject.loops:
            raise
    told("its loops are no scans: they stay as long as they are")
    return _traced(subject, said, told, lengths or {}, peaks, loops=False)


def _traced(
    subject: Subject, asked: Mapping[str, str], told: Told, lengths: Mapping[str, int],
    peaks: bool, loops: bool = True,
) -> tuple[Traced, Space]:  # fmt: skip
    """Trace a module; its loops as what they are, or written out.

    Raises:
        BadInput: the module cannot be traced so.
    """
    told("exploring its arguments")
    space = explored(subject, loops=loops)
    space.asked |= lengths
    try:
        graph, assembler, points = _at_some_depth(space, told)
    except OtherAtDepth:
        if not space.depths:
            raise
        told("its layers are no repetitions: there stay as many as there are")
        graph, assembler, points = _with_depths_kept(space, told)
    definitions, recording = assembler.definitions, assembler.sample.runs[0].recording
    own = space.asked
    told_rows = set(subject.rows.values())
    symbols = symbols_for([n for n in own if n in used(space) - told_rows], (), asked)
    to = {Symbol(n): named(s) for n, s in symbols.items()}
    to |= {s: named(s.name) for s in definitions}
    graph = numbered(graph, valued(own, definitions), valued(space.base, definitions))
    fixed = tuple(
        Argued(n, beside(space, n, str(v))) for n, v in subject.arguments.items()
        if n not in used(space) and not all_used(n, v, used(space) | space.ties.keys())
    )
    fixed += tuple(
        Argued(n, beside(space, n, str(space.base[n]))) for n in space.ties
        if n not in subject.arguments and space.is_argument(n)
    )
    fixed += tuple(Argued(n, str(v)) for n, v in subject.more.items())
    lengths_kept = (n for n in space.fixed if not space.is_argument(n))
    fixed += tuple(Argued(n, f"{space.base[n]}{ENTERS}") for n in lengths_kept)
    alive: tuple[Eager, ...] = ()
    seen: tuple[Checked, ...] = ()
    looking = Looking(space, assembler, period(graph), to, points) if peaks else None
    if looking:
        told("looking at what is in memory when")
        alive, found = eager(looking)
        seen = (found,)
    made = Traced(
        name=subject.name, source=subject.source, graph=renamed(bounded(graph), to),
        sizes={symbols[n]: own[n] for n in symbols},
        names={symbols[n]: n for n in symbols},
        definitions={to[s].name: e.xreplace(to) for s, e in definitions.items()},
        fixed=fixed, training=subject.training,
        points=tuple({symbols[n]: v for n, v in p.items() if n in symbols} for p in points),
        torch=torch.__version__,
        effects=noted(recording.effects), custom=noted(recording.custom),
        conditions=tuple(conditions(space, symbols)),
        eager=alive, checks=seen, looking=looking,
    )
    if subject.loops:
        TracedModule(made).program(made.name)
    return made, space


def _with_depths_kept(
    space: Space, told: Told
) -> tuple[Graph, Assembler, list[dict[str, int]]]:
    """Trace a module with as many layers as were asked for: by one depth if that does, else all."""
    depths, fixed, base, failed = space.depths, space.fixed, space.base, space.failed
    for kept in [*([n] for n in depths if len(depths) > 1), depths]:
        space.base = {**base, **{n: space.asked[n] for n in kept}}
        space.depths = [n for n in depths if n not in kept]
        space.fixed = [*fixed, *kept]
        space.failed = {**failed, **dict.fromkeys(kept, UNLIKE)}
        try:
            return _at_some_depth(space, told)
        except OtherAtDepth:
            if kept == depths:
                raise
    raise AssertionError


def beside(space: Space, name: str, value: str) -> str:
    """Return a fixed value with the sizes that it moves with, or have to stay on one side of it."""
    if name in space.ties:
        value = f"{value}{AS}{space.ties[name]}"
    why = [UNLIKE] if space.failed.get(name) == UNLIKE else []
    return ", and ".join([value, *why, *(str(b) for b in space.borders if b.other == name)])


def _at_some_depth(
    space: Space, told: Told
) -> tuple[Graph, Assembler, list[dict[str, int]]]:
    """Fit, fold and verify a module as few layers deep as shows how its layers repeat.

    A pattern of several layers shows only where it is there twice; what a shallow module does not
    show is found where it is verified, and looked for in a deeper one then.
    """
    refusal: BadInput | None = None
    points_drawn, others = RANDOM, 0
    depths = DEPTHS[: OF_SEVERAL if len(space.depths) > 1 else None]
    for depth in showing(space, depths) if space.depths else (0,):
        further: list[Mapping[str, int]] = []
        far: dict[str, list[Mapping[str, int]]] = {}
        before: Graph | None = None
        while len(further) <= MOST_FURTHER:
            try:
                if space.depths:
                    deeper(space, depth)
                told(f"running it at other sizes{f', {depth} layers deep' if depth else ''}")
                seen = [*further, *chain(*far.values())]
                assembler = Assembler(sampled(space, seen, points_drawn))
                written = assembler.graph()
                guessed = assembler.guessed & {*space.sizes} - far.keys()
                if guessed:  # all is fitted anew, on points far away as well
                    far |= {name: [*far_away(space, [name])] for name in guessed}
                    continue
                graph = deepened(space, folded(written))
                points = verified(space, graph, assembler.definitions, told, len(further))
            except TwoSided as error:
                if error.border in space.borders or len(space.borders) >= MOST_BORDERS:
                    raise
                space.borders.append(error.border)
                continue
            except Unfitted:  # a high power takes more points than most lengths do
                if points_drawn == MORE:
                    raise
                points_drawn = MORE
                continue
            except OtherLengths as error:  # a point more to fit: where the formula was too simple
                if space.depths and graph == before:  # it was not: they are others at this depth
                    others += 1
                    refusal = OtherAtDepth(str(error))
                    if others >= MOST_DEPTHS:
                        raise refusal from error
                    break
                before = graph
                further.append({**error.at, **{n: space.base[n] for n in space.depths}})
                refusal = error
                continue
            except OtherAtDepth as error:
                refusal = error
                break
            assembler.definitions |= rows(assembler)
            return graph, assembler, points
    assert refusal
    raise refusal


def noted(found: Iterable[tuple[str, str]]) -> tuple[Argued, ...]:
    """Return names with what goes with them, alike in all layers: ``*`` stands for a number."""
    alike = dict.fromkeys((NUMBER.sub("*", name), value) for name, value in found)
    return tuple(Argued(name or "forward", value) for name, value in alike)


def all_used(name: str, value: object, sizes: set[str]) -> bool:
    """Whether an argument is a list of which every part is a size."""
    several = isinstance(value, list | tuple) and value
    return bool(several) and all(f"{name}.{i}" in sizes for i in range(len(value)))  # type: ignore[arg-type]


def rows(assembler: Assembler) -> dict[Symbol, Expr]:
    """Return what rows that were told are on average, as quotients.

    Raises:
        BadInput: how many there are does not follow from the sizes.
    """
    runs = assembler.sample.runs
    found = {}
    for name in runs[0].told:
        whole, among = (
            assembler.points.fit(tuple(run.told[name][part] for run in runs)) for part in (0, 1)
        )
        if whole is None or among is None:
            raise BadInput(f"how many rows an expert gets, {name}, does not follow from the sizes.")
        found[Symbol(name)] = whole / among
    return found


def verified(
    space: Space, graph: Graph, definitions: Mapping[Symbol, Expr], told: Told, seed: int = 0
) -> list[dict[str, int]]:
    """Run the module at points that nothing was fitted on, and compare every operation.

    Raises:
        BadInput: it does something else there.
    """
    runs = held_out(space, period(graph), seed)
    for run in runs:
        here = ", ".join(f"{n} = {v}" for n, v in run.at.items() if n in used(space))
        told(f"checking it at {here}")
        check(space, graph, definitions, run)
    return [run.at for run in runs]


def held_out(space: Space, pattern: int, seed: int = 0) -> list[Observed]:
    """Run the module where it was asked for, and at other points, some of them of other depths."""
    rng = random.Random(20260202 + seed)  # noqa: S311  # points, no secrets
    found = [space.observe_once({**space.base, **space.asked})]
    for _ in range(TRIES):
        at = drawn(space, rng)
        for name in space.depths:
            at[name] = space.base[name] + (len(found) % 3) * 2 * pattern
        try:
            found.append(space.observe(at))
        except BadInput:
            continue
        if len(found) > HELD_OUT:
            return found
    refused = OtherAtDepth if space.depths else BadInput
    raise refused("this module refuses most sizes near those that it was given, so that nothing "
                  "could be verified: give it sizes that may be changed.")  # fmt: skip
