"""Variants: what each choice of a model changes, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from symledger import algebra
from symledger.accounts.account import Account
from symledger.algebra import Terms, substitute
from symledger.catalogue.entry import Entry
from symledger.languages.words import choice, place
from symledger.ledger.lines import Line
from symledger.printing.rows import label
from symledger.site.atlas import Atlas
from symledger.site.html import maths
from symledger.site.kinds.model.numbers import signed

COMPARED = ("params", "memory.saved")
MANY = 8
"""Lines of a difference at most: where more change, the tree is opened less far."""
LONG = 12
"""Terms that are many: a difference that has more, or a line of it, is not told line by line."""


@dataclass(frozen=True)
class Change:
    """What a line has more than before (or less)."""

    label: str
    formula: Markup
    value: str


@dataclass(frozen=True)
class Difference:
    """How much a quantity changes, and in which lines."""

    quantity: str
    unit: str
    formula: Markup
    value: str
    lines: tuple[Change, ...]

    @property
    def change(self) -> Markup:
        """The change in short: its value, or where nothing is bound its formula."""
        return Markup("{} {}").format(self.value or self.formula, self.unit)


@dataclass(frozen=True)
class Variant:
    """One choice made otherwise."""

    name: str
    setting: str
    differences: tuple[Difference, ...]


def others(account: Account) -> Iterator[tuple[str, object]]:
    """Yield each value of a choice that is tried and not made here."""
    chosen = account.target.options
    for option, allowed in account.target.tried.items():
        yield from ((option, value) for value in allowed if value != chosen[option])


def variants_of(atlas: Atlas, entry: Entry, account: Account) -> Iterator[Variant]:
    """Yield every choice made otherwise, one at a time."""
    for option, value in others(account):
        word = str(value).lower() if isinstance(value, bool) else str(value)
        other = atlas.account(entry.name, **{option: word})
        found = tuple(_difference(account, other, q) for q in COMPARED)
        yield Variant(choice(option, value), f"{option}={word}", found)


def _difference(before: Account, after: Account, quantity: str) -> Difference:
    one, other = before[quantity], after[quantity]
    change = algebra.subtract(other.corollary_terms, one.corollary_terms)
    for depth in (2, 1, 0):
        both = (_lines(one.line, before, depth), _lines(other.line, after, depth))
        changed = dict(_changed(*both))
        if len(changed) <= MANY:
            break
    is_short = all(len(polynomial) <= LONG for polynomial in (change, *changed.values()))
    lines = tuple(
        Change(place(name), maths.inline(polynomial), _value(polynomial, after))
        for name, polynomial in changed.items() if name and is_short
    )
    return Difference(quantity, one.unit, maths.inline(change), _value(change, after), lines)


def _changed(
    before: dict[str, Terms], after: dict[str, Terms]
) -> Iterator[tuple[str, Terms]]:
    for name in dict.fromkeys([*before, *after]):
        change = algebra.subtract(after.get(name, {}), before.get(name, {}))
        if change:
            yield name, change


def _lines(line: Line, account: Account, depth: int) -> dict[str, Terms]:
    """Return the lines of a tree that are not opened further, by name, with all repetitions.

    With depth 0 that is the whole, which has no name.
    """
    found: dict[str, Terms] = {}

    def walk(part: Line, times: Terms, name: str, depth: int) -> None:
        if part.parts and depth and any(not inner.is_leaf for inner in part.parts):
            passes = algebra.multiply(times, algebra.terms(part.times))
            for inner in part.parts:
                walk(inner, passes, f"{name} › {label(inner)}" if name else label(inner), depth - 1)
            return
        total = substitute(algebra.multiply(times, part.total), account.assumed.equations)
        found[name] = algebra.add([found.get(name, {}), total])

    walk(line, algebra.constant(1), "", depth)
    return found


def _value(polynomial: Terms, account: Account) -> str:
    found = algebra.value(polynomial, account.assumed.bindings)
    return signed(None if found is None or found.denominator > 1 else int(found))
