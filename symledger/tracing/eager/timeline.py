"""A step of training as formulas: what every operation adds to memory, and which rounds repeat.

Lemma. In a run of equal rounds every operation adds what the same one of the round before adds, by
construction: rounds are only taken together where these formulas are equal. So what is alive at an
operation of round r is that of the first round and r - 1 times what a round adds in all: linear in
r, and largest in the first round or in the last, however many there are. ∎
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from sympy import Expr, Integer, Mul, Symbol

from symledger.errors import BadInput
from symledger.traces.alive import How
from symledger.tracing.assemble import Assembler
from symledger.tracing.eager.folding import NUMBER, Insertion, forms, insertions
from symledger.tracing.eager.lengths import beside, fitted_on, own
from symledger.tracing.eager.live import Change, Lived, Storage
from symledger.tracing.eager.running import lived
from symledger.tracing.eager.serving import tokens_axis
from symledger.tracing.spaces.depth import OtherAtDepth
from symledger.tracing.spaces.fit import Points
from symledger.tracing.spaces.points import Sample
from symledger.tracing.spaces.space import Space

Net = tuple[tuple[str, int, Expr], ...]
"""What an operation changes: of each storage its kind, 1 or -1, and its bytes."""


@dataclass(frozen=True)
class Entry:
    """One operation, and what it changes."""

    way: str
    operation: str
    path: str
    net: Net

    @property
    def makes(self) -> bool:
        """Whether it makes a storage."""
        return any(sign > 0 for _, sign, _ in self.net)

    @property
    def ends(self) -> bool:
        """Whether a storage is gone with it."""
        return any(sign < 0 for _, sign, _ in self.net)


@dataclass(frozen=True)
class Run:
    """Operations that run ``times`` over: ``rounds`` of them, of ``length`` each, are there."""

    start: int
    length: int
    rounds: int
    depth: str
    times: Expr

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + self.length * self.rounds


@dataclass(frozen=True)
class Timeline:
    """All operations of a step, in order, and which of them repeat.

    ``apart`` are sizes that may not be equal: where they are, storages live otherwise. ``every``
    says of depths of how many one is meant, and of which: the rest of a division; of none but
    that one where it says none.
    """

    entries: tuple[Entry, ...]
    runs: tuple[Run, ...]
    apart: tuple[tuple[str, str], ...] = ()
    every: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def near(self, at: Mapping[str, int]) -> dict[str, int]:
        """Return a point with the next depths that are meant, and are there."""
        found = {**at, **{n: max(at[n], least) for n, least in self.least.items()}}
        for n, (step, rest) in self.every.items():
            found[n] += (rest - found[n]) % step if step else rest - found[n]
        return found

    @property
    def least(self) -> dict[str, int]:
        """How deep a module has to be at least for a round of each run to be there."""
        found: dict[str, int] = {}
        for run in self.runs:
            depth = Symbol(run.depth)
            none = run.times.xreplace({depth: Integer(0)})
            once = int((1 - none) / run.times.coeff(depth))
            found[run.depth] = max(found.get(run.depth, 0), once)
        return found

    def unfolded(self, at: Mapping[Expr, Expr]) -> Iterator[Entry]:
        """Yield the operations as they run at a point."""
        i = 0
        for run in self.runs:
            yield from self.entries[i : run.start]
            for _ in range(int(run.times.xreplace(dict(at)))):
                yield from self.entries[run.start : run.start + run.length]
            i = run.end
        yield from self.entries[i:]

    def totals(self, at: Mapping[Expr, Expr]) -> Iterator[int]:
        """Yield the bytes alive after every operation at a point."""
        known: dict[Expr, int] = {}
        now = 0
        for entry in self.unfolded(at):
            for _, sign, e in entry.net:
                if e not in known:
                    known[e] = int(e.xreplace(dict(at)))
                now += sign * known[e]
            yield now


TOGETHER = (2, 3, 4)
"""How many layers may be run again together, or otherwise be one round."""


@dataclass(frozen=True)
class Deep:
    """How deep a module is looked at, and by how many layers it is made deeper."""

    at: Mapping[str, int]
    step: int

    def deeper(self, at: Mapping[str, int]) -> Iterator[tuple[str, dict[str, int]]]:
        """Yield a point for each depth, where the module is deeper by that."""
        for name, n in self.at.items() if self.step else ():
            yield name, {**at, name: n + self.step}


def timeline(
    space: Space, assembler: Assembler, pattern: int, how: How,
    alone: Mapping[str, int] | None = None,
) -> Timeline:  # fmt: skip
    """Fit the storages of a step, and find out which of its operations repeat with the depth.

    Where those of one layer more are no equal rounds, those of several may be: layers that are run
    again together. Then it is of depths that many apart, the one that was asked for among them.
    With ``alone`` depths that are too shallow for that, it is of these, and of no others.

    Raises:
        BadInput: they are others at other sizes, no polynomials, or more than of equal rounds.
    """
    if alone:
        return _timeline(space, assembler, pattern, Deep(alone, 0), how)
    refusal: OtherAtDepth | None = None
    for deep in _depths(space, pattern):
        try:
            return _timeline(space, assembler, pattern, deep, how)
        except OtherAtDepth as error:
            refusal = refusal or error
    assert refusal
    raise refusal


def _depths(space: Space, pattern: int) -> Iterator[Deep]:
    """Yield how deep a module may be looked at: as it was, or with a round or two of several."""
    yield Deep({n: space.base[n] for n in space.depths}, pattern)
    for together in TOGETHER if space.depths else ():
        step = pattern * together
        near = {n: space.base[n] + (space.asked[n] - space.base[n]) % step for n in space.depths}
        yield Deep(near, step)
        yield Deep({n: at + step for n, at in near.items()}, step)


def _timeline(
    space: Space, assembler: Assembler, pattern: int, deep: Deep, how: How
) -> Timeline:
    first, *others = _places(space, assembler, deep, how)
    start = lived(space, first, how)
    longer_by = {
        name: insertions(forms(start.changes), forms(lived(space, at, how).changes))
        for name, at in deep.deeper(first)
    }
    runs = [start, *(lived(space, at, how) for at in others)]
    shapes = [_structure(run) for run in runs]
    same = [i for i, shape in enumerate(shapes) if shape == shapes[0]]
    longer = next((run for run in runs if len(run.changes) != len(runs[0].changes)), None)
    try:
        sizes = (*space.sizes, *own(how))
        apart = _apart(sizes, [run.at for run in runs], same)
    except BadInput as error:
        if longer is None:
            raise
        raise BadInput(
            f"{len(longer.changes)} operations run at {_where(longer.at, runs[0].at)}, and "
            f"{len(runs[0].changes)} at {_where(runs[0].at, longer.at)}: of loops over a length, "
            "as those over time are, what is in memory when is not derived"
        ) from error
    kept = [runs[i] for i in same]
    on = fitted_on(assembler, [r.at for r in kept]) if own(how) else _points(assembler, same)
    entries = _fitted(kept, on)
    found = _runs(longer_by, entries, deep)
    every = {
        n: (deep.step, at % deep.step if deep.step else at)
        for n, at in deep.at.items() if deep.step != pattern
    }
    return Timeline(entries, tuple(sorted(found, key=lambda run: run.start)), apart, every)


def _places(
    space: Space, assembler: Assembler, deep: Deep, how: How
) -> list[dict[str, int]]:  # fmt: skip
    """Return the points at which it is looked."""
    found = [{**run.at, **deep.at} for run in assembler.sample.runs]
    return [*beside(found, tokens_axis(space.subject))] if own(how) else found


def _apart(
    sizes: Sequence[str], at: Sequence[Mapping[str, int]], same: Sequence[int]
) -> tuple[tuple[str, str], ...]:
    """Return the sizes that are equal at no point like the first one, and at one that is not.

    Raises:
        BadInput: a point is unlike the first one, and no two sizes that are equal say why.
    """
    found: dict[tuple[str, str], None] = {}
    for i in set(range(len(at))) - set(same):
        pairs = [
            (a, b) for a, b in combinations(sizes, 2)
            if at[i][a] == at[i][b] and all(at[j][a] != at[j][b] for j in same)
        ]  # fmt: skip
        if not pairs:
            where = _where(at[i], at[0])
            raise BadInput(f"its storages live otherwise at {where} than at other sizes.")
        found |= dict.fromkeys(pairs)
    return tuple(found)


def _where(at: Mapping[str, int], other: Mapping[str, int]) -> str:
    """Write the sizes that differ from those of another point."""
    return ", ".join(f"{n} = {v}" for n, v in at.items() if v != other[n])


def _points(assembler: Assembler, kept: Sequence[int]) -> Points:
    """Return some of the points at which a module ran, with the sizes that others decide."""
    sample = assembler.sample
    if len(kept) == len(sample.runs):
        return assembler.points
    points = Sample(sample.space, [sample.runs[i] for i in kept]).points()
    for s, e in assembler.definitions.items():
        points.define(s, points.valued(e), e.free_symbols)
    return points


def _fitted(runs: Sequence[Lived], points: Points) -> tuple[Entry, ...]:
    first = runs[0]
    columns = zip(*([s.factors for c in run.changes for s in c.born] for run in runs), strict=True)
    bytes_of: dict[Storage, Expr] = {}
    for change in first.changes:
        for storage in change.born:
            factors = zip(*next(columns), strict=True)
            bytes_of[storage] = Mul(*(_fit(numbers, points, change) for numbers in factors))
    return tuple(_entry(change, bytes_of) for change in first.changes)


def _entry(change: Change, bytes_of: Mapping[Storage, Expr]) -> Entry:
    gone = sorted(((s.kind, -1, bytes_of[s]) for s in change.gone), key=str)
    net = (*((s.kind, 1, bytes_of[s]) for s in change.born), *gone)
    return Entry(change.way, change.operation, NUMBER.sub("*", change.path), net)


def _structure(run: Lived) -> list[object]:
    """What a run does to which of its storages, in order."""
    number = {s: i for i, s in enumerate(s for c in run.changes for s in c.born)}
    return [
        (c.way, c.operation, c.path, tuple((s.kind, len(s.factors)) for s in c.born),
         sorted(number[s] for s in c.gone))
        for c in run.changes
    ]  # fmt: skip


def _fit(numbers: tuple[int, ...], points: Points, change: Change) -> Expr:
    found = points.fit(numbers)
    if found is None:
        found = points.fit_with_defined(numbers)
    if found is None:
        raise BadInput(
            f"the length of what {change.operation} makes in {change.path or 'forward'}, "
            f"{change.way}, is no polynomial in the sizes: {numbers[0]:,} at first."
        )
    return found


def _runs(
    longer_by: Mapping[str, Sequence[Insertion]], entries: Sequence[Entry], deep: Deep
) -> Iterator[Run]:
    """Yield what repeats as a module is made deeper, for each depth.

    Raises:
        OtherAtDepth: the same operations repeat with two of them.
    """
    taken: set[int] = set()
    for name, several in longer_by.items():
        for found in several:
            run = _run(found, name, entries, deep.at[name], deep.step)
            own = set(range(run.start, run.end))
            if taken & own:
                raise OtherAtDepth(f"what repeats with {name} repeats with another depth too.")
            taken |= own
            yield run


def _run(found: Insertion, name: str, entries: Sequence[Entry], base: int, pattern: int) -> Run:
    """Return the rounds before a place that are equal, formulas and all."""
    length, end = found.length, found.place
    rounds = 1
    while end - (rounds + 1) * length >= 0 and (
        entries[end - (rounds + 1) * length : end - rounds * length]
        == entries[end - length : end]
    ):
        rounds += 1
    times = (Symbol(name) - base) / Integer(pattern) + rounds
    return Run(end - rounds * length, length, rounds, name, times)
