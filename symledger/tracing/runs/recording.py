"""What one run of a module did, as data: steps, and which tensors came out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from symledger.traces.graph import LEAVES, TABLE, Block, Ref, makes_table


@dataclass
class Step:
    """One operation as it ran: its arguments, with numbers as they were."""

    operation: str
    arguments: dict[str, Any]
    results: tuple[tuple[tuple[int, ...], str], ...]
    path: str = ""
    line: str = ""
    within: tuple[Block, ...] = ()


@dataclass
class Recording:
    """All steps of one run, leaves among them, and which tensors came out."""

    steps: list[Step] = field(default_factory=list)
    outputs: tuple[Ref, ...] = ()
    effects: tuple[tuple[str, str], ...] = ()
    """Buffers and weights that are changed, and the operation that does so: running statistics."""
    custom: tuple[tuple[str, str], ...] = ()
    """Where an ``autograd.Function`` of the user's ran, and its name: its backward is not read."""
    kept: tuple[int, ...] = ()
    """Of each step, the place that it had before tables were collapsed."""


def collapsed(recording: Recording) -> Recording:
    """Leave out how tables are made: of what depends on no data and no weight, only the last stays.

    A table that something else uses, or that comes out, is a leaf.
    """
    fixed = fixed_steps(recording)
    wanted = {r.node for r in recording.outputs}
    for i, step in enumerate(recording.steps):
        if i not in fixed:
            wanted.add(i)
            wanted |= {r.node for r in refs_in(tuple(step.arguments.values()))}
    kept = sorted(wanted)
    place = {old: new for new, old in enumerate(kept)}

    def moved(x: Any) -> Any:
        if isinstance(x, Ref):
            return Ref(place[x.node], x.result)
        return tuple(map(moved, x)) if isinstance(x, tuple) else x

    steps = []
    for i in kept:
        step = recording.steps[i]
        arguments = {n: moved(x) for n, x in step.arguments.items()} if i not in fixed else None
        if step.operation in LEAVES or arguments is not None:
            steps.append(replace(step, arguments=arguments or dict(step.arguments)))
        else:
            steps.append(replace(step, operation=TABLE, arguments={"of": step.operation}))
    outputs = tuple(map(moved, recording.outputs))
    return Recording(steps, outputs, recording.effects, recording.custom, tuple(kept))


def fixed_steps(recording: Recording) -> set[int]:
    """Return the steps that depend on no data and no weight."""
    fixed: set[int] = set()
    for i, step in enumerate(recording.steps):
        refs = list(refs_in(tuple(step.arguments.values())))
        known = all(r.node in fixed for r in refs)
        made = step.operation in LEAVES or makes_table(step.operation, known)
        if made and step.operation not in ("input", "weight"):
            fixed.add(i)
    return fixed


def refs_in(x: Any) -> Iterator[Ref]:
    """Yield the tensors in an argument."""
    if isinstance(x, Ref):
        yield x
    elif isinstance(x, tuple):
        for each in x:
            yield from refs_in(each)
