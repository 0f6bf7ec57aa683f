"""What became of every key of a configuration: used, defaulted, or irrelevant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symledger.accounts.account import Account
from symledger.accounts.published_total import compared
from symledger.languages.message import Verbatim, joined, message
from symledger.report.layout import NBSP, Page

if TYPE_CHECKING:
    from symledger.configs.configuration import Configuration, Key

LONGEST = 48
"""Characters of a value; of a longer one its beginning is shown."""


def section(p: Page, account: Account) -> None:
    """Write what was read, where the target is a configuration."""
    found, source = account.target.configured, account.target.source
    if source:
        p.heading(message("configuration.source"))
        p.wrapped(Verbatim(source), 4)
        total = compared(account)
        if total:
            p.wrapped(total, 4)
    if found:
        whose = found.family.implementation
        built = Verbatim(found.architecture)
        p.heading(message("configuration.head", architecture=built, library=whose))
        _told(p, found)
        irrelevant = [key for key in found.keys if key.status == "irrelevant"]
        for sets in dict.fromkeys(key.sets for key in irrelevant):
            head = message("configuration.irrelevant")
            if sets:
                head = message("configuration.stored", sets=sets)
            keys = [_short(key) for key in irrelevant if key.sets == sets]
            p.wrapped(joined((head, Verbatim(",  ".join(keys))), ": "), 4, "dim")


def _told(p: Page, found: Configuration) -> None:
    table = [
        [key.name, Verbatim(_value(key)), key.sets,
         "" if key.status == "used" else message("configuration.default")]
        for key in found.keys if key.status != "irrelevant"
    ]  # fmt: skip
    p.table(table, ("", "cyan", "", "dim"), {1}, flexible=(2,), indent=4)


def _value(key: Key) -> str:
    return key.value if len(key.value) <= LONGEST else key.value[: LONGEST - 1] + "…"


def _short(key: Key) -> str:
    return f"{key.name}{NBSP}={NBSP}{_value(key)}".replace(" ", NBSP)
