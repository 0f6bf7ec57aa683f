"""Points at which arguments are equal that are not: modules often do something else then.

A width that is another's needs no projection, say. Pairs that have no argument in common meet at
one point, so that as many points are enough as an argument has others.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from symledger.tracing.spaces.borders import Apart
from symledger.tracing.spaces.space import Space


def meetings(space: Space) -> list[list[Apart]]:
    """Return the pairs of arguments that may be equal, in rounds without an argument twice."""
    own = [n for n in space.sizes if space.is_argument(n)]
    rounds: list[list[Apart]] = []
    for pair in (Apart(*two) for two in combinations(own, 2)):
        if not met(space, [pair]):
            continue
        names = {pair.name, pair.other}
        free = (r for r in rounds if not any(names & {p.name, p.other} for p in r))
        found = next(free, None)
        if found is None:
            rounds.append([pair])
        else:
            found.append(pair)
    return rounds


def met(space: Space, pairs: Iterable[Apart]) -> dict[str, int] | None:
    """Return the point at which one of each pair is as the other one is; None if there is none."""
    wanted = {p.name: space.base[p.other] for p in pairs}
    at = space.moved(wanted)
    legal = all(at[n] % space.value(step, at) == 0 for n, step in space.steps.items())
    equal = all(at[p.name] == at[p.other] != space.base[p.name] for p in pairs)
    return at if legal and equal and space.within(at) else None
