"""What a peak comes to at given sizes, without its formula: nothing is compared, nothing proven.

It is the largest of the same moments, so it is the value of that formula; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from sympy import Symbol

from symledger import algebra
from symledger.algebra import Terms, substitute
from symledger.algebra.assumptions import Assumed
from symledger.ledger.peaks import PASSES, PEAKS, known_to_be_few
from symledger.ledger.quantities import Readings
from symledger.ledger.stepping import in_memory, in_step, walked


def peak_amount(owner: str, name: str, readings: Readings, assumed: Assumed) -> Fraction | None:
    """Return the value of a peak; None where only its formula says it, or nothing does.

    Raises:
        SymledgerError: the target lacks such passes.
    """
    from symledger.readings.live.most import Unknown, most

    def value(terms: Terms, indices: Mapping[Symbol, int]) -> Fraction | None:
        at = {**assumed.bindings, **indices}
        return algebra.value(substitute(terms, assumed.equations), at)

    passes, c = PASSES[name], readings.conventions
    program = readings.decoding_in_types if passes.decodes else readings.program
    few = known_to_be_few(program, assumed)
    found: list[Fraction | None] = []
    if passes.ways:
        there = passes.throughout if passes.remembers else in_memory(c)
        try:
            moving = most(walked(readings, few, passes.remembers, passes.decodes, c.accumulate),
                          readings.prices, passes.ways, value)  # fmt: skip
        except Unknown:
            return None
        kept = value(algebra.add(readings.total(q) for q in there), {})
        found.append(None if kept is None else kept + moving)
    if passes.steps:
        moments = in_step(f"{owner}.{name}", PEAKS[name], readings, assumed, few, not passes.ways)
        found += [value(m.general, {}) for m in moments]
    known = [n for n in found if n is not None]
    return max(known) if known and len(known) == len(found) else None
