"""The accounts of one owner with every choice that is recorded: all its records share them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from symledger.accounts.account import Account
from symledger.checks.variants import variants
from symledger.evidence.records import variant


@lru_cache(maxsize=1)
def accounts(owner: str) -> Mapping[str, Account]:
    """Return the accounts of an owner by variant, its default choices first."""
    return {variant(account): account for account in variants([owner])}


def plain(owner: str) -> Account:
    """Return the account of an owner with its default choices."""
    return accounts(owner)[owner]
