"""On which side of a border a module is at two points, and where the border lies."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from symledger.errors import BadInput
from symledger.tracing.folds.observed import Observed
from symledger.tracing.spaces.borders import RELATIONS, Apart, Border
from symledger.tracing.spaces.space import Space


def border(space: Space, base: Observed, run: Observed) -> Border | Apart | None:
    """Return the border that lies between two points at which other operations run."""
    return _met(space, base, run) or _passed(space, base, run)


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


def _passed(space: Space, base: Observed, run: Observed) -> Border | None:
    """Return the argument that a size passes between two points."""
    for name in space.sizes:
        last = edge(space, base, name, run.at[name])
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


def edge(space: Space, base: Observed, name: str, value: int) -> int | None:
    """Return the last value of a size, on the way to another one, that runs what the base runs.

    None if the other value runs that too, all else as in the base.
    """
    step = space.value(space.steps[name])
    here = base.at[name]
    there = here + (value - here) // step * step
    if there == here or same(space, base, {name: there}) is not False:
        return None
    while abs(there - here) > step:
        middle = here + (there - here) // step // 2 * step
        if same(space, base, {name: middle}) is False:
            there = middle
        else:
            here = middle
    return here


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
