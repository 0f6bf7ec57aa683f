"""A step of training as formulas: what every operation adds to memory, and which rounds repeat.

Lemma. In a run of equal rounds every operation adds what the same one of the round before adds, by
construction: rounds are only taken together where these formulas are equal. So what is alive at an
operation of round r is that of the first round and r - 1 times what a round adds in all: linear in
r, and largest in the first round or in the last, however many there are. ∎
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sympy import Expr, Integer, Mul, Symbol

from symledger.errors import BadInput
from symledger.tracing.assemble import Assembler
from symledger.tracing.depth import OtherAtDepth
from symledger.tracing.eager.folding import NUMBER, Insertion, forms, insertions
from symledger.tracing.eager.live import Change, Lived, Storage, lived
from symledger.tracing.space import Space

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
    """All operations of a step, in order, and which of them repeat."""

    entries: tuple[Entry, ...]
    runs: tuple[Run, ...]

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


def timeline(
    space: Space, assembler: Assembler, pattern: int, input_gradient: bool
) -> Timeline:
    """Fit the storages of a step, and find out which of its operations repeat with the depth.

    Raises:
        BadInput: they are others at other sizes, no polynomials, or more than of equal rounds.
    """
    runs = [lived(space, run.at, input_gradient) for run in assembler.sample.runs]
    entries = _fitted(runs, assembler)
    found = _runs(space, runs[0], entries, pattern, input_gradient)
    return Timeline(entries, tuple(sorted(found, key=lambda run: run.start)))


def _fitted(runs: Sequence[Lived], assembler: Assembler) -> tuple[Entry, ...]:
    first = runs[0]
    shape = _structure(first)
    for run in runs[1:]:
        if _structure(run) != shape:
            where = ", ".join(f"{n} = {v}" for n, v in run.at.items() if v != first.at[n])
            raise BadInput(f"its storages live otherwise at {where} than at other sizes.")
    columns = zip(*([s.factors for c in run.changes for s in c.born] for run in runs), strict=True)
    bytes_of: dict[Storage, Expr] = {}
    for change in first.changes:
        for storage in change.born:
            factors = zip(*next(columns), strict=True)
            bytes_of[storage] = Mul(*(_fit(numbers, assembler, change) for numbers in factors))
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


def _fit(numbers: tuple[int, ...], assembler: Assembler, change: Change) -> Expr:
    found = assembler.points.fit(numbers)
    if found is None:
        found = assembler.points.fit_with_defined(numbers)
    if found is None:
        raise BadInput(
            f"the length of what {change.operation} makes in {change.path or 'forward'}, "
            f"{change.way}, is no polynomial in the sizes: {numbers[0]:,} at first."
        )
    return found


def _runs(
    space: Space, first: Lived, entries: Sequence[Entry], pattern: int, input_gradient: bool
) -> Iterator[Run]:
    """Yield what repeats as a module is made deeper, for each depth.

    Raises:
        OtherAtDepth: no equal rounds do.
    """
    taken: set[int] = set()
    for name in space.depths:
        deeper = {**space.base, name: space.base[name] + pattern}
        other = lived(space, deeper, input_gradient)
        for found in insertions(forms(first.changes), forms(other.changes)):
            run = _run(found, name, entries, space.base[name], pattern)
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
