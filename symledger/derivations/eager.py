"""Peaks by the schedule eager: what PyTorch has in memory, of a trace or as it was observed."""

from __future__ import annotations

from symledger.derivations.posed import Posed
from symledger.errors import BadInput, shown
from symledger.ledger.formula import Formula
from symledger.ledger.peaks import EAGER
from symledger.ledger.quantities import Readings
from symledger.targets.observed import Observed, observed_of
from symledger.targets.traced import TracedTarget


def eager_peak(posed: Posed, name: str, readings: Readings) -> Formula:
    """Return a peak of what PyTorch has in memory.

    Raises:
        BadInput: it is not known.
    """
    from symledger.ledger.eager import check_cut, check_eager, make_eager

    c, target, assumed = posed.conventions, posed.target, posed.assumed
    if isinstance(target, TracedTarget):
        check_eager(name, c)
        found = target.eager(c.input_gradient, c.accumulate, c.dtype, assumed.bindings)
    else:
        found = observed(posed).eager
        check_eager(name, c)
        check_cut(name, c)
    least = {posed.symbols[s]: n for s, n in found.least.items() if s in posed.symbols}
    return make_eager(target.owner, name, readings, assumed, found.moments, least)


def observed(posed: Posed) -> Observed:
    """Return what was observed of the reference implementation.

    Raises:
        BadInput: it was not, or not as is asked for.
    """
    c, request = posed.conventions, posed.request
    otherwise = {
        "--lora": request.lora, "--recompute": posed.plan(), "--accumulate": c.accumulate,
        f"--dtype {c.dtype}": c.dtype != "fp32",
    }  # fmt: skip
    for option, said in otherwise.items():
        if said:
            raise BadInput(
                f"the schedule {EAGER} of {shown(posed.target.name)} is what was observed of "
                f"its reference as it is built: leave out {option}, or trace a module."
            )
    return observed_of(posed.target, posed.assumed, posed.symbols, c.input_gradient)
