"""Citing: each formula of the catalogue has a short permanent tag, and a revision.

``python -m symledger.citing`` brings the registry up to date after formulas have changed.
"""

from symledger.citing.registry import Tagged as Tagged
from symledger.citing.registry import citable as citable
