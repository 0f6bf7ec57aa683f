"""PyTorch as witness: an implementation that knows nothing of ours, asked the same questions.

Parameters are compared tensor by tensor, FLOPs with what PyTorch's counter counts, saved bytes
with the storages that its autograd really keeps, and outputs and gradients as numbers. Differences
that come from PyTorch's implementation are rows of ``artefacts.ARTEFACTS``; nothing else may
differ by a single unit. Without PyTorch there is nothing to compare.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING

from sympy import Expr, Integer

from symledger.accounts.account import Account
from symledger.algebra.parsing import parse_expression
from symledger.checks.exact import value, whole
from symledger.checks.torch.artefacts import ARTEFACTS, Uses
from symledger.checks.trial import Trial
from symledger.errors import DefinitionError, SymledgerError, raised
from symledger.evidence.claims import Claim
from symledger.evidence.comparison import Evidence, worst_of
from symledger.evidence.store import Findings
from symledger.extras import missing
from symledger.ir.ops import Input
from symledger.ir.tensor import Program
from symledger.readings.pullback import pullback
from symledger.sizes import BY_NAME

if TYPE_CHECKING:
    from symledger.checks.torch.case import Case
    from symledger.checks.torch.run import Run

CLAIMS = {
    "params": "parameters", "flops.forward": "FLOPs forward", "flops.backward": "FLOPs backward",
    "memory.saved": "kept",
}  # fmt: skip
"""What is claimed of each quantity; with artefacts, but for these."""
CLOSE = 1e-10
"""How far values may be apart in double precision: only the order of additions differs."""

HERE = Path(__file__).parent

POINTS: tuple[dict[str, int], ...] = (
    {"B": 3, "T": 5, "S": 7, "d": 12, "h": 4, "h_kv": 2, "d_k": 6, "d_v": 3, "d_h": 6, "d_ff": 10,
     "V": 13, "n": 9, "d_in": 6, "d_out": 11, "L": 2, "T_max": 8,
     "d_s": 7, "d_p": 3, "d_r": 3, "w": 3, "n_b": 6, "N": 7, "E": 5, "k": 3, "E_s": 2,
     "L_enc": 2, "L_dec": 1, "V_seg": 2, "Y": 7, "C": 6, "C_in": 6, "C_out": 9, "G": 3,
     "H": 9, "W": 7, "H_o": 3, "W_o": 2, "K": 3, "K_h": 3, "K_w": 2, "s": 2, "s_h": 2, "s_w": 1,
     "p": 1, "p_h": 1, "p_w": 0, "r": 2, "r_h": 2, "r_w": 1, "q_h": 1, "q_w": 0,
     "e": 0, "e_h": 1, "e_w": 1, "e_d": 2,
     "T_o": 3, "q": 1, "D": 6, "D_o": 2, "K_d": 2, "s_d": 1, "p_d": 1, "r_d": 1, "q_d": 0,
     "d_1": 5, "d_2": 3, "d_key": 8, "d_val": 9, "u": 2, "T_e": 6,
     "d_c": 9, "d_q": 7, "d_rot": 4, "d_exp": 8, "L_d": 1, "d_i": 12, "Q": 4,
     "d_e": 5, "n_r": 6, "L_g": 2, "L_in": 1, "h_dec": 3, "d_dec": 9, "T_k": 9,
     "P": 3, "t": 2, "C_s": 2, "d_f": 6, "d_ctx": 9, "d_proj": 5, "r_c": 2},
    {"B": 3, "T": 4, "S": 9, "d": 10, "h": 6, "h_kv": 3, "d_k": 2, "d_v": 5, "d_h": 4, "d_ff": 14,
     "V": 11, "n": 7, "d_in": 8, "d_out": 5, "L": 3, "T_max": 6,
     "d_s": 4, "d_p": 2, "d_r": 2, "w": 2, "n_b": 9, "N": 5, "E": 6, "k": 2, "E_s": 1,
     "L_enc": 1, "L_dec": 3, "V_seg": 3, "Y": 5, "C": 8, "C_in": 4, "C_out": 6, "G": 2,
     "H": 8, "W": 10, "H_o": 2, "W_o": 3, "K": 2, "K_h": 2, "K_w": 3, "s": 1, "s_h": 1, "s_w": 2,
     "p": 0, "p_h": 0, "p_w": 1, "r": 1, "r_h": 1, "r_w": 2, "q_h": 0, "q_w": 1,
     "e": 2, "e_h": 1, "e_w": 0, "e_d": 0,
     "T_o": 2, "q": 0, "D": 7, "D_o": 3, "K_d": 3, "s_d": 1, "p_d": 0, "r_d": 2, "q_d": 1,
     "d_1": 4, "d_2": 7, "d_key": 3, "d_val": 5, "u": 3, "T_e": 8,
     "d_c": 5, "d_q": 8, "d_rot": 2, "d_exp": 6, "L_d": 2, "d_i": 6, "Q": 2,
     "d_e": 7, "n_r": 8, "L_g": 1, "L_in": 2, "h_dec": 5, "d_dec": 7, "T_k": 8,
     "P": 2, "t": 3, "C_s": 3, "d_f": 4, "d_ctx": 5, "d_proj": 7, "r_c": 3},
    {"B": 1, "T": 8, "S": 8, "d": 16, "h": 2, "h_kv": 1, "d_k": 8, "d_v": 6, "d_h": 8, "d_ff": 33,
     "V": 29, "n": 17, "d_in": 21, "d_out": 13, "L": 2, "T_max": 8,
     "d_s": 5, "d_p": 4, "d_r": 6, "w": 8, "n_b": 4, "N": 9, "E": 8, "k": 1, "E_s": 3,
     "L_enc": 3, "L_dec": 2, "V_seg": 4, "Y": 11, "C": 4, "C_in": 4, "C_out": 8, "G": 4,
     "H": 7, "W": 9, "H_o": 4, "W_o": 1, "K": 5, "K_h": 5, "K_w": 3, "s": 3, "s_h": 3, "s_w": 1,
     "p": 2, "p_h": 2, "p_w": 0, "r": 1, "r_h": 1, "r_w": 2, "q_h": 1, "q_w": 1,
     "e": 1, "e_h": 0, "e_w": 1, "e_d": 1,
     "T_o": 5, "q": 1, "D": 5, "D_o": 2, "K_d": 1, "s_d": 3, "p_d": 0, "r_d": 3, "q_d": 2,
     "d_1": 6, "d_2": 9, "d_key": 7, "d_val": 11, "u": 4, "T_e": 4,
     "d_c": 12, "d_q": 5, "d_rot": 6, "d_exp": 9, "L_d": 1, "d_i": 8, "Q": 3,
     "d_e": 9, "n_r": 6, "L_g": 3, "L_in": 2, "h_dec": 4, "d_dec": 21, "T_k": 11,
     "P": 4, "t": 4, "C_s": 1, "d_f": 10, "d_ctx": 7, "d_proj": 9, "r_c": 3},
)  # fmt: skip
"""Sizes of symbols; a case makes those equal that it cannot tell apart, and what other sizes decide
follows from them. A symbol that is not here gets a small one; where it does not fit, write it here.
"""


def installed() -> bool:
    """Whether PyTorch is there."""
    return not missing(["torch"])


def witnessed(account: Account) -> Iterator[Evidence]:
    """Compare a target with each of its cases in PyTorch; nothing where there is none."""
    options = account.target.options
    if not installed():
        return
    from symledger.checks.torch.run import one_thread

    for case in _cases().get(account.target.owner, ()) if not account.target.origin else ():
        with telling(account, case):
            asked = all(options[name] == choice for name, choice in case.given.items())
            with one_thread():
                found = list(_compared(account, case)) if asked else []
        yield from found


def _cases() -> Mapping[str, tuple[Case, ...]]:
    try:
        from symledger.checks.torch.cases import CASES
    except Exception as error:
        raise DefinitionError(_raised(error)) from error
    return CASES


@contextmanager
def telling(account: Account, case: Case) -> Iterator[None]:
    """Say which case cannot be used, and where, in place of what Python says of it.

    Raises:
        DefinitionError: it raised something that is no refusal of ours.
    """
    try:
        yield
    except SymledgerError:
        raise
    except Exception as error:
        has = ", ".join((*account.symbols, *account.target.options))
        raise DefinitionError(
            f"{account.target.owner} is {case.said} by its row of CASES in {_row(account)}, which "
            f"cannot be used: {_raised(error)} Its sizes and options are {has}."
        ) from error


def _row(account: Account) -> str:
    """Return the file in which a target has its row of CASES."""
    from symledger.checks.torch.cases import file_of

    return f"symledger/checks/torch/{Path(file_of(account.target.owner)).relative_to(HERE)}"


def _raised(error: Exception) -> str:
    """Say what was raised, and where in this folder."""
    frames = [Path(frame.filename) for frame in extract_tb(error.__traceback__)]
    file = [path for path in frames if path.is_relative_to(HERE)][-1]
    return f"symledger/checks/torch/{file.relative_to(HERE)} {raised(error, file)}"


def kept_without(known: Findings | None, hashes: Mapping[str, str]) -> list[Evidence]:
    """Return what PyTorch said earlier about the same formulas, where it cannot be asked now."""
    if installed() or known is None:
        return []
    said = (e for e in known.evidence if e.kind == "pytorch")
    return [e for e in said if known.hashes.get(e.quantity) == hashes.get(e.quantity)]


def sizes_at(
    point: dict[str, int], case: Case, names: Iterable[str] = (), least: int = 2
) -> dict[str, int]:
    """Return the sizes of a point, those made equal that a case cannot tell apart.

    A symbol among ``names`` that the point has not gets a size that no other one of them has.
    """
    sizes = dict(point)
    taken = {sizes.get(name, 0) for name in names}
    for name in sorted({*names} - sizes.keys()):
        sizes[name] = next(n for n in count(least) if n not in taken)
        taken.add(sizes[name])
    for name, product in case.equal.items():
        factors = (sizes.get(factor) or int(factor) for factor in product.split("*"))
        sizes[name] = math.prod(factors)
    return sizes


def _compared(account: Account, case: Case) -> Iterator[Evidence]:
    from symledger.checks.torch.run import Run

    program, options = account.program, account.target.options
    asks_all = account.conventions.input_gradient and not account.conventions.frozen
    back = account.readings.back if asks_all else pullback(program)
    runs: list[Run] = []
    for seed, point in enumerate(POINTS):
        sizes = sizes_at(point, case, account.symbols, 2 + seed)
        here = {s: sizes[s.name] for s in account.symbols.values() if s not in program.definitions}
        here.update({symbol: whole(e, here) for symbol, e in program.definitions.items()})
        trial, names = Trial(program, back, here, seed), case.names(sizes, options)
        asked = account.conventions.input_gradient
        runs.append(Run(trial, case.build(sizes, options), names, asked))
    weights = _parameters(account, case, runs)
    yield weights
    if not weights.passed:  # nothing else can be asked about other weights
        return
    counted = [run.flops() for run in runs]
    if "flops.forward" in account.quantities:
        yield _against(account, case, runs, "flops.forward", [f for f, _ in counted])
        yield _against(account, case, runs, "flops.backward", [b for _, b in counted])
    yield _against(account, case, runs, "memory.saved", [run.saved() for run in runs])
    if not any(has_noise(body) for body in program.bodies):  # which PyTorch draws for itself
        yield _values(case, runs)


def has_noise(body: Program) -> bool:
    """Whether something is drawn at random."""
    inputs = (t.op for t in body.tensors if isinstance(t.op, Input))
    return any(op.drawn or op.keep is not None for op in inputs)


def _parameters(account: Account, case: Case, runs: list[Run]) -> Evidence:
    counts = [sum(p.numel() for p in run.module.parameters()) for run in runs]
    found = _against(account, case, runs, "params", counts)
    if not found.passed:
        return found
    wrong = "; ".join(dict.fromkeys(line for run in runs for line in run.misnamed))
    if not wrong:
        return found
    mend = f"name them alike, or pair them by names= of its row of CASES in {_row(account)}"
    return replace(found, passed=False, detail=f"{wrong}: {mend}")


def _against(
    account: Account, case: Case, runs: list[Run], quantity: str, measured: list[int]
) -> Evidence:
    """Compare a formula and the artefacts of its case with what was measured at each point."""
    more, reasons = _artefacts(account, case, quantity)
    formula = account[quantity].expr + more
    pairs = [(value(formula, run.trial.sizes), n) for run, n in zip(runs, measured, strict=True)]
    wrong = [f"the formula gives {a}, PyTorch {b}" for a, b in pairs if a != b]
    claim = Claim(CLAIMS[quantity], (case.said,))
    if reasons:
        claim = Claim(f"{claim.name} but", (case.said, str(more), "; ".join(reasons)))
    worst = worst_of(float(abs(a - b)) for a, b in pairs)
    masked = quantity.startswith("flops") and account.program.masks
    found = _evidence(runs, quantity, claim, worst, "; ".join(wrong))
    return replace(found, causal="full" if masked else "")


def _artefacts(account: Account, case: Case, quantity: str) -> tuple[Expr, list[str]]:
    more: Expr = Integer(0)
    reasons = []
    for name, uses in _uses(account, case).items():
        for artefact in ARTEFACTS[name]:
            if artefact.quantity == quantity:
                known = {**account.symbols, **_implied(account, case)}
                more += parse_expression(uses, known) * parse_expression(artefact.more, known)
                reasons.append(artefact.reason)
    return more, reasons


def _uses(account: Account, case: Case) -> Uses:
    """How often each artefact occurs: where no gradient is asked for, nothing is kept at all."""
    if not account.readings.back.gradients:
        return {}
    asked = account.conventions.input_gradient
    return case.uses({**account.target.options, "input_gradient": asked})


def _implied(account: Account, case: Case) -> dict[str, Expr]:
    """Symbols that an artefact speaks of and a target lacks, by what they equal there."""
    return {
        name: parse_expression(equal, {**BY_NAME, **account.symbols})
        for name, equal in case.equal.items()
        if name not in account.symbols
    }


def _values(case: Case, runs: list[Run]) -> Evidence:
    apart = [run.apart() for run in runs]
    wrong = "" if max(apart) <= CLOSE else f"values are {max(apart):.1e} apart"
    claim = Claim("values", (case.said, f"{CLOSE:.0e}"))
    return _evidence(runs, "gradients", claim, worst_of(apart), wrong)


def _evidence(
    runs: list[Run], quantity: str, claim: Claim, worst: str, wrong: str
) -> Evidence:
    points = tuple(run.trial.point for run in runs)
    return Evidence(quantity, claim, points, 0, worst, not wrong, wrong)
