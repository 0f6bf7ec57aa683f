"""What binds: the lines of a quantity by their share, and which is the largest from where on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from symledger import algebra
from symledger.accounts.account import Account
from symledger.algebra import Terms
from symledger.inverse.form import Freed
from symledger.inverse.univariate import Powers, largest_from, powers
from symledger.languages.message import Text, joined
from symledger.languages.words import part as part_named
from symledger.ledger.lines import Line

MOST = 5
"""How many lines are shown."""
SMALL = Fraction(1, 200)


@dataclass(frozen=True)
class Binding:
    """A line at the solution: its value, and its share of the whole."""

    label: str
    value: int
    share: Fraction

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {"line": str(self.label), "value": str(self.value), "share": str(self.share)}


@dataclass(frozen=True)
class Turn:
    """From which size on a line (or a power of the size) is the largest."""

    kind: str
    since: int
    label: str

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {"of": self.kind, "from": str(self.since), "largest": str(self.label)}


def rows(account: Account, quantity: str) -> Iterator[Binding]:
    """Yield the largest lines of a quantity, those of what is repeated opened."""
    formula = account[quantity]
    whole = formula.exact
    if not whole:
        return
    found = []
    depth = 2 if len(formula.quantity.parts) > 1 else 1
    for label, terms in opened(formula.line, depth):
        polynomial = algebra.substitute(terms, account.assumed.equations)
        amount = algebra.value(polynomial, account.assumed.bindings)
        if amount and amount / whole >= SMALL:
            found.append(Binding(label, int(amount), amount / whole))
    found.sort(key=lambda row: -row.value)
    yield from found[:MOST]


def opened(line: Line, depth: int) -> Iterator[tuple[Text, Terms]]:
    """Yield the lines of a quantity, its parts opened to a depth."""
    for part in line.parts:
        yield from _opened(part, part_named(part.label), depth)


def _opened(part: Line, label: Text, depth: int) -> Iterator[tuple[Text, Terms]]:
    if not depth or len(part.parts) < 2:
        yield label, part.total
        return
    times = algebra.terms(part.times)
    for inner in part.parts:
        name = joined((label, part_named(inner.label)), " › ")
        for said, terms in _opened(inner, name, depth - 1):
            yield said, algebra.multiply(times, terms)


def turns(freed: Freed, account: Account, quantity: str) -> Iterator[Turn]:
    """Yield where another line becomes the largest, and where another power of the size does."""
    (x,) = freed.free
    line = account[quantity].line
    lines: dict[str, Powers] = {}
    for part in line.parts:
        lines.setdefault(part_named(part.label), powers(freed.of(part.total), x))
    for since, label in largest_from(lines) if len(lines) > 1 else ():
        yield Turn("lines", since, label)
    whole = powers(freed.of(line.total), x)
    each = {_power(x.name, k): {k: c} for k, c in sorted(whole.items()) if c}
    for since, label in largest_from(each) if len(each) > 1 else ():
        yield Turn("powers", since, label)


def _power(name: str, k: int) -> str:
    if k == 0:
        return "1"
    return name if k == 1 else name + str(k).translate(algebra.SUPERSCRIPTS)
