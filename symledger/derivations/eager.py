"""Peaks by the schedule eager: what PyTorch has in memory, of a trace or as it was observed."""

from __future__ import annotations

from symledger.derivations.posed import Posed
from symledger.errors import BadInput, shown
from symledger.ledger import caches
from symledger.ledger.caches import STATIC
from symledger.ledger.formula import Formula
from symledger.ledger.peaks import EAGER, SERVED
from symledger.ledger.quantities import Readings
from symledger.targets.observed import Observed, Ran, observed_of
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
        found = target.eager(ran(posed, name), assumed.bindings)
    else:
        found = observed(posed, name).eager
        check_eager(name, c)
        check_cut(name, c)
    least, alone = (
        {posed.symbols[s]: n for s, n in depths.items() if s in posed.symbols}
        for depths in (found.least, found.shallow)
    )
    return make_eager(target.owner, name, readings, assumed, found.moments, least, alone)


def ran(posed: Posed, name: str) -> Ran:
    """Return how a module is run for a peak: a step of training, or a pass of inference."""
    c = posed.conventions
    if name in SERVED:
        serving = name.rpartition(".")[2]
        return Ran(input_gradient=False, dtype=c.dtype, serving=serving, cache=run_with(posed))
    return Ran(c.input_gradient, c.accumulate, c.dtype)


def run_with(posed: Posed) -> str:
    """Return the cache that a pass of inference is run with, where it is no dynamic one.

    Raises:
        BadInput: none is run with such a one.
    """
    asked = posed.conventions.cache
    if not asked:
        return ""
    caches.check_run(asked, posed.target.name)
    return STATIC if caches.read(asked).layout == STATIC else ""


def observed(posed: Posed, name: str) -> Observed:
    """Return what was observed of the reference implementation.

    Raises:
        BadInput: it was not, or not as is asked for.
    """
    asked, request = ran(posed, name), posed.request
    otherwise = {
        "--lora": request.lora, "--recompute": posed.plan(), "--accumulate": asked.accumulate,
        "--products": posed.conventions.products,
        f"--dtype {asked.dtype}": asked.dtype != "fp32" and not asked.serving,
    }  # fmt: skip
    for option, said in otherwise.items():
        if said:
            raise BadInput(
                f"the schedule {EAGER} of {shown(posed.target.name)} is what was observed of "
                f"its reference as it is built: leave out {option}, or trace a module."
            )
    return observed_of(posed.target, posed.assumed, posed.symbols, asked)
