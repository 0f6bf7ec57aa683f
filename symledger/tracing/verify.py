"""A saved trace compared with its module at a further point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sympy import Expr, Integer

from symledger.algebra.parsing import parse_size
from symledger.errors import BadInput, CheckFailed, nearest, shown
from symledger.sizes import named
from symledger.traces.graph import Traced
from symledger.tracing.checks import together, verify
from symledger.tracing.depth import first_difference, observed_lines, unfolded
from symledger.tracing.points import Sample
from symledger.tracing.space import Space
from symledger.tracing.subject import Subject, found
from symledger.tracing.trace import live_lines

DTYPES = {"int": "int64", "float": "float32", "bool": "bool"}


def verified_at(traced: Traced, settings: Mapping[str, str]) -> Traced:
    """Return a trace with one more point at which its module did what it says.

    Raises:
        BadInput: the module cannot be built there, or is not there any more.
        CheckFailed: it does something else there; what first.
    """
    at = point(traced, settings)
    space = Space(subject_of_trace(traced), at, dict(at))
    run = space.observe(at)
    values: dict[Expr, Expr] = {named(s): Integer(at[own]) for s, own in traced.names.items()}
    for name, e in traced.definitions.items():
        values[named(name)] = e.xreplace(values)
    lines = live_lines(observed_lines(run), Sample(space, [run.flat]))
    said = first_difference(unfolded(traced.graph, values), lines)
    if said:
        place = ", ".join(f"{s} = {at[own]}" for s, own in traced.names.items())
        raise CheckFailed(f"at {place} {traced.name} does something else than this trace: {said}.")
    here = {s: at[own] for s, own in traced.names.items()}
    others = tuple(p for p in traced.points if dict(p) != here)
    more = verify(traced, space.subject, at)
    return replace(traced, points=(*others, here), checks=together(traced.checks, more))


def point(traced: Traced, settings: Mapping[str, str]) -> dict[str, int]:
    """Return the sizes of a trace, some of them set anew by symbol or by argument."""
    at = {own: traced.sizes[s] for s, own in traced.names.items()}
    for name, text in settings.items():
        own = traced.names.get(name, name)
        if own not in at:
            known = [*traced.names, *at]
            raise BadInput(f"{shown(name)} is no size of this trace. {nearest(name, known)}")
        at[own] = parse_size(name, text)
    return at


def subject_of_trace(traced: Traced) -> Subject:
    """Return what was traced: the same class, with the same arguments and inputs."""
    texts = tuple(
        f"{n.arguments['name']}: {DTYPES[n.results[0].elements]} "
        f"({', '.join(axis(e, traced) for e in n.results[0].shape)})"
        for _, n in traced.graph.of("input")
    )
    own = {own: str(traced.sizes[s]) for s, own in traced.names.items()}
    free = {name for text in texts for name in text.partition("(")[2].rstrip(")").split(", ")}
    settings = {n: v for n, v in own.items() if n not in free and "." not in n}
    settings |= {a.name: a.value for a in traced.fixed}
    made = found(f"{traced.source}:{traced.name}", settings, texts, traced.training)
    made.loops = any(graph.of("loop") for graph in traced.graph.bodies)
    return made


def axis(e: Expr, traced: Traced) -> str:
    """Return the length of an input as it was typed: a size by its own name, or a number."""
    return traced.names.get(str(e), str(e))
