"""Everything that is checked about one target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from symledger.accounts.account import Account
from symledger.checks.identities import identities
from symledger.checks.runner import decoded, examine
from symledger.checks.torch.witness import witnessed
from symledger.checks.transformers import comparison
from symledger.evidence.comparison import Evidence
from symledger.extras import lack, missing


def examined(account: Account) -> Iterator[Evidence]:
    """Yield what was found about a target: its program, its formulas, and what PyTorch says.

    Raises:
        SymledgerError: it cannot be run.
    """
    step = account.target.decoding()
    yield from chain(
        examine(account.program, account.readings.back), decoded(step) if step else (),
        identities(account), witnessed(account), comparison.witnessed(account),
    )  # fmt: skip


def skipped(accounts: Iterable[Account]) -> list[str]:
    """Say which implementations could not be asked about some targets, and what installs them."""
    asked = {"pytorch": ["torch"]}
    for found in filter(None, (account.target.configured for account in accounts)):
        asked[found.family.library] = [found.family.library]
    return [
        f"{name}: skipped, {lack(modules)}" for name, modules in asked.items() if missing(modules)
    ]
