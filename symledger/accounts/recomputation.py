"""What a plan of recomputation saves and costs: beside the same target without it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from symledger import algebra
from symledger.algebra import Terms
from symledger.derivations.derivation import Derivation
from symledger.errors import SymledgerError
from symledger.ledger.formula import Formula
from symledger.notation.recompute import DISCARD, EARLY, NONE

SAVED = ("memory.saved", "memory.peak.train")
"""What a plan is made for."""


@dataclass(frozen=True)
class Recomputation:
    """An account under a plan, and the same target without one."""

    account: Derivation

    def under(self, plan: str) -> Derivation:
        """The same target under another plan."""
        return type(self.account)(replace(self.account.request, recompute=plan))

    @cached_property
    def without(self) -> Derivation:
        """The same target, nothing run again that it does not run again itself."""
        return self.under(NONE)

    @property
    def saved(self) -> dict[str, tuple[Formula, Formula]]:
        """What there is without the plan and with it, by quantity."""
        return {name: (self.without[name], self.account[name]) for name in self._derived()}

    def _derived(self) -> Iterator[str]:
        """Yield the quantities that are derived here: peaks are refused of some optimizers."""
        for name in SAVED:
            try:
                self.account[name]
            except SymledgerError:
                continue
            yield name

    @cached_property
    def extra(self) -> dict[str, Terms]:
        """The FLOPs that are executed again: of whole runs, and of those that stop early."""
        plan = self.account.request.recompute
        for end in (EARLY, DISCARD):
            plan = plan.removesuffix(f":{end}")
        plain = self.without["flops.backward"].corollary_terms
        return {
            name: algebra.subtract(self.under(p)["flops.backward"].corollary_terms, plain)
            for name, p in (("whole", plan), (EARLY, f"{plan}:{EARLY}"))
        }

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON data."""
        at = self.account.assumed.bindings
        return {
            "plan": self.account.request.recompute,
            **{
                name: {
                    "without": {"corollary": str(before.corollary), "value": _text(before.value)},
                    "with": {"corollary": str(after.corollary), "value": _text(after.value)},
                }
                for name, (before, after) in self.saved.items()
            },
            "flops": {
                name: {"corollary": algebra.canonical(p), "value": _text(algebra.value(p, at))}
                for name, p in self.extra.items()
            },
        }  # fmt: skip


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def recomputation(account: Derivation) -> Recomputation | None:
    """Return what the plan of an account does, where it has one."""
    return None if account.request.recompute.strip() == NONE else Recomputation(account)
