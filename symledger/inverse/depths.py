"""How often bodies are repeated where a peak holds: in free sizes, and at which of these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sympy import Symbol

from symledger import algebra
from symledger.accounts.account import Account
from symledger.algebra import Terms
from symledger.errors import BadInput, SymledgerError
from symledger.inverse.form import PROBES, Freed
from symledger.inverse.univariate import powers, rises, rises_from
from symledger.ledger.formula import Formula
from symledger.ledger.peaks import PASSES, Depth, Peak, repetitions


@dataclass(frozen=True)
class Often:
    """How often a body is repeated where a formula holds: so often at least, or just so often."""

    times: Terms
    depth: Depth

    def holds(self, at: Mapping[Symbol, int]) -> bool:
        """Whether it is at some sizes."""
        found = algebra.value(self.times, at)
        if found is None or self.depth.exactly is not None:
            return found == self.depth.exactly
        return found >= self.depth.least

    def since(self, x: Symbol) -> int | None:
        """The size from which on it is; None where it is not from any size on."""
        if self.depth.exactly is not None or any(s != x for m in self.times for s, _ in m):
            return None
        times = powers(self.times, x)
        start = 1 if rises(times) else rises_from(times)
        return start and next((n for n in range(start, start + 2**12) if self.holds({x: n})), None)


def formula_in(freed: Freed, quantity: str) -> Formula:
    """Return the formula of a quantity, of a peak the one that holds at most of the free sizes.

    A peak that is derived where a body is repeated once or twice is about no other number.
    """
    own = freed.account[quantity]
    if not isinstance(own, Peak) or not _repeat(freed, own):
        return own
    for other in _seen(freed):
        try:
            found = other[quantity]
        except SymledgerError:
            continue
        if not any(o.depth.exactly is not None for o in often(freed, found)):
            return found
    return own


def often(freed: Freed, formula: Formula) -> tuple[Often, ...]:
    """Return how often bodies are repeated where a formula holds, as far as free sizes say."""
    each = (depth for depth in getattr(formula, "depths", ()) if depth.least)
    every = (Often(freed.of(depth.times), depth) for depth in each)
    return tuple(o for o in every if any(s in freed.moving for m in o.times for s, _ in m))


def _repeat(freed: Freed, peak: Peak) -> bool:
    """Whether a free size says how often something is repeated."""
    readings = peak.readings
    program = readings.decoding_in_types if PASSES[peak.quantity.name].decodes else readings.program
    for number in repetitions(program):
        try:
            times = freed.of(algebra.terms(number))
        except BadInput:
            return True
        if any(s in freed.moving for monomial in times for s, _ in monomial):
            return True
    return False


def _seen(freed: Freed) -> Iterator[Account]:
    """Yield the account at more and more places at which it can be."""
    yield from freed.places
    at = freed.places[0].assumed.bindings
    for factor in PROBES:
        try:
            yield freed.account.subs({s.name: at[s] * factor for s in freed.free})
        except SymledgerError:
            continue
