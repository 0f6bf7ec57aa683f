"""Bringing the index up to date: a file an owner of formulas, of whatever it holds itself.

``written`` says what an owner's file has to hold. It is a matter of that owner alone, so that
several processes may write files, each its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from symledger.accounts.account import Account
from symledger.catalogue.entries import ENTRIES
from symledger.explain.index import files, writer
from symledger.explain.index.readings import QUANTITIES
from symledger.explain.index.survey import Accounts, survey

__all__ = ["is_stale", "owners", "path", "written"]

path = files.path


def owners() -> tuple[str, ...]:
    """Return everything that has a file of its own."""
    return tuple(entry.name for entry in ENTRIES if not entry.owner)


def written(owner: str, known: Iterable[Account] = ()) -> str:
    """Return what the file of an owner has to hold, derived now but for what is ``known`` of it."""
    accounts = Accounts(owner, known)
    told = {asked[0].quantity: asked for asked in (QUANTITIES["bytes"], QUANTITIES["flop"])}
    return writer.text({name: survey(owner, asked, accounts) for name, asked in told.items()})


def is_stale(owner: str, known: Iterable[Account] = ()) -> bool:
    """Whether the file of an owner is not there, or holds other formulas than are derived now."""
    file = path(owner)
    return not file.is_file() or file.read_text(encoding="utf-8") != written(owner, known)
