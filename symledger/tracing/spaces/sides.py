"""On which side of a border a module is at two points, and where the border lies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from symledger.errors import BadInput
from symledger.traces.graph import Condition
from symledger.tracing.folds.observed import Observed
from symledger.tracing.spaces.borders import RELATIONS, Apart, Border, Indivisible
from symledger.tracing.spaces.space import Space


def border(space: Space, base: Observed, run: Observed) -> Border | Apart | Indivisible | None:
    """Return the border that lies between two points at which other operations run."""
    return _met(space, base, run) or _divided(space, base, run) or _passed(space, base, run)


def _met(space: Space, base: Observed, run: Observed) -> Apart | None:
    """Return two sizes that are equal at a point and nowhere else where the base's run is."""
    for name, other in combinations(space.sizes, 2):
        equal = run.at[name]
        if run.at[other] == equal and base.at[other] != base.at[name]:
            step = space.value(space.steps[name])
            at, beside = {name: equal, other: equal}, {name: equal + step, other: equal}
            if same(space, base, at) is False and same(space, base, beside) is True:
                return Apart(name, other)
    return None


def _divided(space: Space, base: Observed, run: Observed) -> Indivisible | None:
    """Return the argument that divides a size at a point, and does nowhere the base's run is."""
    for name in space.sizes:
        pieces = (n for n in space.base if n != name and space.is_argument(n)
                  and min(base.at[n], run.at[n]) > 1)  # fmt: skip
        for found in (Indivisible(name, other) for other in pieces):
            if found.holds(base.at) and not found.holds(run.at) and _cut(space, base, found):
                return found
    return None


def _cut(space: Space, base: Observed, found: Indivisible) -> bool:
    """Whether a size is cut into pieces of an argument: multiples of that are another thing."""
    name, other = found.name, found.other
    piece = base.at[other]
    first = base.at[name] // piece * piece + piece
    whole, beside = {name: first}, {name: first + space.value(space.steps[name])}
    if same(space, base, whole) is not False or same(space, base, beside) is not True:
        return False
    moved = ({name: first, other: piece + n} for n in (1, -1, 2))
    return any(found.holds(at) and same(space, base, at) for at in moved)


def _passed(space: Space, base: Observed, run: Observed) -> Border | None:
    """Return the argument that a size passes between two points."""
    for name, value in beyond(space, base, run):
        last = edge(space, base, name, value)
        if last is None:
            continue
        above = run.at[name] < base.at[name]
        for other, value in space.base.items():
            by = last - value
            if other != name and other not in space.depths and (above, by) in RELATIONS:
                found = Border(name, other, above, by)
                if _confirmed(space, base, found, last):
                    return found
    return None


def beyond(space: Space, base: Observed, run: Observed) -> Iterator[tuple[str, int]]:
    """Yield where a size may have passed a border: at a point, or just past what it passes there.

    Where both have moved, the size alone may not have passed the other one.
    """
    yield from ((name, run.at[name]) for name in space.sizes)
    for name in space.sizes:
        step = space.value(space.steps[name])
        for other, value in space.base.items():
            here, there = (x.at[name] - x.at[other] for x in (base, run))
            just = value + step if here < 0 else value - step
            if other != name and space.is_argument(other) and here * there <= 0 < min(just, value):
                yield name, just


def edge(space: Space, base: Observed, name: str, value: int) -> int | None:
    """Return the last value of a size, on the way to another one, that runs what the base runs.

    None if the other value runs that too, all else as in the base.
    """
    step = space.value(space.steps[name])
    here = base.at[name]
    there = _within(space, base, name, here, here + (value - here) // step * step)
    if there == here or same(space, base, {name: there}) is not False:
        return None
    while abs(there - here) > step:
        middle = _within(space, base, name, here, here + (there - here) // step // 2 * step)
        if same(space, base, {name: middle}) is False:
            there = middle
        else:
            here = middle
    return here


def _within(space: Space, base: Observed, name: str, here: int, value: int) -> int:
    """Return a value of a size, or the next one before that is within all other borders."""
    step = space.value(space.steps[name])
    back = -step if value > here else step
    near = (n for n in range(value, here, back) if space.within({**base.at, name: n}))
    return next(near, value)


def _confirmed(space: Space, base: Observed, found: Border, last: int) -> bool:
    """Whether a border moves with the argument that it is said to lie at."""
    moved = {found.other: space.base[found.other] + (1 if found.above else -1)}
    near = same(space, base, {**moved, found.name: last})
    return near is False and (last == base.at[found.name] or same(space, base, moved) is True)


def same(space: Space, base: Observed, changed: Mapping[str, int]) -> bool | None:
    """Whether a module runs the same operations after a change; None if it refuses that."""
    try:
        return space.observe(space.moved(changed)).structure == base.structure
    except BadInput:
        return None


def conditions(space: Space, symbols: Mapping[str, str]) -> Iterator[Condition]:
    """Yield how sizes stand to one another, and to the numbers of arguments that are fixed."""
    for b in space.borders:
        of = [space.ties.get(n, n) for n in b.sides]
        left, right = (symbols.get(n, str(space.asked.get(n, space.base[n]))) for n in of)
        if not {left, right}.isdisjoint(symbols.values()):
            yield Condition(left, b.relation, right)
