"""An account as LaTeX: the derivation of each quantity, to be pasted into a paper."""

from __future__ import annotations

from collections.abc import Sequence

from symledger.accounts.account import Account
from symledger.printing.latex import derivation


def write(account: Account, quantities: Sequence[str], depth: int) -> str:
    """Write one ``align`` for each quantity, levels of the tree opened down to ``depth``."""
    target = account.target.name
    return "\n".join(derivation(target, account[name], depth) for name in quantities)
