"""Identities, proven on a grid: between formulas, and between a formula and its own lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sympy import Expr

from symledger import algebra
from symledger.accounts.account import Account, derive
from symledger.algebra.parsing import parse_equation
from symledger.catalogue.identities import Side
from symledger.checks.identity import equal_on_grid
from symledger.evidence.claims import Claim
from symledger.evidence.comparison import Evidence
from symledger.sizes import BY_NAME

COLLECTED = ("params", "flops.forward", "flops.backward", "memory.saved")


def identities(account: Account) -> Iterator[Evidence]:
    """Prove what a target's formulas are said to equal.

    A formula is compared with its lines as they were recorded, before anything was multiplied
    out, then with the default equations put in by SymPy; the catalogue's identities with the
    formula on their other side.
    """
    for name in COLLECTED:
        formula = account[name]
        found = equal_on_grid(formula.line.written, formula.expr, name)
        yield _claimed(found, "collected")
        if formula.equations:
            given = {s: algebra.expression(p) for s, p in formula.equations.items()}
            found = equal_on_grid(formula.line.written.xreplace(given), formula.corollary, name)
            yield replace(_claimed(found, "assumed"), assumptions=formula.assumptions)
    yield from related(account)


def related(account: Account) -> Iterator[Evidence]:
    """Prove the catalogue's identities of a target, with its own formula on this side."""
    for identity, here, there in account.identities:
        sides = _put_in(account, here, identity.quantity), side(there, identity.quantity)
        found = equal_on_grid(*sides, identity.quantity)
        yield _claimed(found, "same", str(here), str(there))


def _claimed(found: Evidence, claim: str, *sides: str) -> Evidence:
    """Say what it is that was proven, or drawn points for."""
    how = found.claim
    return replace(found, claim=Claim(f"{claim}, {how.name}", (*how.words, *sides)))


def side(of: Side, quantity: str) -> Expr:
    """Return one side of an identity, its equations put in by SymPy's own substitution."""
    return _put_in(derive(of.name, dict(of.options)), of, quantity)


def _put_in(account: Account, of: Side, quantity: str) -> Expr:
    given = dict(parse_equation(text, BY_NAME) for text in of.equations)
    return account[quantity].expr.xreplace(given)
