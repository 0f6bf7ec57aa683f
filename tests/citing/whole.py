"""Every formula that can be cited, derived once for all tests of them, which one worker runs."""

from collections.abc import Mapping
from functools import cache

import pytest

from symledger import catalogue, derive
from symledger.account import Account
from symledger.citing.citation import Citation
from symledger.citing.registry import citable
from symledger.citing.update import fingerprints

WHOLE = pytest.mark.xdist_group("citing")


@cache
def accounts() -> Mapping[str, Account]:
    """The account of every owner of formulas."""
    return {e.family: derive(e.family) for e in catalogue.ENTRIES if e.family == e.name}


@cache
def derived() -> Mapping[str, str]:
    """What ``symledger.citing.update.derived`` returns."""
    return fingerprints(accounts().values())


@cache
def citations() -> list[Citation]:
    """A citation of every formula there is."""
    return [Citation(tagged, accounts()[tagged.owner]) for tagged in citable()]
