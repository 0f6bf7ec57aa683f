"""Every formula that can be cited, derived once for all tests of them."""

from collections.abc import Mapping
from functools import cache

from symledger.citing.citation import Citation
from symledger.tags.registry import citable
from symledger.tags.update import fingerprints
from tests.every import CATALOGUE, account


@cache
def derived() -> Mapping[str, str]:
    """What ``symledger.tags.update.derived`` returns."""
    return fingerprints(map(account, CATALOGUE))


@cache
def citations() -> list[Citation]:
    """A citation of every formula there is."""
    return [Citation(tagged, account(tagged.owner)) for tagged in citable()]
