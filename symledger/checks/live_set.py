"""The live set: at every step of a pass, what is said to be in memory is what a run has alive.

It is looked at where repeated bodies are applied as often as elsewhere, two or three times, and
where all that a formula of any depth looks at is there: the first two, the last two, one between.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from sympy import Symbol

from symledger.checks.alive import compared
from symledger.checks.exact import whole
from symledger.checks.sampling import sizes_for
from symledger.checks.substitution import Bytes
from symledger.checks.trial import Trial
from symledger.errors import BadInput, DefinitionError
from symledger.evidence.claims import Claim
from symledger.evidence.comparison import Evidence
from symledger.ir.tensor import Call, Program, Pullback

DEEPER = 3
"""How many times as often bodies are applied there: at least six times."""
FORWARD, BACKWARD = "memory.peak.forward", "memory.peak.backward"
PREFILL, DECODE = "memory.peak.prefill", "memory.peak.decode"


def trained(program: Program, pull: Pullback, bytes_of: Bytes) -> Iterator[Evidence]:
    """Check both passes of training; nothing where what is alive is not derived."""
    trials = list(_trials(program, pull))
    for quantity in (FORWARD, BACKWARD):
        yield from _looked(quantity, trials, bytes_of)


def served(program: Program, pull: Pullback, bytes_of: Bytes, quantity: str) -> Iterator[Evidence]:
    """Check a pass of inference, in which what decoding keeps is held."""
    yield from _looked(quantity, list(_trials(program, pull)), bytes_of)


def _looked(quantity: str, trials: list[Trial], bytes_of: Bytes) -> Iterator[Evidence]:
    """Compare a pass with runs; nothing where it has no step, or what is alive is not derived."""
    backward, remembering = quantity == BACKWARD, quantity in (PREFILL, DECODE)
    with suppress(BadInput):
        each = [compared(trial, bytes_of, backward, remembering) for trial in trials]
        wrong = [line for _, lines in each for line in lines]
        if any(steps for steps, _ in each):
            yield Evidence(
                quantity, Claim("alive"), tuple(trial.point for trial in trials), trials[0].seed,
                str(len(wrong)), not wrong, "; ".join(wrong[:3]),
            )  # fmt: skip


def _trials(program: Program, pull: Pullback) -> Iterator[Trial]:
    """Yield a run of few applications of repeated bodies, and one of as many as are told apart."""
    sizes = sizes_for(program, 0, distinct=False)
    yield Trial(program, pull, sizes)
    deep = deepened(program, sizes)
    if deep != sizes:
        yield Trial(program, pull, deep)


def deepened(program: Program, sizes: dict[Symbol, int]) -> dict[Symbol, int]:
    """Return sizes at which bodies are applied more often, where that can be."""
    calls = (t.op for body in program.bodies for t in body.calls)
    times = set().union(*(op.times.free_symbols for op in calls if isinstance(op, Call)))
    free = {s: n for s, n in sizes.items() if s not in program.definitions}
    found = {s: n * DEEPER if s in times else n for s, n in free.items()}
    try:
        deep = found | {s: whole(e, found) for s, e in program.definitions.items()}
        possible = all(whole(e, deep) >= 1 for e in program.lengths) and all(
            whole(outer - inner, deep) >= 0 for inner, outer in program.bounds
        )
    except DefinitionError:
        return sizes
    return deep if possible else sizes
