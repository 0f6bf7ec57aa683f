"""One run to compare with, of a traced class at a small point, or of a module as it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np
import torch
from sympy import Expr, Integer, Symbol

from symledger.errors import BadInput
from symledger.sizes import named
from symledger.traces.graph import Graph, Traced
from symledger.tracing.assemble import Assembler
from symledger.tracing.checking.numeric import Differences, compare
from symledger.tracing.checking.real import Ran, Wide, double_precision, moved, run_for_real
from symledger.tracing.folds.fold import folded
from symledger.tracing.folds.graphs import times_of
from symledger.tracing.folds.observed import Observed
from symledger.tracing.modules.subject import DTYPES, Subject
from symledger.tracing.runs.bounds import bounded, least
from symledger.tracing.runs.routes import place_of
from symledger.tracing.spaces.depth import first_difference, observed_lines
from symledger.tracing.spaces.depth import unfolded as unfolded_lines
from symledger.tracing.spaces.foretelling import live_lines
from symledger.tracing.spaces.points import Sample
from symledger.tracing.spaces.small import small_point
from symledger.tracing.spaces.space import Space, unfolded

SEED = 20260303


def compare_run(
    subject: Subject, traced: Traced, space: Space, at: Mapping[str, int] | None = None
) -> tuple[Differences, dict[str, int]]:
    """Compare a traced class with its real run, at a small point; return that too.

    Raises:
        BadInput: what it runs on the processor is something else, or not understood.
    """
    to = {named(s): Symbol(n) for s, n in traced.names.items()}
    times = [t.xreplace(to) for t in times_of(traced.graph)]
    at = at or small_point(space, times, lambda run: bool(subject.rows) or told(traced, space, run))
    ran = real_run(subject, traced.graph, at, sizes_at(traced, at))
    if subject.rows:  # routes are what they are there: rows of one expert are others than told
        graph = bounded(Assembler(Sample(space, [Observed(dict(at), ran.recording)])).graph())
        found = compare(folded(graph), {}, ran)
        said = tuple(routed(subject, traced, ran, at))
        return replace(found, routed=said), dict(at)
    points = tuple(sizes_at(traced, {traced.names[n]: v for n, v in p.items()} )
                   for p in traced.points)  # fmt: skip
    return compare(traced.graph, sizes_at(traced, at), ran, points), dict(at)


def told(traced: Traced, space: Space, run: Observed) -> bool:
    """Whether a trace foretells every length of a run."""
    here, base = (
        {s: Integer(n) for s, n in sizes_at(traced, at).items()} for at in (run.at, space.base)
    )
    lines = live_lines(observed_lines(run), Sample(space, [run.flat]))
    return not first_difference(unfolded_lines(traced.graph, here, base), lines)


def routed(subject: Subject, traced: Traced, ran: Ran, at: Mapping[str, int]) -> Iterator[str]:
    """Say how many rows experts got in a run, beside those that were told."""
    own = {named(s): Integer(at[n]) for s, n in traced.names.items()}
    for place, name in subject.rows.items():
        rows = [
            step.results[0][0][0] for step in ran.recording.steps
            if step.operation == "aten.nonzero" and place_of(step.path, step.line) == place
        ]  # fmt: skip
        told = traced.definitions[name].xreplace(own) * len(rows)
        yield (f"routed as it is there, {min(rows)} … {max(rows)} rows for an expert, "
               f"{sum(rows)} in all where {told} are told")  # fmt: skip


def sizes_at(traced: Traced, at: Mapping[str, int]) -> dict[Expr, int]:
    """Return the sizes of a trace at a point, those that others decide too."""
    own = {named(s): Integer(at[n]) for s, n in traced.names.items()}
    defined: dict[Expr, Expr] = {}
    for s, e in traced.definitions.items():
        known = Integer(at[s]) if s in at else None
        defined[named(s)] = known or e.xreplace({**own, **defined})
    return {s: int(n) for s, n in {**own, **defined}.items()}


def real_run(
    subject: Subject, graph: Graph, at: Mapping[str, int], sizes: Mapping[Expr, int]
) -> Ran:
    """Build and run a class for real at a point, on random inputs."""
    values: dict[Expr, Expr] = {s: Integer(v) for s, v in sizes.items()}
    below = {
        str(n.arguments["name"]): least(n.arguments["below"], values)
        for _, n in graph.of("input") if "below" in n.arguments
    }  # fmt: skip
    refusal: BadInput | None = None
    found: Ran | None = None
    for floats in (torch.randn, torch.rand):
        try:
            with double_precision(SEED):
                with Wide():
                    built = subject.build(unfolded(subject, at), "cpu")
                module = moved(built)
                inputs = {
                    x.name: drawn(tuple(x.made(at).shape), DTYPES[x.dtype], below.get(x.name, 2),
                                  floats)
                    for x in subject.inputs
                }  # fmt: skip
                ran = run_for_real(module, inputs, lambda m, given: subject.run(m, given, "cpu"),
                                   subject.loops)
        except BadInput as error:  # what enters may have to be probabilities
            refusal = refusal or error
            continue
        found = found or ran
        if all(np.isfinite(ran.values[r.node][r.result]).all() for r in ran.recording.outputs):
            return ran
    if found:
        return found
    assert refusal
    raise refusal


def drawn(
    shape: tuple[int, ...], dtype: torch.dtype, below: int,
    floats: Callable[[tuple[int, ...]], torch.Tensor],
) -> torch.Tensor:  # fmt: skip
    """Draw a tensor: normal numbers, or others, or whole ones below a bound."""
    if dtype.is_floating_point:
        return floats(shape)
    return torch.randint(0, below, shape).to(dtype)


def compare_module(
    module: torch.nn.Module, *inputs: torch.Tensor, fold: bool = True
) -> Differences:
    """Compare a module as it stands, on some inputs, with its own record: for tests of rules."""
    with double_precision(SEED):
        given = {f"x{i}": x.double() if x.is_floating_point() else x for i, x in enumerate(inputs)}
        ran = run_for_real(moved(module), given, lambda m, g: m(*g.values()))
    subject = Subject(type(module).__name__, "", type(module), {}, lambda values: module)
    sample = Sample(Space(subject, {}), [Observed({}, ran.recording)])
    graph = bounded(Assembler(sample).graph())
    return compare(folded(graph) if fold else graph, {}, ran)
