"""What became of every key of a configuration: used, defaulted, or irrelevant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symledger.accounts.account import Account
from symledger.report.layout import NBSP, Page

if TYPE_CHECKING:
    from symledger.configs.read import Configuration, Key

LONGEST = 48
"""Characters of a value; of a longer one its beginning is shown."""


def section(p: Page, account: Account) -> None:
    """Write what was read, where the target is a configuration."""
    found, source = account.target.configured, account.target.source
    if source:
        p.heading("SOURCE")
        p.wrapped(source, 4)
    if found:
        whose = found.family.implementation
        p.heading(f"CONFIGURATION: {found.architecture}; defaults are those of {whose}")
        _told(p, found)
        irrelevant = [key for key in found.keys if key.status == "irrelevant"]
        for sets in dict.fromkeys(key.sets for key in irrelevant):
            said = ",  ".join(_short(key) for key in irrelevant if key.sets == sets)
            head = f"{sets}, whatever is said of storing" if sets else "irrelevant to every count"
            p.wrapped(f"{head}: {said}", 4, "dim")


def _told(p: Page, found: Configuration) -> None:
    table = [
        [key.name, _value(key), key.sets, "" if key.status == "used" else "default"]
        for key in found.keys if key.status != "irrelevant"
    ]  # fmt: skip
    p.table(table, ("", "cyan", "", "dim"), {1}, flexible=(2,), indent=4)


def _value(key: Key) -> str:
    return key.value if len(key.value) <= LONGEST else key.value[: LONGEST - 1] + "…"


def _short(key: Key) -> str:
    return f"{key.name}{NBSP}={NBSP}{_value(key)}".replace(" ", NBSP)
