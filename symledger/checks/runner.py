"""Everything that can be checked about one program, as it comes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sympy import Expr, Integer

from symledger.checks import counted, counting, gradients, live_set, substitution
from symledger.checks.exact import value
from symledger.checks.moved import moved
from symledger.checks.sampling import sizes_for
from symledger.checks.saved_set import saved_set
from symledger.checks.substitution import Bytes
from symledger.checks.trial import Trial
from symledger.evidence.comparison import Evidence
from symledger.ir.tensor import Program, Pullback
from symledger.readings.flops import Causal, contraction_flops, pointwise_flops
from symledger.readings.params import active_params, has_routed, params
from symledger.readings.pullback import pullback
from symledger.readings.saved import saved
from symledger.readings.traffic import state, traffic, unfused_traffic

BYTES: Bytes = {"value": 2, "statistic": 4, "mask": 1, "index": 8}
"""Distinct, so that no storage class is taken for another."""

MOST = 5_000_000
"""FLOPs up to which a contraction is counted one by one at a second and a third point."""

TOO_MUCH = 100_000_000
"""FLOPs from which on gradients are looked at where sizes are not distinct, but smaller: they are
run several times for every weight."""

LONG = 6000
"""Arrays that a run makes, from which on it is the same: what is kept is altered one by one."""

ROUNDED = 1e-5
"""How far apart gradients are at most where rounding keeps them apart."""

PRICES = {storage: Integer(n) for storage, n in BYTES.items()}


def examine(
    program: Program, pull: Pullback | None = None, *, quick: bool = False
) -> Iterator[Evidence]:
    """Check every reading of a program; yield what was found, one comparison at a time.

    Where shapes are wrong nothing else can be run, so that is the last one then.

    Args:
        program: what is to be checked.
        pull: its backward program, where that has been made already.
        quick: look at shapes and sizes of arrays at one point instead of three, and at gradients
            before operations are counted.

    Raises:
        DefinitionError: the program cannot be run at small sizes.
    """
    pull = pull or pullback(program)
    trials = [Trial(program, pull, sizes_for(program, i), i) for i in range(1 if quick else 3)]
    shapes = substitution.shapes(trials)
    yield shapes
    if not shapes.passed:
        return
    yield substitution.parameters(trials, params(program).total)
    if has_routed(program):
        yield substitution.active(trials, active_params(program).total)
    kept_between_steps = state(program, PRICES).total
    if kept_between_steps != 0:
        yield substitution.state(trials, kept_between_steps, BYTES)
    once, unfused = traffic(program, PRICES).total, unfused_traffic(program, PRICES).total
    yield from moved(trials, once, unfused, BYTES)
    small = [Trial(program, pull, sizes_for(program, i, distinct=False), i) for i in range(3)]
    run = small[0] if _much(trials[0]) else trials[0]
    if quick:  # counting one by one takes longest
        yield from _gradients(run)
    small = small[:1] + [trial for trial in small[1:] if _work(trial) <= MOST]
    yield from _arithmetic(small, pull)
    if not quick:
        further = [trial for trial in trials[1:] if not _much(trial)]
        yield from _clearest([run, *further, *(trial for trial in small if trial is not run)])
    yield from live_set.trained(program, pull, BYTES)
    if kept_between_steps != 0:
        yield from live_set.served(program, pull, BYTES, live_set.PREFILL)


def decoded(step: Program) -> Iterator[Evidence]:
    """Check the FLOPs of a decoding step, in a program of its own, and what is alive in it."""
    pull = pullback(step)
    trials = [Trial(step, pull, sizes_for(step, i, distinct=False), i) for i in range(3)]
    trials = trials[:1] + [trial for trial in trials[1:] if _work(trial) <= MOST]
    yield counted.operations(
        trials, [counting.forward(trial) for trial in trials], contraction_flops(step).total,
        "flops.decode", counted.picked("flops.forward"), "decoding",
    )  # fmt: skip
    yield from live_set.served(step, pull, BYTES, live_set.DECODE)


def _clearest(trials: Sequence[Trial]) -> list[Evidence]:
    """Compare gradients at one point; at the next where it is rounding that keeps them apart.

    Norms of two numbers in several layers make much of it. What is wrong is wrong at each point.
    """
    found: list[Evidence] = []
    for trial in trials:
        found = list(_gradients(trial))
        if not any(e.passed is False and float(e.worst) <= ROUNDED for e in found):
            break
    return found


def _work(trial: Trial) -> int:
    return int(value(contraction_flops(trial.program).total, trial.sizes))


def _much(trial: Trial) -> bool:
    """Whether a run takes too long to be repeated for every weight, and for every kept array."""
    return _work(trial) > TOO_MUCH or len(trial.machine.made) > LONG


def _arithmetic(trials: list[Trial], pull: Pullback) -> Iterator[Evidence]:
    program = trials[0].program
    pointwise = {
        "flops.forward.pointwise": pointwise_flops(program).total,
        "flops.backward.pointwise": pointwise_flops(pull).total,
    }
    yield from counted.forward_and_backward(trials, {**_contractions(pull, "full"), **pointwise})
    found = counted.pairs(program, pull)
    if found:
        yield found
        exact = _contractions(pull, "exact")
        yield from counted.forward_and_backward(trials, exact, skip_masked=True)


def _contractions(pull: Pullback, causal: Causal) -> dict[str, Expr]:
    return {
        "flops.forward": contraction_flops(pull.program, causal).total,
        "flops.backward": contraction_flops(pull, causal).total,
    }


def _gradients(trial: Trial) -> Iterator[Evidence]:
    yield saved_set(trial, saved(trial.pull, PRICES).total, BYTES)
    if not trial.varied:
        return
    yield gradients.finite_differences(trial)
    analytic = gradients.complex_step(trial)
    if analytic:
        yield analytic
