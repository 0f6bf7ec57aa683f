"""Write down which call makes the witness of each component, at the sizes of its page.

    python -m symledger.site.record_scripts

needs PyTorch, and writes ``data/scripts.json``, of which ``scripts`` makes scripts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from symledger.accounts.account import Account
from symledger.site.atlas import Atlas
from symledger.site.scripts import FILE, Call, at_page, closure, read_in

if TYPE_CHECKING:
    from symledger.checks.torch.case import Case


def recorded(atlas: Atlas) -> Iterator[tuple[str, Call]]:
    """Yield the call that makes the first witness of each component that has one."""
    from symledger.checks.torch.cases import CASES

    for entries in atlas.components.values():
        for entry in entries:
            account = at_page(atlas, entry)
            for case in CASES.get(account.target.owner, ()):
                if fits(case, account):
                    yield entry.name, call(case, account)
                    break


def fits(case: Case, account: Account) -> bool:
    """Whether a case is what stands on a page: of its choices, and sizes that it tells apart."""
    options, at = account.target.options, sizes(account)
    known = ((name, other) for name, other in case.equal.items() if {name, other} <= at.keys())
    return all(at[name] == at[other] for name, other in known) and all(
        options[name] == choice for name, choice in case.given.items()
    )


def call(case: Case, account: Account) -> Call:
    """Return the call that makes the module of a case at the sizes of an account."""
    from symledger.checks.torch.written import written

    at = sizes(account)
    implied = {name: at[other] for name, other in case.equal.items() if other in at}
    text, ours, chosen = written(case, {**implied, **at}, account.target.options)
    read = read_in(closure(text)[0])
    return Call(
        case.said, text, {k: v for k, v in sorted(ours.items()) if k in read},
        {k: v for k, v in sorted(chosen.items()) if k in read},
    )  # fmt: skip


def sizes(account: Account) -> dict[str, int]:
    """Return the sizes of an account by name."""
    return {s.name: n for s, n in account.assumed.bindings.items()}


def main() -> None:
    """Write the file."""
    found = {name: vars(made) for name, made in sorted(recorded(Atlas()))}
    FILE.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
