"""PyTorch as witness: an implementation that knows nothing of ours, asked the same questions.

Parameters are compared tensor by tensor, FLOPs with what PyTorch's counter counts, saved bytes
with the storages that its autograd really keeps, and outputs and gradients as numbers. Differences
that come from PyTorch's implementation are rows of ``torch_cases.ARTEFACTS``; nothing else may
differ by a single unit. Without PyTorch there is nothing to compare.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from sympy import Expr, Integer

from symledger.account import Account
from symledger.assumptions import parse_expression
from symledger.checks.evidence import Evidence, at_points, worst_of
from symledger.checks.exact import value
from symledger.checks.trial import Trial
from symledger.readings.pullback import pullback

if TYPE_CHECKING:
    from symledger.checks.torch_cases import Case
    from symledger.checks.torch_run import Run

SKIPPED = "pytorch: skipped, PyTorch is not installed (pip install 'symledger[torch]')"
SAID = {
    "params": "{} has the formula's parameters, tensor by tensor",
    "flops.forward": "PyTorch counts the formula's FLOPs forward in {}",
    "flops.backward": "PyTorch counts the formula's FLOPs backward in {}",
    "memory.saved": "PyTorch keeps the formula's bytes for the backward pass of {}",
}
CLOSE = 1e-10
"""How far values may be apart in double precision: only the order of additions differs."""

POINTS: tuple[dict[str, int], ...] = (
    {"B": 2, "T": 5, "S": 7, "d": 12, "h": 4, "h_kv": 2, "d_k": 6, "d_v": 3, "d_h": 6, "d_ff": 10,
     "V": 13, "n": 9, "d_in": 6, "d_out": 11, "L": 2, "T_max": 8},
    {"B": 3, "T": 4, "S": 9, "d": 10, "h": 6, "h_kv": 3, "d_k": 2, "d_v": 5, "d_h": 4, "d_ff": 14,
     "V": 11, "n": 7, "d_in": 8, "d_out": 5, "L": 3, "T_max": 6},
    {"B": 1, "T": 8, "S": 8, "d": 16, "h": 2, "h_kv": 1, "d_k": 8, "d_v": 6, "d_h": 8, "d_ff": 33,
     "V": 29, "n": 17, "d_in": 21, "d_out": 13, "L": 1, "T_max": 8},
)  # fmt: skip
"""Sizes of every symbol; a case makes those equal that it cannot tell apart."""


def installed() -> bool:
    """Whether PyTorch is there."""
    return find_spec("torch") is not None


def witnessed(account: Account) -> Iterator[Evidence]:
    """Compare a target with each of its cases in PyTorch; nothing where there is none."""
    options = account.target.options
    if not installed() or options.get("dropout") or options.get("hidden_dropout"):
        return  # noise differs
    from symledger.checks.torch_cases import CASES
    from symledger.checks.torch_run import one_thread

    for case in CASES.get(account.target.name, ()) if not account.target.origin else ():
        if all(options[name] == choice for name, choice in case.given.items()):
            with one_thread():
                found = list(_compared(account, case))
            yield from found


def kept_without(known: Mapping[str, Any], hashes: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return what PyTorch said earlier about the same formulas, where it cannot be asked now."""
    if installed():
        return []
    said = (e for e in known.get("evidence", ()) if e["kind"] == "pytorch")
    return [e for e in said if known["hashes"].get(e["quantity"]) == hashes.get(e["quantity"])]


def sizes_at(point: dict[str, int], case: Case) -> dict[str, int]:
    """Return the sizes of a point, those made equal that a case cannot tell apart."""
    sizes = dict(point)
    for name, product in case.equal.items():
        sizes[name] = math.prod(sizes[factor] for factor in product.split("*"))
    return sizes


def _compared(account: Account, case: Case) -> Iterator[Evidence]:
    from symledger.checks.torch_run import Run

    program, options = account.program, account.target.options
    back = pullback(program)
    runs: list[Run] = []
    for seed, point in enumerate(POINTS):
        sizes = sizes_at(point, case)
        here = {symbol: sizes[symbol.name] for symbol in account.symbols.values()}
        runs.append(
            Run(Trial(program, back, here, seed), case.build(sizes, options), case.names)
        )
    weights = _parameters(account, case, runs)
    yield weights
    if not weights.passed:  # nothing else can be asked about other weights
        return
    counted = [run.flops() for run in runs]
    if "flops.forward" in account.quantities:
        yield _against(account, case, runs, "flops.forward", [f for f, _ in counted])
        yield _against(account, case, runs, "flops.backward", [b for _, b in counted])
    yield _against(account, case, runs, "memory.saved", [run.saved() for run in runs])
    if case.values:
        yield _values(case, runs)


def _parameters(account: Account, case: Case, runs: list[Run]) -> Evidence:
    counts = [sum(p.numel() for p in run.module.parameters()) for run in runs]
    found = _against(account, case, runs, "params", counts)
    if not found.passed:
        return found
    wrong = "; ".join(line for run in runs for line in run.misnamed)
    return replace(found, passed=not wrong, detail=wrong)


def _against(
    account: Account, case: Case, runs: list[Run], quantity: str, measured: list[int]
) -> Evidence:
    """Compare a formula and the artefacts of its case with what was measured at each point."""
    more, reasons = _artefacts(account, case, quantity)
    formula = account[quantity].expr + more
    pairs = [(value(formula, run.trial.sizes), n) for run, n in zip(runs, measured, strict=True)]
    wrong = [f"the formula gives {a}, PyTorch {b}" for a, b in pairs if a != b]
    claim = SAID[quantity].format(case.said) + (
        f", but for {more} more ({'; '.join(reasons)})" if reasons else ""
    )
    worst = worst_of(float(abs(a - b)) for a, b in pairs)
    masked = quantity.startswith("flops") and account.program.masks
    found = _evidence(case, runs, quantity, claim, worst, "; ".join(wrong))
    return replace(found, causal="full" if masked else "")


def _artefacts(account: Account, case: Case, quantity: str) -> tuple[Expr, list[str]]:
    from symledger.checks.torch_cases import ARTEFACTS

    more: Expr = Integer(0)
    reasons = []
    for name, uses in case.uses(account.target.options).items():
        for artefact in ARTEFACTS[name]:
            if artefact.quantity == quantity:
                known = {**account.symbols, **_implied(account, case)}
                more += parse_expression(uses, known) * parse_expression(artefact.more, known)
                reasons.append(artefact.reason)
    return more, reasons


def _implied(account: Account, case: Case) -> dict[str, Expr]:
    """Symbols that an artefact speaks of and a target lacks, by what they equal there."""
    return {
        name: parse_expression(equal, account.symbols)
        for name, equal in case.equal.items()
        if name not in account.symbols
    }


def _values(case: Case, runs: list[Run]) -> Evidence:
    apart = [run.apart() for run in runs]
    wrong = "" if max(apart) <= CLOSE else f"values are {max(apart):.1e} apart"
    claim = f"outputs and gradients are those of {case.said} to {CLOSE:.0e} of their scale"
    return _evidence(case, runs, "gradients", claim, worst_of(apart), wrong)


def _evidence(
    case: Case, runs: list[Run], quantity: str, claim: str, worst: str, wrong: str
) -> Evidence:
    points = tuple(run.trial.point for run in runs)
    claim = f"{claim}, {at_points(len(points))}"
    return Evidence("pytorch", quantity, claim, points, 0, worst, not wrong, wrong)
