"""The keys and values that a reference keeps between tokens, beside the polynomial that says so.

A cache is no result of operations alone: the class is run with one, at many of the points at which
the configuration was read, and what it holds is counted.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from sympy import Symbol

from symledger import algebra
from symledger.algebra import Terms
from symledger.checks.traced.reference import subject
from symledger.checks.traced.translation import Translation
from symledger.checks.traced.vectors import Vector
from symledger.tracing.eager.serving import answered
from symledger.tracing.modules.subject import Subject
from symledger.tracing.spaces.space import unfolded

MOST = 6
"""Points at which a class is run."""
BYTES = 4
"""Of an element, as a definition has them by default."""


def difference(ours: Terms, vector: Vector, translation: Translation) -> str | None:
    """Say where a reference keeps other than a polynomial in its keys says, empty if nowhere.

    None where the class gives no keys and values that could be counted.
    """
    traced = subject(vector)
    defined = {s.name for monomial in ours for s, _ in monomial}
    for at in translation.at[:MOST]:
        known = {Symbol(n): value for n, value in at.items() if n in defined}
        said = algebra.value(ours, known)
        kept = BYTES * held(traced, at)
        if not kept:
            return None
        if said != kept:
            here = ", ".join(f"{s} = {n}" for s, n in known.items())
            return f"{said} bytes, the reference keeps {kept} at {here}"
    return ""


def held(traced: Subject, at: Mapping[str, int]) -> int:
    """Return how many elements of keys and values the cache has after a run at a point."""
    module = traced.build(unfolded(traced, at))
    given = {x.name: x.made(at) for x in traced.inputs}
    with torch.device("meta"), torch.no_grad():
        result = module(**given, use_cache=True)
    return sum(x.numel() for x in answered(result))
