"""The largest size that stays within a budget: exact, proven by what the polynomial's signs say."""

from __future__ import annotations

from collections.abc import Iterable

from symledger.accounts.account import Account
from symledger.errors import BadInput
from symledger.inverse.question import TRIED, Question
from symledger.inverse.solution import Solution


def solve(account: Account, size: str, quantity: str, budget: int) -> Solution:
    """Return the largest legal size at which a quantity stays within a budget.

    Where the quantity falls as the size grows, the smallest one.

    Raises:
        BadInput: nothing meets the budget, or the quantity does not depend on the size.
    """
    return Question(account, size, quantity, budget).solution()


def most(account: Account, size: str, quantity: str, budgets: Iterable[int]) -> list[int]:
    """Return the largest legal size that stays within each budget; 0 where none does.

    What is free is looked for once, and the amounts are those of the polynomials.

    Raises:
        BadInput: the quantity does not depend on the size, or was not proven to rise with it.
    """
    question = Question(account, size, quantity, 0)
    kind, since = question.proof
    if kind == "falls" or kind == "looked at":
        raise BadInput(f"{quantity} was not proven to rise with {size}.")
    found = []
    for question.budget in budgets:
        edge = question.edge(kind, since)
        edge = edge and question.longest(edge)
        found.append(next((n for n in range(edge, max(edge - TRIED, 0), -1) if question.can_be(n)
                           and question.fits(n)), 0))  # fmt: skip
    return found
