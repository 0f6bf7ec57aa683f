"""The length of a static cache: a size that a module has none of, and passes of inference have.

It is changed as the sizes of the module are, alone and with all others, so that what depends on it
is fitted as everything else is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sympy import Symbol

from symledger.traces.alive import How
from symledger.tracing.assemble import Assembler
from symledger.tracing.spaces.fit import Points

LENGTH = "max_cache_len"
"""What transformers calls it."""
ALONE = (1, 4, 9)
"""By how much it is changed where nothing else is."""
RANDOM, MOST = 14, 7
"""At how many of the points it is another beside all other sizes, and by how much."""

At = Mapping[str, int]


def own(how: How) -> tuple[str, ...]:
    """Return the sizes of a pass beside those of the module."""
    return (LENGTH,) if how.cache else ()


def beside(points: Sequence[At], tokens: str) -> Iterator[dict[str, int]]:
    """Yield points with a length of the cache each, no shorter than the tokens are.

    It is the same at all of them; more follow in which it is another one.
    """
    base = max(at[tokens] for at in points) + 3
    for at in points:
        yield {**at, LENGTH: base}
    for more in ALONE:
        yield {**points[0], LENGTH: base + more}
    for i, at in enumerate(points[-RANDOM:]):
        yield {**at, LENGTH: at[tokens] + i % MOST}


def given(at: At, tokens: str) -> dict[str, int]:
    """Return a further point with a length of the cache."""
    return {**at, LENGTH: at[tokens] + MOST + 1}


def fitted_on(assembler: Assembler, at: Sequence[At]) -> Points:
    """Return points to fit on, the length of the cache among their sizes."""
    sample, length = assembler.sample, Symbol(LENGTH)
    sizes = [Symbol(name) for name in sample.space.sizes]
    parts, values = sample.parts, []
    for one in at:
        here = {s: one[s.name] for s in (*sizes, length)}
        for part, e in parts.items():
            if part not in here:
                here[part] = int(e.xreplace(here))
        values.append(here)
    points = Points([*sizes, length], {**parts, length: length}, values)
    for s, e in assembler.definitions.items():
        points.define(s, points.valued(e), e.free_symbols)
    return points
