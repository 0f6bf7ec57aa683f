"""A saved trace compared with its module at a further point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sympy import Expr, Integer

from symledger.algebra.parsing import parse_size
from symledger.errors import BadInput, CheckFailed, nearest, shown
from symledger.sizes import named
from symledger.traces.graph import AS, ENTERS, Traced
from symledger.tracing.checking.checks import together, verify
from symledger.tracing.eager.further import compared
from symledger.tracing.modules.asked import configuration_keys
from symledger.tracing.modules.classes import found, located
from symledger.tracing.modules.configured import by_own_names
from symledger.tracing.modules.lists import pattern_of
from symledger.tracing.modules.settings import valued
from symledger.tracing.modules.subject import Subject
from symledger.tracing.runs.routes import FIRST_ROWS, ROWS
from symledger.tracing.spaces.depth import first_difference, observed_lines, unfolded
from symledger.tracing.spaces.foretelling import live_lines
from symledger.tracing.spaces.points import Sample
from symledger.tracing.spaces.space import Space, whole_numbers

DTYPES = {"int": "int64", "float": "float32", "bool": "bool"}


def verified_at(
    traced: Traced, settings: Mapping[str, str], config: Mapping[str, Any] | None = None
) -> Traced:
    """Return a trace with one more point at which its module did what it says.

    The keys of a configuration are settings too; those that are no sizes must be what was traced.

    Raises:
        BadInput: the module cannot be built there, or is not there any more.
        CheckFailed: it does something else there; what first.
    """
    subject = subject_of_trace(traced, config)
    keys = by_own_names(subject.kind, config or {})
    at = point(traced, {**sizes_of(traced, keys), **parts_of(traced, settings)})
    at |= told_rows(traced)
    at = {n: v for n, v in whole_numbers(subject).items() if "." in n} | at  # lists are whole
    space = Space(subject, at, dict(at))
    run = space.observe(at)
    values, base = (valued_at(traced, there) for there in (at, point(traced, {})))
    values |= {named(s): Integer(n) for s, n in told_rows(traced).items()}
    lines = live_lines(observed_lines(run), Sample(space, [run.flat]))
    said = first_difference(unfolded(traced.graph, values, base), lines)
    if said:
        place = ", ".join(f"{s} = {at[own]}" for s, own in traced.names.items())
        raise CheckFailed(f"at {place} {traced.name} does something else than this trace: {said}.")
    here = {s: at[own] for s, own in traced.names.items()}
    others = tuple(p for p in traced.points if dict(p) != here)
    more = (*compared(traced, space, at, values), *verify(traced, space.subject, at))
    return replace(traced, points=(*others, here), checks=together(traced.checks, more))


def told_rows(traced: Traced) -> dict[str, int]:
    """Return how many rows are told to experts when the module runs: any number will do."""
    rows = sorted(s for s in traced.definitions if ROWS.fullmatch(s))
    return {s: FIRST_ROWS + i for i, s in enumerate(rows, 1)}


def valued_at(traced: Traced, at: Mapping[str, int]) -> dict[Expr, Expr]:
    """Return the values of all symbols where arguments have some values."""
    values: dict[Expr, Expr] = {named(s): Integer(at[own]) for s, own in traced.names.items()}
    for name, e in traced.definitions.items():
        values[named(name)] = e.xreplace(values)
    return values


def point(traced: Traced, settings: Mapping[str, str]) -> dict[str, int]:
    """Return the sizes of a trace, some of them set anew by symbol or by argument."""
    at = {own: traced.sizes[s] for s, own in traced.names.items()}
    for name, text in settings.items():
        own = traced.names.get(name, name)
        if own not in at:
            known = [*traced.names, *at]
            raise BadInput(f"{shown(name)} is no size of this trace. {nearest(name, known)}")
        at[own] = parse_size(name, text)
    return at | {n: at[of] for n, of in tied(traced).items() if of in at}


def parts_of(traced: Traced, settings: Mapping[str, str]) -> dict[str, str]:
    """Return settings of which lists are said part by part: ``depths=[2, 2]`` as ``depths.0``, ….

    Raises:
        BadInput: a list is no longer or shorter one here than what was traced.
    """
    found: dict[str, str] = {}
    known = {*traced.names.values(), *(n for n in tied(traced) if "." in n)}
    for name, text in settings.items():
        parts = [n for n in known if n.rpartition(".")[0] == name]
        if not parts or name in known:
            found[name] = text
            continue
        values = [v.strip() for v in text.strip().strip("[]()").split(",") if v.strip()]
        fixed = fixed_of(traced).get(name)
        whole = listed(fixed) if fixed is not None else ["?"] * len(parts)
        if len(values) != len(whole):
            raise BadInput(
                f"{name} is a list of {len(whole)} numbers in this trace, not of {len(values)}: "
                f"set it as in {name}=[{', '.join('1' * len(whole))}]."
            )
        for i, value in enumerate(values):
            of = tied(traced).get(f"{name}.{i}", "").rpartition(".")[2]
            if of and value != values[int(of)]:
                raise BadInput(f"{name}[{i}] is as large as {name}[{of}] in this trace: trace the "
                               f"module anew with {value}.")  # fmt: skip
            if of:
                continue
            if f"{name}.{i}" in parts:
                found[f"{name}.{i}"] = value
            elif value != whole[i]:
                raise BadInput(f"{name}[{i}] is {whole[i]} in this trace, whatever its sizes are: "
                               f"trace the module anew with {value}.")  # fmt: skip
    return found


def sizes_of(traced: Traced, config: Mapping[str, Any]) -> dict[str, str]:
    """Return the keys of a configuration that are sizes of a trace, as settings.

    Raises:
        BadInput: another key is not what was traced.
    """
    fixed, moves = fixed_of(traced), tied(traced)
    own = set(traced.names.values())
    own |= {n.rpartition(".")[0] for n in own}
    found = {}
    for name, value in config.items():
        if name in own:
            found[name] = str(value)
        elif name in fixed and not alike(str(config.get(moves.get(name, ""), fixed[name])), value):
            raise BadInput(
                f"the configuration has {name} = {value}, and this trace was made with "
                f"{fixed[name]}: trace the module anew with this configuration."
            )
    return parts_of(traced, found)


def fixed_of(traced: Traced) -> dict[str, str]:
    """Return the fixed arguments, without what is said of the sizes that stay on one side."""
    own = (a for a in traced.fixed if not a.value.endswith(ENTERS))
    return {a.name: a.value.partition(", and ")[0].partition(AS)[0] for a in own}


def tied(traced: Traced) -> dict[str, str]:
    """Return the arguments that are as large as others, with those."""
    parts = ((a.name, a.value.partition(", and ")[0].partition(AS)[2]) for a in traced.fixed)
    return {name: of for name, of in parts if of}


def alike(text: str, value: Any) -> bool:
    """Whether a fixed argument of a trace is what a configuration says."""
    return text == str(value) or valued(text, None) == value


def listed(text: str) -> list[str]:
    """Return the parts of a list as they are written."""
    return [part.strip() for part in text.strip("[]()").split(",") if part.strip()]


def subject_of_trace(traced: Traced, config: Mapping[str, Any] | None = None) -> Subject:
    """Return what was traced: the same class, with the same arguments and inputs.

    A configuration may say more than its class has fields for.
    """
    texts = tuple(
        f"{n.arguments['name']}: {DTYPES[n.results[0].elements]} "
        f"({', '.join(axis(e, traced) for e in n.results[0].shape)})"
        for _, n in traced.graph.of("input")
    )
    own = {own: str(traced.sizes[s]) for s, own in traced.names.items()}
    fixed = fixed_of(traced)
    own |= {n: value for n, value in fixed.items() if "." in n}
    lists: dict[str, list[str]] = {}
    for name in sorted((n for n in own if "." in n), key=lambda n: int(n.rpartition(".")[2])):
        lists.setdefault(name.rpartition(".")[0], []).append(own[name])
    free = {name for text in texts for name in text.partition("(")[2].rstrip(")").split(", ")}
    settings = {n: v for n, v in own.items() if n not in free and "." not in n}
    settings |= {n: f"[{', '.join(values)}]" for n, values in lists.items()}
    settings |= {n: value for n, value in fixed.items() if "." not in n}
    target = f"{traced.source}:{traced.name}"
    known = configuration_keys(located(target)[0])
    if known is not None:  # what its configuration said beyond the fields of its class
        more = {n: valued(v, None) for n, v in fixed.items() if "." not in n and n not in known}
        config = {**more, **(config or {})}
    made = found(target, settings, texts, traced.training, config)
    loops = [node for graph in traced.graph.bodies for _, node in graph.of("loop")]
    made.loops = bool(loops)
    made.lists = frozenset(pattern_of(path) for node in loops for path in node.beside)
    return made


def axis(e: Expr, traced: Traced) -> str:
    """Return the length of an input as it was typed: a size by its own name, or a number."""
    return traced.names.get(str(e), str(e))
