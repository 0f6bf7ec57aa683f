"""Every target with every choice that is checked, derived once in a process."""

from symledger.checks.command import variants
from symledger.evidence import variant

ACCOUNTS = {variant(account): account for account in variants()}
