"""The whole site, generated once for all tests."""

from functools import cache

from symledger.site.generator import Site


@cache
def site() -> Site:
    return Site()
