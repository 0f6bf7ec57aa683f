"""A definition beside its reference at three sizes, where the class cannot be traced.

What a vector describes is built on the meta device at sizes that are drawn, with its choices as
they are, compared tensor by tensor, and run where what enters can be made. That says nothing of
other sizes, unlike a trace.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from symledger.accounts.account import Account
from symledger.arguments.specs import SizeOf
from symledger.checks.traced.vectors import LAYERS, Vector
from symledger.checks.transformers.comparison import witnessed
from symledger.checks.transformers.drawn import derived
from symledger.config_keys.family import Family
from symledger.configs.document import Document
from symledger.errors import SymledgerError
from symledger.evidence.comparison import Evidence, Point

SIZES, TRIES = 3, 40
"""At how many sizes a class is built, and how many are tried until so many are taken."""
DEEPEST, TIMES = 4, (2, 3)
"""How many layers there are at most, and how many times as large sizes become."""


def sized(vector: Vector) -> list[Evidence]:
    """Return what was found of each quantity at three sizes; nothing of what could not be run.

    Empty where the class does not build so many of those that were tried, or fails as it runs.
    """
    found: dict[str, list[Evidence]] = {}
    taken = 0
    for document in documents(vector):
        try:
            account = derived(document)
            if chosen(account) != vector.options:
                continue
            seen = list(_seen(account))
        except SymledgerError:
            continue
        for e in seen:
            found.setdefault(e.quantity, []).append(replace(e, points=(said(account),)))
        taken += bool(seen)
        if taken == SIZES or not all(e.passed for e in seen):
            break
    return [together(rows) for rows in found.values() if differs(rows) or len(rows) == SIZES]


def _seen(account: Account) -> Iterator[Evidence]:
    """Yield what is found until the class fails as it runs, in whatever way."""
    found = witnessed(account)
    yield from (e for e in [next(found, None)] if e)  # its weights: that it is built has to go
    try:
        yield from found
    except Exception:  # what runs is no code of ours
        return


def chosen(account: Account) -> dict[str, str]:
    """Return the choices of the entry that a configuration makes."""
    configured = account.target.configured
    known = account.target.choices
    settings = configured.settings if configured else {}
    return {n: v for n, v in sorted(settings.items()) if n in known}


def said(account: Account) -> Point:
    """Return the sizes that a configuration says, which lengths that enter are none of."""
    configured = account.target.configured
    settings = configured.settings if configured else {}
    return {n: int(v) for n, v in settings.items() if v.isdecimal()}


def differs(rows: list[Evidence]) -> bool:
    """Whether any of some comparisons failed."""
    return not all(e.passed for e in rows)


def together(rows: list[Evidence]) -> Evidence:
    """Return comparisons of one quantity at several sizes as one, which fails if any does."""
    worst = next((e for e in rows if not e.passed), rows[0])
    return replace(worst, points=tuple(p for e in rows for p in e.points))


def documents(vector: Vector, seed: int = 20261126) -> Iterator[Document]:
    """Yield configurations with the choices of a vector: itself, then others as large or larger."""
    random = Random(seed)  # noqa: S311  # sizes, no secrets
    yield dict(vector.document)
    for _ in range(TRIES):
        yield _resized(vector.family, vector.document, random)


def _resized(family: Family, document: Document, random: Random) -> dict[str, Any]:
    """Return a configuration, or a part of one, with some of its sizes several times as large."""
    found = family.nested(document)
    known = {**family.facts["keys"], **found}
    sizes = [n for n, use in family.uses.items()
             if isinstance(use, SizeOf) and type(known.get(n)) is int]  # fmt: skip
    deep = {n for n in sizes if {*family.uses[n].called(n)} & {*LAYERS}}
    for name in sizes:
        if name in deep:
            found[name] = random.randint(1, DEEPEST)
        elif random.random() < 1 / 3:
            found[name] = known[name] * random.choice(TIMES)
    for name, part in family.parts.items():
        inside = dict(found.get(name) or {})
        found[name] = _resized(part.part(inside), inside, random)
    return found
