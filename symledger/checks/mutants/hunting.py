"""What looks for mistakes in a program: the checks in their usual order, then what is recorded."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from symledger.accounts.account import DISTINCT, Account, derive
from symledger.checks.identities import identities
from symledger.checks.mutants.mutant import SURVIVED
from symledger.checks.runner import examine
from symledger.errors import SymledgerError
from symledger.evidence.records import recorded, variant
from symledger.ir.program import Program, Pullback
from symledger.ledger.formula import make_formula
from symledger.ledger.quantities import QUANTITIES, Readings

RECORDED = "recorded evidence"
REFUSED = "refused"


@cache
def account(name: str) -> Account:
    """Return the account of a target as it is, without a mistake."""
    return derive(name)


def killer(name: str, program: Program, pull: Pullback | None = None) -> str:
    """Return the first check that refuses a program (and its backward program) of a target.

    A definition whose formulas are no longer those that evidence was recorded for is refused as
    stale; a notation error is a refusal too.
    """
    try:
        for found in examine(program, quick=True, pull=pull):
            if not found.passed:
                return found.kind
        return SURVIVED if pull else stale(account(name), program)
    except SymledgerError as refusal:
        return f"{REFUSED}: {type(refusal).__name__}"


def stale(of: Account, program: Program) -> str:
    """Compare a program's formulas with the fingerprints that were recorded for its target."""
    about = recorded(of.target.owner).get(variant(of), {"hashes": {}})
    readings = Readings(program, DISTINCT, decoding=of.target.decoding)
    for quantity, fingerprint in about["hashes"].items():
        formula = make_formula(of.target.owner, quantity, readings, of.assumed)
        if quantity in QUANTITIES and formula.hash != fingerprint:
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
        return RECORDED if any(stale(of, of.program) for of in fresh) else SURVIVED
    except (SymledgerError, IndexError, ValueError) as refusal:  # NumPy refuses shapes, too
        return f"{REFUSED}: {type(refusal).__name__}"
