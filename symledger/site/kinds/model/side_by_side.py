"""The published configurations of a family in one table: the sizes in which they differ."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from markupsafe import Markup
from sympy import Symbol

from symledger.accounts.account import Account
from symledger.site.html import maths
from symledger.site.kinds.model.numbers import count


@dataclass(frozen=True)
class Row:
    """One configuration: the sizes of it, then its parameters."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class SideBySide:
    """Configurations with the sizes that parameters of their family depend on."""

    accounts: tuple[Account, ...]
    sizes: tuple[Symbol, ...]

    @cached_property
    def differing(self) -> list[Symbol]:
        """The sizes that are not the same in all; every one where there is one configuration."""
        if len(self.accounts) == 1:
            return [*self.sizes]
        bound = [account.assumed.bindings for account in self.accounts]
        return [s for s in self.sizes if len({at.get(s) for at in bound}) > 1]

    @property
    def columns(self) -> list[Markup]:
        """Those sizes as they are written."""
        return [maths.symbol(symbol) for symbol in self.differing]

    @property
    def common(self) -> Markup:
        """The other sizes with their values."""
        at = self.accounts[0].assumed.bindings
        alike = [s for s in self.sizes if s in at and s not in self.differing]
        return maths.settings({s.name: at[s] for s in alike})

    @property
    def rows(self) -> list[Row]:
        """The configurations."""
        return [
            Row(account.target.name, tuple(count(n) for n in (
                *map(account.assumed.bindings.get, self.differing), account.params.exact,
            )))
            for account in self.accounts
        ]  # fmt: skip
