"""Where a module is run so that its lengths can be fitted: at a base, and all around it."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from sympy import Expr, Symbol

from symledger.errors import BadInput
from symledger.tracing.folds.observed import Observed
from symledger.tracing.spaces.borders import Apart, Border, Indivisible
from symledger.tracing.spaces.fit import Points
from symledger.tracing.spaces.meeting import meetings, met
from symledger.tracing.spaces.sides import border, edge, same
from symledger.tracing.spaces.space import Space

SEED = 20260101
RANDOM, MORE, TRIES, FEW_REFUSED = 14, 42, 150, 3
MOST_DRAWN, MOST_BORDERS, MOST_AROUND = 1000, 8, 500
AGAIN = 3
"""How often a module is run again to see whether it does the same."""
AROUND, PLACES = 6, 12
"""How far from the base a size is changed at least, in its own steps; larger ones by half of
themselves. Every residue of small numbers occurs, and what is divided takes values enough: what
was heard to be rounded down, so many places."""

FAR = (401, 97, 41, 23)
"""By how many of its steps a size is changed once of which something is rounded down unheard."""


class Refused(BadInput):
    """A point at which a module does not run."""


class Otherwise(BadInput):
    """A point at which a module runs other operations, as one size is larger or smaller there.

    Or as some meet: as one is the sum of others.
    """

    def __init__(self, said: str, names: tuple[str, ...]) -> None:
        super().__init__(said)
        self.names = names


class Crowded(BadInput):
    """Hardly any point is taken; what has to keep its value that others are."""

    def __init__(self, said: str, names: tuple[str, ...]) -> None:
        super().__init__(said)
        self.names = names


@dataclass
class Sample:
    """Runs at many points, all of one structure."""

    space: Space
    runs: list[Observed] = field(default_factory=list)

    @property
    def parts(self) -> dict[Symbol, Expr]:
        """What can be changed by itself: sizes in their steps (d/h of d where h divides it)."""
        return parts_of(self.space)

    def side(self, numbers: tuple[int, ...]) -> Border | None:
        """Return the border up to which a length is one of two arguments, and then the other one.

        It is the smaller one of them, or the larger one, everywhere: as many as are asked for of
        as many as there are.
        """
        base = self.runs[0].at
        for one in self.space.sizes:
            for other in base:
                pairs = [(run.at[one], run.at[other]) for run in self.runs]
                if one != other and numbers in (tuple(map(min, pairs)), tuple(map(max, pairs))):
                    above = base[one] >= base[other]
                    return Border(one, other, above, 0)
        return None

    def valued(self, e: Expr) -> tuple[int, ...]:
        """Return an expression in the arguments at every point."""
        return tuple(self.space.value(e, run.at) for run in self.runs)

    def points(self) -> Points:
        """Return the points, with the value of every size and every part."""
        sizes = [Symbol(name) for name in self.space.sizes]
        parts, at = self.parts, []
        for run in self.runs:
            values = {s: run.at[s.name] for s in sizes}
            for part, e in parts.items():
                if part not in values:
                    values[part] = int(e.xreplace(values))
            at.append(values)
        return Points(sizes, parts, at)


def parts_of(space: Space) -> dict[Symbol, Expr]:
    """Return sizes in the steps in which they can be changed."""
    found: dict[Symbol, Expr] = {}
    for name in space.sizes:
        step = space.steps[name]
        own = Symbol(name)
        found[own if step == 1 else Symbol(f"{name}_part")] = own / step
    return found


def sampled(
    space: Space, further: Iterable[Mapping[str, int]] = (), random_points: int = RANDOM
) -> Sample:
    """Run a module at a base, with each size changed alone, at random points, and further ones.

    An argument on whose value depends what runs keeps it from now on.

    Raises:
        BadInput: what runs depends on a length that enters, or hardly any point is taken.
    """
    while True:
        try:
            return _sampled(space, further, random_points)
        except Otherwise as error:
            if not error.names or not all(map(space.is_argument, error.names)):
                raise
            for name in error.names:
                space.fix(name, str(error))


def _sampled(
    space: Space, further: Iterable[Mapping[str, int]], random_points: int
) -> Sample:
    rng = random.Random(SEED)  # noqa: S311  # points, no secrets
    base = space.observe_once(space.base)
    found = Sample(space, [base])
    for pairs in meetings(space):
        _meet(found, base, pairs)
    others = len(found.runs)
    for name in space.sizes:
        step = space.value(space.steps[name])
        for change in (step, -step, 2 * step, -2 * step):
            try:
                _add(found, base, space.moved({name: space.base[name] + change}), name)
            except Refused:
                continue
            break
        far = space.base[name] + wide(space, name) * step
        with suppress(Refused):  # alone, what is rounded down changes too
            if far > space.base[name]:
                _add(found, base, space.moved({name: far}), name)
    for asked in further:
        _add(found, base, asked, "")
    refused: list[dict[str, int]] = []
    while len(found.runs) < others + len(space.sizes) + random_points:
        if len(refused) > TRIES:
            raise Crowded(
                "this module refuses most sizes near those that it was given: what is legal could "
                f"not be found out. The last refusal: {space.failed.get('', 'none')}",
                tuple(_freeing(space, refused[-FEW_REFUSED:])),
            )
        at = drawn(space, rng)
        try:
            _add(found, base, at, "")
        except Refused as error:
            space.failed[""] = str(error)
            refused.append(at)
    return found


def _freeing(space: Space, refused: list[dict[str, int]]) -> list[str]:
    """Return the arguments with which as they were refused points are taken, as few as will do.

    Large ones are left out first: of a width and a number of heads, the heads stay.
    """
    own = filter(space.is_argument, space.sizes)
    kept = sorted(own, key=space.base.__getitem__, reverse=True)

    def taken(names: list[str]) -> bool:
        at = {n: space.base[n] for n in names}
        try:
            for point in refused:
                space.observe(space.tied({**point, **at}))
        except BadInput:
            return False
        return True

    if not taken(kept):
        return []
    for name in tuple(kept):
        rest = [n for n in kept if n != name]
        kept = rest if taken(rest) else kept
    return kept


def _meet(found: Sample, base: Observed, pairs: Sequence[Apart]) -> None:
    """Run a module where arguments are equal that are not; note which let it do otherwise then.

    Where it does otherwise, or refuses that, each half of the pairs meets by itself.
    """
    try:
        _add(found, base, met(found.space, pairs) or {}, "")
    except (Refused, Otherwise) as error:
        half = len(pairs) // 2
        if half:
            _meet(found, base, pairs[:half])
            _meet(found, base, pairs[half:])
        elif isinstance(error, Otherwise):
            found.space.borders.append(*pairs)


def drawn(space: Space, rng: random.Random) -> dict[str, int]:
    """Draw a point on this side of all borders.

    Raises:
        BadInput: there seems to be none.
    """
    for _ in range(MOST_DRAWN):
        at = _drawn(space, rng)
        if space.within(at):
            return at
    raise BadInput(f"hardly any sizes are such that {' and '.join(map(str, space.borders))}, as "
                   "those that were asked for are: give others.")  # fmt: skip


def _drawn(space: Space, rng: random.Random) -> dict[str, int]:
    """Draw a point: every size some of its steps from where it is at the base."""
    at = dict(space.base)
    for name in (n for n in space.in_order() if n in space.sizes):
        step = space.steps[name]
        here = space.base[name] // space.value(step)
        around = max(AROUND, here // 2)
        low = max(min(here, 2), here - around, -(-space.least.get(name, 1) // space.value(step)))
        high = low + 2 * max(around, wide(space, name))
        at[name] = rng.randint(low, high) * space.value(step, at)
    return space.tied(at)


def wide(space: Space, name: str) -> int:
    """Return how far a size has to be changed, in its steps, that what is rounded down changes."""
    step, found = space.value(space.steps[name]), 0
    for e in (e for e in space.floors if Symbol(name) in e.free_symbols):
        near, far = ({**space.base, name: n * step} for n in (PLACES, PLACES * PLACES))
        moved = space.value(e, far) - space.value(e, near)
        if 0 < moved < PLACES * (PLACES - 1):
            found = max(found, min(PLACES * PLACES * (PLACES - 1) // moved, MOST_AROUND) // 2)
    return found


def far_away(space: Space, names: Iterable[str]) -> Iterator[dict[str, int]]:
    """Yield a point for each of some sizes at which it is much larger, where the module takes one.

    Near the base, ⌊(x + 4)/3⌋ and ⌊(3x + 7)/8⌋ are the same.
    """
    base = space.observe_once(space.base)
    for name in sorted(names):
        for steps in FAR:
            more = steps * space.value(space.steps[name])
            at = space.moved({name: space.base[name] + more})
            with suppress(BadInput):
                if space.within(at) and space.observe(at).structure == base.structure:
                    yield at
                    break


def _add(found: Sample, base: Observed, at: Mapping[str, int], name: str) -> None:
    space = found.space
    if not at:
        raise Refused("sizes cannot be so together.")
    if min((at[n] for n in space.sizes), default=1) < 1:
        raise Refused("a size is at least 1.")
    try:
        run = space.observe(at)
    except BadInput as error:
        raise Refused(str(error)) from error
    if run.structure != base.structure:
        between = border(space, base, run) if len(space.borders) < MOST_BORDERS else None
        if between is None or between in space.borders:
            raise otherwise(space, base, run)
        space.borders.append(between)
        if isinstance(between, Indivisible):
            space.floors.append(between.pieces)
        raise Refused(f"other operations run unless {between}.")
    found.runs.append(run)


def otherwise(space: Space, base: Observed, run: Observed) -> Otherwise:
    """Say that a module runs other operations at a point, and from which size on."""
    if any(space.observe(base.at).structure != base.structure for _ in range(AGAIN)):
        return Otherwise(
            "which operations this module runs is not the same every time, with all sizes the "
            f"same ({difference(base, run)}). Let nothing in it depend on chance, or on how often "
            "it has run.", (),
        )  # fmt: skip
    meet = [n for n in space.sizes if apart(space, base, run, n)]
    names = tuple(n for n in meet if n in space.subject.arguments) or tuple(meet)
    here = ", ".join(f"{n} = {run.at[n]}" for n in space.sizes if run.at[n] != base.at[n])
    if len(meet) < 2:  # no meeting of several
        edges = ((n, edge(space, base, n, run.at[n])) for n in space.sizes)
        name, last = next(((n, last) for n, last in edges if last is not None), ("", 0))
        names = (name,) if name else ()
        side = "above" if run.at.get(name, 0) > last else "below"
        here = f"{name} = {run.at[name]}, and everywhere {side} {last}," if name else here
    names = names or tuple(turning(space, base, run)[:1])
    return Otherwise(
        f"which operations this module runs depends on a size: at {here} they are others than "
        f"before ({difference(base, run)}). Give that size a value of its own in the module, "
        "or trace it at sizes on one side of the change.", names,
    )  # fmt: skip


def turning(space: Space, base: Observed, run: Observed) -> list[str]:
    """Return the arguments of which one as it was makes a module do as it did, small ones first.

    Those that divide others come last.
    """
    dividing = {s.name for step in space.steps.values() for s in step.free_symbols}
    own = [n for n in space.sizes if space.is_argument(n) and run.at[n] != base.at[n]]
    return [
        n for n in sorted(own, key=lambda n: (n in dividing, base.at[n]))
        if same(space, base, {**{m: run.at[m] for m in space.sizes}, n: base.at[n]})
    ]


def apart(space: Space, base: Observed, run: Observed, name: str) -> bool:
    """Whether a module does at a point what it does elsewhere as soon as one size is another."""
    step = space.value(space.steps[name], run.at)
    try:
        beside = space.observe(space.tied({**run.at, name: run.at[name] + step}))
    except BadInput:
        return False
    return beside.structure == base.structure


def difference(a: Observed, b: Observed) -> str:
    """Say where two runs part."""
    for mine, its, step in zip(a.structure, b.structure, b.recording.steps, strict=False):
        if mine != its:
            return f"{its[0]} in {step.path or 'forward'}, {step.line}"
    return f"{len(b.structure):,} operations in place of {len(a.structure):,}"
