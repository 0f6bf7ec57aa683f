"""Every target with every choice that is checked, derived once in a process."""

from symledger.checks.command import variants
from symledger.evidence import variant

ACCOUNTS = {variant(account): account for account in variants()}
UNRECORDED = {"diffusion_unet"}
"""Families that were not run by NumPy yet: their pages say that nothing was checked there. What was
measured on real implementations is compared in ``tests/configurations``."""
