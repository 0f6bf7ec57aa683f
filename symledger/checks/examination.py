"""Everything that is checked about one target."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from symledger.accounts.account import Account
from symledger.checks.identities import identities
from symledger.checks.runner import decoded, examine
from symledger.checks.torch.witness import witnessed
from symledger.checks.transformers import comparison
from symledger.evidence.comparison import Evidence


def examined(account: Account) -> Iterator[Evidence]:
    """Yield what was found about a target: its program, its formulas, and what PyTorch says.

    Raises:
        SymledgerError: it cannot be run.
    """
    step = account.target.decoding()
    yield from chain(
        examine(account.program, account.readings.back), map(decoded, [step] if step else []),
        identities(account), witnessed(account), comparison.witnessed(account),
    )  # fmt: skip
