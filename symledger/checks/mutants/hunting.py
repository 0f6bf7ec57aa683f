"""What looks for mistakes in a program: the checks in their usual order, then what is recorded.

The checks of a program by itself find what contradicts itself. That it is another right program
(of other sizes, of other layers) is found by an identity with another target, or by PyTorch, which
has the target by other means; only where these cannot tell does what is on record tell.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from symledger.accounts.account import Account, derive
from symledger.checks.identities import identities, related
from symledger.checks.mutants.mutant import SURVIVED
from symledger.checks.runner import examine
from symledger.checks.torch.witness import witnessed
from symledger.errors import SymledgerError
from symledger.evidence.fingerprints import DISTINCT
from symledger.evidence.records import recorded, variant
from symledger.ir.tensor import Program, Pullback
from symledger.ledger.formula import make_formula
from symledger.ledger.quantities import QUANTITIES, Readings

WITNESS = "pytorch"
RECORDED = "recorded evidence"
REFUSED = "refused"


@cache
def account(name: str) -> Account:
    """Return the account of a target as it is, without a mistake."""
    return derive(name)


def killer(name: str, program: Program, pull: Pullback | None = None) -> str:
    """Return the first check that refuses a program (and its backward program) of a target.

    A definition that is another one than PyTorch has is refused, and so is one whose formulas are
    no longer those that evidence was recorded for; a notation error is a refusal too.
    """
    try:
        for found in examine(program, quick=True, pull=pull):
            if not found.passed:
                return found.kind
        return SURVIVED if pull else another(name, program)
    except SymledgerError as refusal:
        return f"{REFUSED}: {type(refusal).__name__}"


def another(name: str, program: Program) -> str:
    """Return what tells that a program is not the one of a target."""
    of = derive(name)
    of.program = program
    of.readings = Readings(program, of.conventions, decoding=of.target.decoding)
    wrong = (found.kind for found in related(of) if not found.passed)
    return next(wrong, "") or _refused_by_pytorch(of) or stale(account(name), program)


def _refused_by_pytorch(of: Account) -> str:
    """Ask PyTorch, which may also refuse to be run on what is another program's."""
    try:
        return SURVIVED if all(found.passed for found in witnessed(of)) else WITNESS
    except (SymledgerError, ArithmeticError, LookupError, RuntimeError, ValueError):
        return WITNESS


def stale(of: Account, program: Program) -> str:
    """Compare a program's formulas with the fingerprints that were recorded for its target."""
    about = recorded(of.target.owner).get(variant(of))
    readings = Readings(program, DISTINCT, decoding=of.target.decoding)
    for quantity, fingerprint in (about.hashes if about else {}).items():
        if quantity not in QUANTITIES:
            continue  # peaks, and what is asked for by name alone
        if make_formula(of.target.owner, quantity, readings, of.assumed).hash != fingerprint:
            return RECORDED
    return SURVIVED


def killer_of_rules(targets: Iterable[tuple[str, dict[str, Any]]]) -> str:
    """Return the first check that refuses targets derived anew, under rules that are wrong now."""
    try:
        fresh = [derive(name, options) for name, options in targets]
        for of in fresh:
            for found in examine(of.program, quick=True):
                if not found.passed:
                    return found.kind
        for of in fresh:
            for found in identities(of):
                if not found.passed:
                    return found.kind
        if any(map(_refused_by_pytorch, fresh)):
            return WITNESS
        return RECORDED if any(stale(of, of.program) for of in fresh) else SURVIVED
    except (SymledgerError, AssertionError, IndexError, ValueError) as refusal:
        # NumPy refuses shapes, and a timeline what no pass has made
        return f"{REFUSED}: {type(refusal).__name__}"
