"""Fingerprints of formulas: whether evidence was recorded of the very formula that is asked for."""

from __future__ import annotations

from symledger.derivations.derivation import Derivation
from symledger.errors import BadInput
from symledger.ledger.conventions import Conventions
from symledger.ledger.peaks import PEAKS
from symledger.ledger.quantities import QUANTITIES

DEFAULT = Conventions()
DISTINCT = Conventions(dtype="fp16")
"""Conventions in which every storage class has bytes of its own, so that none can be taken for
another unseen."""


def fingerprint(derivation: Derivation, name: str) -> str | None:
    """Return the hash of a quantity as evidence is recorded for it.

    That is under the default conventions, bytes under DISTINCT ones. None for no quantity, and for
    a peak that is not derived.
    """
    known = QUANTITIES | PEAKS
    if name not in known:
        return None
    conventions = DISTINCT if known[name].unit == "bytes" else DEFAULT
    try:
        return derivation.in_own_sizes(name, conventions).hash
    except BadInput:
        if name in PEAKS:
            return None
        raise


def default_hash(derivation: Derivation, name: str) -> str:
    """Return the hash of a quantity under the default conventions, which identities are about."""
    return derivation.under_conventions(name, DEFAULT).hash
