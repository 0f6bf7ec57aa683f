"""Every target with every choice that is checked, each derived once in a process.

One worker runs all tests of an owner (``conftest.py``), so that only it derives them.
"""

import os
from collections.abc import Sequence
from functools import cache
from typing import TypeVar

import pytest

from symledger import derive
from symledger.accounts.account import Account
from symledger.catalogue.entries import AXIOMS, ENTRIES
from symledger.checks.variants import variants
from symledger.evidence.records import variant

CATALOGUE = tuple(dict.fromkeys(entry.family for entry in ENTRIES))
"""The owners of all formulas in the catalogue."""

OWNERS = (*CATALOGUE, *(entry.name for entry in AXIOMS))
"""These, and the axioms."""

T = TypeVar("T")

EVERY_CASE = pytest.mark.every_case
"""For a test of hundreds of cases of which none is left out anywhere (``conftest.py``).

It says that something is missing, or whether an owner's formulas are those that were checked.
"""

COSTLY = pytest.mark.costly
"""For a test whose cases take a second or more: every n-th is looked at, all in integration."""

WHOLE = pytest.mark.xdist_group("whole")
"""For a test that reads all of the catalogue: one worker runs these."""


INTEGRATING = os.environ.get("CI") == "true"
"""Whether this is continuous integration: there nothing is skipped or reused."""


def share(cases: Sequence[T], every: int = 5) -> Sequence[T]:
    """Return every fifth where what is tested knows no component; all in integration.

    A printer that is wrong is wrong about many formulas, and a look at all takes minutes.
    """
    assert cases
    return cases if INTEGRATING else cases[::every]


@cache
def account(name: str) -> Account:
    """Return the account of an entry as it stands in the catalogue."""
    return derive(name)


@cache
def chosen(owner: str) -> dict[str, Account]:
    """Return the accounts of an owner with every choice that is checked, by name."""
    return {variant(account): account for account in variants([owner])}
