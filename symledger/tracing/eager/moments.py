"""Which moments of a step may be the largest, and whether PyTorch says the same of every one."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sympy import Expr, Integer, Symbol

from symledger import algebra
from symledger.algebra import Terms
from symledger.algebra.comparing import largest
from symledger.errors import BadInput, SymledgerError
from symledger.sizes import S_max
from symledger.traces.alive import FIRST, KINDS, LAST, WAYS, AliveAt, Eager, How
from symledger.traces.checked import ALIVE, Checked
from symledger.tracing.assemble import Assembler
from symledger.tracing.checking.checks import first_line
from symledger.tracing.eager.lengths import LENGTH, given, own
from symledger.tracing.eager.live import Lived
from symledger.tracing.eager.running import TYPES, lived
from symledger.tracing.eager.serving import tokens_axis
from symledger.tracing.eager.timeline import Entry, Timeline, timeline
from symledger.tracing.spaces.space import Space

Kinds = dict[str, Terms]
CLAIM = "bytes of all storages alive after every operation, as PyTorch runs it"
ONE = algebra.constant(1)


@dataclass(frozen=True)
class Looking:
    """A module at which it is looked what is in memory when, however a step of it is run.

    ``to`` are the symbols to write, ``points`` those that nothing was fitted on.
    """

    space: Space
    assembler: Assembler
    pattern: int
    to: Mapping[Expr, Expr]
    points: Sequence[Mapping[str, int]]
    known: dict[tuple[How, frozenset[tuple[str, int]]], Eager] = field(default_factory=dict)

    def __call__(self, how: How, alone: Mapping[str, int] | None = None) -> Eager:
        """Return what is in memory when; of some depths ``alone``, which may be shallow.

        Raises:
            BadInput: it cannot be said, or is not what PyTorch does at the further points.
        """
        key = how, frozenset((alone or {}).items())
        if key in self.known:
            return self.known[key]
        if how.dtype not in TYPES:
            raise BadInput(f"PyTorch builds no module in {how.dtype}: {', '.join(TYPES)} it does.")
        line = timeline(self.space, self.assembler, self.pattern, how, alone)
        alive = tuple(moments(line))
        for point in self.points:
            at = line.near(point)
            if own(how):
                at = given(at, tokens_axis(self.space.subject))
            wrong = difference(self.space, line, alive, self.assembler.definitions, at, how)
            if wrong:
                raise BadInput(wrong)
        found = Eager(how, alive, line.least, line.apart, line.every)
        to = {Symbol(LENGTH): S_max, **self.to} if own(how) else self.to
        self.known[key] = _in_symbols(found, to)
        return self.known[key]

    def at(self, how: How, sizes: Mapping[str, int]) -> Eager:
        """Return what is in memory when: of any depth if that can be said at these, by symbol.

        Raises:
            BadInput: it cannot be said.
        """
        found = self(how)
        own = {n: sizes.get(str(self.to.get(Symbol(n), n)), self.space.asked[n])
               for n in self.space.depths}  # fmt: skip
        least = {n: found.least.get(str(self.to.get(Symbol(n), n)), 0) for n in own}
        return self(how, own) if any(own[n] < least[n] for n in own) else found


def eager(looking: Looking) -> tuple[tuple[Eager, ...], Checked]:
    """Return what is in memory when, with and without gradients of what enters; and its check.

    Where it cannot be said, or is not what PyTorch does, there is nothing but the reason.
    """
    try:
        first = looking.at(How(), {})
        floats = any(x.dtype.startswith("float") for x in looking.space.subject.inputs)
        second = looking.at(How(False), {}) if floats else replace(first, how=How(False))
    except SymledgerError as error:
        return (), Checked(ALIVE, CLAIM, 0, "", False, first_line(error))
    return (first, second), Checked(ALIVE, CLAIM, len(looking.points))


def difference(
    space: Space, line: Timeline, alive: Iterable[AliveAt], definitions: Mapping[Symbol, Expr],
    at: Mapping[str, int], how: How,
) -> str:  # fmt: skip
    """Say after which operation other bytes are alive at a point; nothing where none are."""
    values: dict[Expr, Expr] = {Symbol(n): Integer(v) for n, v in at.items()}
    for s, e in definitions.items():
        values.setdefault(s, e.xreplace(values))
    run = lived(space, at, how)
    found = _difference(space, line, values, run)
    return found or other_peak(alive, values, run)


def other_peak(alive: Iterable[AliveAt], values: Mapping[Expr, Expr], run: Lived) -> str:
    """Say in which pass a run has more in memory than the moments, or less; nothing if in none."""
    ours, theirs = dict.fromkeys(WAYS, 0), dict.fromkeys(WAYS, 0)
    for m in alive:
        n = sum(int(e.xreplace(dict(values))) for e in m.bytes.values())
        ours[m.way] = max(ours[m.way], n)
    for change, n in zip(run.changes, run.totals, strict=True):
        if change.way in theirs:
            theirs[change.way] = max(theirs[change.way], n)
    wrong = [way for way in WAYS if ours[way] != theirs[way]]
    return "; ".join(
        f"the formula gives {ours[way]}, PyTorch {theirs[way]} as the most in the {way} pass"
        for way in wrong
    )


def _difference(space: Space, line: Timeline, values: Mapping[Expr, Expr], run: Lived) -> str:
    at = run.at
    here = ", ".join(f"{n} = {at[n]}" for n in (*space.sizes, *space.depths))
    ours, theirs = list(line.totals(values)), list(run.totals)
    for mine, its, change in zip(ours, theirs, run.changes, strict=False):
        if mine != its:
            return (f"the formula gives {mine}, PyTorch {its} after {change.operation} in "
                    f"{change.path or 'the module itself'}, {change.way}, at {here}")  # fmt: skip
    if len(ours) != len(theirs):
        return f"{len(theirs)} operations run, and not {len(ours)}, at {here}"
    return ""


def _in_symbols(eager: Eager, to: Mapping[Expr, Expr]) -> Eager:
    """Return what is in memory when in other symbols."""
    given = dict(to)

    def name(own: str) -> str:
        return str(given.get(Symbol(own), own))

    return Eager(
        eager.how,
        tuple(
            replace(m, bytes={kind: e.xreplace(given) for kind, e in m.bytes.items()})
            for m in eager.moments
        ),
        {name(own): n for own, n in eager.least.items()},
        tuple((name(a), name(b)) for a, b in eager.apart),
        {name(own): of for own, of in eager.every.items()},
    )


@dataclass(frozen=True)
class At:
    """What is alive after an operation, by kind."""

    number: int
    entry: Entry
    which: str
    kinds: Kinds

    @property
    def total(self) -> Terms:
        """All of it."""
        return algebra.add(self.kinds.values())


def moments(line: Timeline) -> Iterator[AliveAt]:
    """Yield the moments of each pass of which none is proven to be no larger than another."""
    every = list(_every(line))
    for way in WAYS:
        own = [m for m in every if m.entry.way == way]
        for _, m in largest((m.total, m) for m in own):
            kinds = {k: algebra.expression(m.kinds[k]) for k in KINDS if m.kinds.get(k)}
            yield AliveAt(way, m.entry.operation, m.entry.path, m.which, kinds)


def _every(line: Timeline) -> Iterator[At]:
    """Yield what is alive after every operation that makes something: in first and last rounds."""
    now: Kinds = {}
    i = 0
    for run in line.runs:
        now = yield from _through(line.entries, i, run.start, now, "")
        round_ = range(run.start, run.start + run.length)
        change = changed({}, (line.entries[j] for j in round_))
        times = algebra.terms(run.times)
        last = plus(now, change, algebra.subtract(times, ONE))
        yield from _through(line.entries, round_.start, round_.stop, now, FIRST)
        now = yield from _through(line.entries, round_.start, round_.stop, last, LAST)
        i = run.end
    yield from _through(line.entries, i, len(line.entries), now, "")


def _through(
    entries: Sequence[Entry], start: int, stop: int, now: Kinds, which: str
) -> Generator[At, None, Kinds]:
    """Yield what is alive after some operations in a row; return what is at their end.

    Before one after which nothing is gone before more is made, less is alive.
    """
    pending: At | None = None
    for j in range(start, stop):
        entry = entries[j]
        now = changed(now, (entry,))
        if pending and (entry.ends or entry.way != pending.entry.way):
            yield pending
            pending = None
        if entry.makes:
            pending = At(j, entry, which, now)
    if pending:
        yield pending
    return now


def changed(now: Kinds, entries: Iterable[Entry]) -> Kinds:
    """Return what is alive after operations, of what was before."""
    parts: dict[str, list[tuple[int, Terms]]] = {}
    for entry in entries:
        for kind, sign, e in entry.net:
            parts.setdefault(kind, []).append((sign, _terms(e)))
    return {**now, **{
        kind: algebra.combine([(1, now.get(kind, {})), *several])
        for kind, several in parts.items()
    }}  # fmt: skip


def plus(now: Kinds, change: Kinds, times: Terms) -> Kinds:
    """Return what is alive after so many equal changes."""
    return {
        kind: algebra.add([now.get(kind, {}), algebra.multiply(times, change.get(kind, {}))])
        for kind in {**now, **change}
    }


_known: dict[Expr, Terms] = {}


def _terms(e: Expr) -> Terms:
    if e not in _known:
        _known[e] = algebra.terms(e)
    return _known[e]
