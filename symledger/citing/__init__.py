"""Citing: what an author has to say about a formula, found by its id or its permanent tag."""

from symledger.tags.registry import Tagged as Tagged
from symledger.tags.registry import citable as citable
