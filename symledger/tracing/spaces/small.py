"""A small point: every size as small as it may be, all of them different, two rounds of each layer.

There the whole program can be run number by number. That sizes differ matters: where two are equal,
an axis in place of another one is not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from sympy import Expr, Integer, Symbol

from symledger.errors import BadInput
from symledger.tracing.folds.observed import Observed
from symledger.tracing.spaces.space import Space

LEVELS = 6
"""How often the smallest sizes are doubled until the module takes them."""
LEAST = 2


def small_point(
    space: Space, times: list[Expr], foretold: Callable[[Observed], bool] = lambda run: True
) -> dict[str, int]:
    """Return a small point that the module takes; ``times`` are how often its layers repeat.

    Where lengths are not those that are ``foretold``, as of what is rounded up to a size once that
    is smaller than the rest, it is not looked at.
    """
    depth = _shallow(space, times)
    alike = space.observe({**space.base, **depth}).structure

    def legal(at: Mapping[str, int]) -> bool:
        """Whether the module takes a point, and runs the same operations, as foretold."""
        run = _run(space, at)
        return run is not None and run.structure == alike and foretold(run)

    for level in range(LEVELS):
        at = _all_small(space, depth, 2**level)
        if at and legal(at):
            return _further(space, at, legal)
    return _further(space, {**space.base, **depth}, legal)


def _shallow(space: Space, times: list[Expr]) -> dict[str, int]:
    """As few layers as run everything that repeats twice."""
    for n in range(1, max((space.base[d] for d in space.depths), default=0)):
        at = {Symbol(d): Integer(n) for d in space.depths}
        if all(t.xreplace(at).is_Integer and t.xreplace(at) >= LEAST for t in times):
            found = dict.fromkeys(space.depths, n)
            if _run(space, {**space.base, **found}):
                return found
    return {d: space.base[d] for d in space.depths}


def _order(space: Space) -> list[str]:
    """The sizes, each after those that its step depends on, small ones first."""
    rank = {n: i for i, n in enumerate(space.in_order())}


    def key(name: str) -> tuple[bool, int, int]:
        return bool(space.steps[name].free_symbols), space.base[name], rank.get(name, 0)

    return sorted(space.sizes, key=key)


def _all_small(space: Space, depth: Mapping[str, int], factor: int) -> dict[str, int]:
    """Return the point of which each size is a little larger than the one before it."""
    at = {**space.base, **depth}
    least = LEAST * factor
    for name in _order(space):
        step = space.value(space.steps[name], at)
        low = max(least, space.least.get(name, 1))
        value = _multiple(low, step, {at[n] for n in space.sizes if n != name})
        at[name] = min(value, max(space.base[name], value if step > 1 else 0))
        least = at[name] + 1 if at[name] < least + step else least
    return space.moved({n: at[n] for n in (*space.sizes, *depth)})


def _multiple(least: int, step: int, taken: set[int]) -> int:
    """Return the first multiple of a step that is large enough, and no other size."""
    n = -(-least // step) * step
    while n in taken and n < least + 4 * step:
        n += step
    return n


def _further(
    space: Space, at: dict[str, int], legal: Callable[[Mapping[str, int]], bool]
) -> dict[str, int]:
    """Make single sizes smaller, the largest first, as far as the module takes it."""
    for name in sorted(space.sizes, key=lambda n: -at[n]):
        for smaller in _smaller(space, name, at):
            other = {**at, name: smaller}
            if legal(other):
                at = other
                break
    return at


def _smaller(space: Space, name: str, at: Mapping[str, int]) -> Iterator[int]:
    step = space.value(space.steps[name], at)
    if at[name] <= 16 or at[name] <= 2 * step:
        return
    for part in (8, 2):
        n = -(-max(at[name] // part, LEAST, space.least.get(name, 1)) // step) * step
        if n < at[name] and n not in at.values():
            yield n


def _run(space: Space, at: Mapping[str, int]) -> Observed | None:
    """Return what was observed at a point; None where the module refuses it."""
    if not space.within(at):
        return None
    try:
        return space.observe(at)
    except BadInput:
        return None
