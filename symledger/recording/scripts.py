"""The call that makes the witness of each component in PyTorch, at the sizes of its page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symledger.accounts.account import Account, derive
from symledger.catalogue.entries import BY_NAME, ENTRIES
from symledger.catalogue.text_places import place
from symledger.catalogue.texts import text_of
from symledger.checks.torch.witness import telling
from symledger.errors import BadInput
from symledger.recording.kind import Kind, Made, replaced
from symledger.recording.owner import plain
from symledger.recording.selection import Selection
from symledger.site.scripts import FILE, Call, calls, closure, read_in
from symledger.site.text.examples import settings, undecided

if TYPE_CHECKING:
    from symledger.checks.torch.case import Case


class Scripts(Kind):
    """Calls of witnesses, of which the pages make scripts."""

    name = "scripts"
    needs = ("torch",)
    writing = "merged"

    def units(self, selection: Selection) -> tuple[str, ...]:
        """Return the components, by the owners of their formulas."""
        owners = dict.fromkeys(e.family for e in ENTRIES if e.kind == "component")
        return selection.among(self.name, tuple(owners))

    def fresh(self, unit: str) -> bool:
        """Whether the first witness that fits a page is called as it was."""
        known = calls().get(unit)
        return bool(self.make(unit).data == (vars(known) if known else None))

    def make(self, unit: str) -> Made:
        """Return the call of the first witness that fits the page; nothing where none does."""
        found = call_at(at_page(unit))
        return Made(vars(found) if found else None)

    def write(self, made: Mapping[str, Any]) -> list[Path]:
        """Put the calls among those of the others."""
        found = {**{name: vars(call) for name, call in calls().items()}, **made}
        kept = {name: call for name, call in sorted(found.items()) if call and name in BY_NAME}
        changed = replaced(FILE, json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
        calls.cache_clear()
        return changed


def at_page(owner: str) -> Account:
    """Return a component at the sizes of its page."""
    return derive(owner, settings(plain(owner), text_of(owner)))


def call_at(account: Account) -> Call | None:
    """Return the call that makes the first witness of a target that fits it, if one does."""
    from symledger.checks.torch.cases import CASES

    fitting = (case for case in CASES.get(account.target.owner, ()) if fits(case, account))
    case = next(fitting, None)
    return call(case, account) if case else None


def fits(case: Case, account: Account) -> bool:
    """Whether a case is what stands on a page: of its choices, and sizes that it tells apart."""
    options, at = account.target.options, sizes(account)
    known = ((name, other) for name, other in case.equal.items() if {name, other} <= at.keys())
    return all(at[name] == at[other] for name, other in known) and all(
        options[name] == choice for name, choice in case.given.items()
    )


def call(case: Case, account: Account) -> Call:
    """Return the call that makes the module of a case at the sizes of an account.

    Raises:
        BadInput: the text of its page gives a size no value.
        DefinitionError: the case reads what the target has not.
    """
    from symledger.checks.torch.written import written

    at = sizes(account)
    without = ", ".join(sorted(undecided(account) - at.keys()))
    if without:
        file = place(account.target.entry)
        raise BadInput(f"{file}: give {without} a size in settings of [example].")
    implied = {name: at[other] for name, other in case.equal.items() if other in at}
    with telling(account, case):
        text, ours, chosen = written(case, {**implied, **at}, account.target.options)
    read = read_in(closure(text)[0])
    return Call(
        case.said, text, {k: v for k, v in sorted(ours.items()) if k in read},
        {k: v for k, v in sorted(chosen.items()) if k in read},
    )  # fmt: skip


def sizes(account: Account) -> dict[str, int]:
    """Return the sizes of an account by name."""
    return {s.name: n for s, n in account.assumed.bindings.items()}
