"""The whole site, generated once for all tests of it."""

from symledger.site.generator import Site

SITE = Site()
ATLAS = SITE.atlas
